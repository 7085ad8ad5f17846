"""Runs the tests, and writes how many passed to the file that the first argument names. Others name tests."""

from __future__ import annotations

import json
import sys
import unittest
from pathlib import Path

HERE = Path(__file__).parent


def main(report: str, names: list[str]) -> int:
    loader = unittest.TestLoader()
    if names:
        suite = loader.loadTestsFromNames([f"tests.{name}" for name in names])
    else:
        suite = loader.discover(str(HERE), top_level_dir=str(HERE.parent))
    result = unittest.TextTestRunner(verbosity=1, warnings="ignore").run(suite)
    bad, skipped = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses), len(result.skipped)
    # A test with several bad subtests counts each of them, and ran once.
    passed = max(0, result.testsRun - len({str(test).split(" (")[0] + str(type(test)) for test, _ in result.failures + result.errors}) - skipped)
    Path(report).write_text(json.dumps({"passed": passed, "failed": bad, "skipped": skipped}))
    return 0 if result.wasSuccessful() else 1


sys.exit(main(sys.argv[1], sys.argv[2:]))
