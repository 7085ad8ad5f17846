"""Runs what the model wrote to check a conversion, away from this process.

ALTK's transformation stage runs such code by `exec` where it stands: beside the provider's keys, and whatever a
conversation talked the model into. Here it gets a process of its own with no environment, an empty folder and limits on
time, memory, output and (unless this user is root) further processes. That is no sandbox: it can still read what this user can read, and reach the network.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from typing import Any, Callable

_WALL_S = 3.0
_FENCE = re.compile(r"^```(?:python)?|```$", re.MULTILINE)

_RUNNER = r"""
import json, resource, sys
given = json.load(sys.stdin)
for limit, value in ((resource.RLIMIT_CPU, 2), (resource.RLIMIT_AS, 512 << 20), (resource.RLIMIT_FSIZE, 1 << 16),
                     (resource.RLIMIT_NOFILE, 32), (resource.RLIMIT_NPROC, 0), (resource.RLIMIT_CORE, 0)):
    resource.setrlimit(limit, (value, value))
space = {}
exec(given["code"], space)
plain = lambda value: value if isinstance(value, (int, float)) and value == value and abs(value) < 1e300 else str(value)
results = [plain(space["transformation_code"](given["user"])),
           plain(space["convert_example_str_transformed_to_transformed_type"](given["api"]))]
print("\n" + json.dumps(results))
"""

_FAILED = "raise ValueError('the generated code did not run')"


def isolated(validate: Callable[..., Any]) -> Callable[..., Any]:
    """ALTK's own check, which gets code that only says what the real code gave."""

    def check(code: str, user_val: str, api_val: str, units: dict[str, Any]) -> Any:
        return validate(code=_outcome(code, user_val, api_val), user_val=user_val, api_val=api_val, units=units)

    return check


def _outcome(code: str, user_val: str, api_val: str) -> str:
    results = _run(_FENCE.sub("", code).strip(), user_val, api_val)
    if results is None:
        return _FAILED
    transformed, converted = results
    return (
        f"def transformation_code(_): return {transformed!r}\n"
        f"def convert_example_str_transformed_to_transformed_type(_): return {converted!r}\n"
    )


def _run(code: str, user_val: str, api_val: str) -> list[Any] | None:
    given = json.dumps({"code": code, "user": user_val, "api": api_val}).encode()
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as out:
        try:
            command = [sys.executable, "-I", "-S", "-c", _RUNNER]
            subprocess.run(command, input=given, stdout=out, stderr=subprocess.DEVNULL, env={}, cwd=folder, timeout=_WALL_S, check=True)
            out.seek(0)
            results = json.loads(out.read().splitlines()[-1])
        except (subprocess.SubprocessError, OSError, ValueError, IndexError):
            return None
    plain = isinstance(results, list) and len(results) == 2 and all(isinstance(r, (int, float, str)) for r in results)
    return results if plain else None
