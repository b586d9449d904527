"""Which tests are dear, from the report of a whole run.

Run ``python -m pytest --whole --junitxml=FILE``, then this with FILE. With ``--prune`` in place of FILE it leaves out
the tests that no longer exist, and nothing else.

Writes ``tests/dear.json``: by file, the tests whose cases take more than `DEAR` seconds each on average, as measured
on a machine that does something else besides. ``tests/conftest.py`` leaves those of more than its limit out of a plain
run.
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from pathlib import Path
from xml.etree import ElementTree

DEAR = 1.0
TESTS = Path(__file__).parents[1] / "tests"
RECORD = TESTS / "dear.json"


def durations(report: Path) -> dict[str, dict[str, float]]:
    """Seconds of a case, on average, by file and test; only those that are dear."""
    cases: dict[tuple[str, str], list[float]] = defaultdict(list)
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        file = "/".join(case.attrib["classname"].split(".")[1:]) + ".py"
        cases[file, case.attrib["name"].partition("[")[0]].append(float(case.attrib["time"]))
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for (file, test), seconds in sorted(cases.items()):
        if (each := sum(seconds) / len(seconds)) > DEAR and (TESTS / file).exists():
            found[file][test] = round(each, 1)
    return found


def pruned() -> dict[str, dict[str, float]]:
    """What was recorded, for the tests that still exist."""
    found: dict[str, dict[str, float]] = {}
    for file, seconds in json.loads(RECORD.read_text("utf-8")).items():
        text = (TESTS / file).read_text("utf-8") if (TESTS / file).exists() else ""
        found[file] = {test: each for test, each in seconds.items() if f"def {test}(" in text}
    return {file: seconds for file, seconds in found.items() if seconds}


def main(report: str) -> None:
    """Write the file."""
    kept = pruned() if report == "--prune" else durations(Path(report))
    RECORD.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
