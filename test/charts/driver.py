"""Renders a chart many times in one process, and checks what comes out against the schemas of Kubernetes.

Reads one JSON object on standard input, writes one on standard output; helm.ts beside it is its only caller.
"""

import functools
import json
import re
import sys
import tempfile

import helm_python
import jsonschema
import yaml
from kubernetes_validate import utils
from referencing import Registry, Resource

@functools.cache
def validator_of(version, api_version, kind):
    """Strict: a field that Kubernetes does not know is a mistake. None for a kind that is not Kubernetes' own."""
    # rbac.authorization.k8s.io/v1 is rbac-v1 there.
    name = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    folder = f"kubernetes-json-schema/v{version}.0-local-strict"
    try:
        schema = utils.schema_contents(f"{folder}/{kind.lower()}-{name}.json", version)
    except FileNotFoundError:
        return None
    registry = Resource.from_contents(schema) @ (definitions_of(folder, version) @ Registry())
    return jsonschema.Draft202012Validator(schema, registry=registry)


@functools.cache
def definitions_of(folder, version):
    return Resource.from_contents(utils.schema_contents(f"{folder}/_definitions.json", version))


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
    validators = [(version, validator_of(version, document["apiVersion"], document["kind"])) for version in versions]
    if all(validator is None for _, validator in validators):
        return None
    problems = []
    for version, validator in validators:
        if validator is None:
            problems.append(f"{version}: has no {document['apiVersion']} {document['kind']}")
            continue
        for error in validator.iter_errors(document):
            problems.append(f"{version}: {'.'.join(str(step) for step in error.path)}: {error.message[:500]}")
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
