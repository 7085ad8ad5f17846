"""Renders a chart many times in one process, and checks what comes out against the schemas of Kubernetes.

Reads one JSON object on standard input, writes one on standard output; helm.ts beside it is its only caller.
"""

import json
import sys
import tempfile

import helm_python
import yaml
from kubernetes_validate import utils

BASE_FILES = {}


def once(read):
    """A schema is read from disk once and not for every object."""

    def remembered(filename, version):
        if filename not in BASE_FILES:
            BASE_FILES[filename] = read(filename, version)
        return BASE_FILES[filename]

    return remembered


utils.schema_contents = once(utils.schema_contents)


class NoRepeats(yaml.SafeLoader):
    """A key that stands twice is a mistake of a template: the later one wins without a word."""

    def construct_mapping(self, node, deep=False):
        keys = [self.construct_object(key, deep=True) for key, _ in node.value]
        twice = sorted({str(key) for key in keys if keys.count(key) > 1})
        if twice:
            raise yaml.YAMLError(f"{node.start_mark}: twice: {', '.join(twice)}")
        return super().construct_mapping(node, deep)


def documents_of(text):
    return [one for one in yaml.load_all(text, Loader=NoRepeats) if one is not None]


def problems_of(document, versions):
    """What each version of Kubernetes says against an object; kinds that are not its own are somebody else's to check."""
    problems = []
    for version in versions:
        try:
            utils.validate(document, version, strict=True)
        except utils.SchemaNotFoundError:
            return None
        except utils.ValidationError as error:
            path = ".".join(str(step) for step in error.path)
            problems.append(f"{version}: {path}: {error.message[:500]}")
    return problems


def render(chart, case, versions):
    values = case.get("values", {})
    try:
        if not case.get("withoutSchema", False):
            chart.validate_schema(values)
        files = chart.render(
            values,
            name=case.get("release", "release"),
            namespace=case.get("namespace", "agents"),
            is_upgrade=False,
            is_install=True,
        )
    except helm_python.HelmError as error:
        return {"error": str(error)}
    objects = []
    notes = ""
    for name in sorted(files):
        if name.endswith("NOTES.txt"):
            notes += files[name]
            continue
        for document in documents_of(files[name]):
            problems = problems_of(document, versions)
            known = problems is not None
            objects.append({"template": name, "object": document, "known": known, "problems": problems or []})
    return {"objects": objects, "notes": notes}


def unpacked(chart, where):
    """Without its schema, to show what stands behind a value that the schema does not let through yet."""
    path = chart.save_dir(where)
    with open(f"{path}/values.schema.json", "w", encoding="utf-8") as schema:
        schema.write("{}")
    return helm_python.Chart.load(path)


def main():
    asked = json.load(sys.stdin)
    chart = helm_python.Chart.load(asked["chart"])
    versions = asked["kubernetes"]
    answer = {"values": chart.values, "schema": chart.schema, "renderings": [], "lints": []}
    with tempfile.TemporaryDirectory() as where:
        bare = unpacked(chart, where) if any(case.get("withoutSchema") for case in asked["cases"]) else None
        for case in asked["cases"]:
            answer["renderings"].append(render(bare if case.get("withoutSchema") else chart, case, versions))
            if case.get("lint"):
                answer["lints"].append(helm_python.lint(asked["chart"], case.get("values", {}), strict=True))
            else:
                answer["lints"].append(None)
    json.dump(answer, sys.stdout, default=str)


main()
