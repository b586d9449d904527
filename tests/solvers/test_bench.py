import json
import os
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "scripts" / "bench_solvers.py"


def test_all_ways_to_reach_a_verdict_agree() -> None:
    done = subprocess.run(
        [sys.executable, str(SCRIPT), "--programs", "5", "--rounds", "1", "--bar", "0", "--json"],
        capture_output=True,
        text=True,
        timeout=100,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )
    assert done.returncode == 0, done.stderr
    result = json.loads(done.stdout)
    assert result["agree"] is True
    assert len(result["verdicts_per_second"]) == 4
