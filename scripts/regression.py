"""What a change must not lose: verdicts, levels and seconds of fixed theorems, kept certificates, three benchmarks.

    python scripts/regression.py --out DIR [--data DIR] [--only SUITE,...] [--limit N] [--certificates 500]
    python scripts/regression.py compare A B [--check N]

The first form records into DIR, and goes on where an earlier call stopped. ``--data`` is a folder with ``induction``
(.smt2 files, in folders), ``logic_programs`` and ``lean_theorems_dev.jsonl``, as far as they are there; ``--limit``
takes the first files of each suite. Certificates are kept; suites named ``certificates-...`` are small generated
theorems, ``recorded-...`` replays the recorded replies of models that the tests have. Use a quiet machine.

The second form says what changed from A to B. ``--check N`` has the program as it is now check the first N certificates
of each suite of A; B keeps the results. Exit code: 1 if anything is lost, missing, decided otherwise, of a lower level,
or no longer accepted.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path
from statistics import median
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
THEOREMS, INPUTS = ROOT / "theorems", Path(__file__).parent / "regression_inputs"
PROGRAM = [sys.executable, "-m", "goedels_poetry"]
TOGETHER = 20  # files that one process works on
SLOWER = 2.0  # times, and a second more
RESULTS, CHECKED = "results.jsonl", "checked.jsonl"
DECIDED = {"proved": 0, "refuted": 3, "inconsistent": 4, "tested": 0, "invalid": 2, "exit code 0": 0}
"""Exit codes by verdict; of benchmarks their own."""
Row = dict[str, Any]


class Suite(NamedTuple):
    """Files that one command is asked about."""

    name: str
    command: tuple[str, ...]
    files: tuple[Path, ...]
    flag: str = ""  # before each file


def suites(data: Path | None, out: Path, certificates: int) -> Iterator[Suite]:
    """Every suite; what has to be written for it is written."""

    def prove(name: str, seconds: int, files: Iterable[Path], *more: str) -> Suite:
        place = str(out / "certificates" / name)
        command = ("prove", "--json", "-q", "--no-bank", "--timeout", str(seconds), "--out", place, *more)
        return Suite(name, command, tuple(files))

    programs = [*sorted(THEOREMS.glob("json_logic/*.json")), *sorted(THEOREMS.glob("questions/*"))]
    yield prove("theorems", 60, [*sorted(THEOREMS.glob("smt/*.smt2")), *programs])
    yield prove("functions", 30, [*sorted(THEOREMS.glob("python/*.py")), INPUTS / "functions.py"])
    lean = [*sorted(THEOREMS.glob("lean/*.lean")), INPUTS / "theorems.lean"]
    yield prove("lean", 60, [*lean, *_rows_as_files(data, out / "inputs" / "lean")])
    files = sorted(THEOREMS.glob("python/tasks/*.toml"))
    yield Suite("tasks", ("code", "--json", "-q", "--no-prosecutor"), tuple(files))
    for replies in sorted((ROOT / "tests" / "model_loop" / "recordings").glob("*.jsonl")):
        replay = ("--symbolic-queries", "12", "--replay", str(replies))
        yield prove(f"recorded-{replies.stem}", 60, replies.parent.parent.glob(f"{replies.stem}.*"), *replay)
    if data is not None:
        yield prove("development", 5, sorted((data / "induction").rglob("*.smt2")))
        files = sorted(p for p in (data / "logic_programs").glob("*") if p.suffix in (".json", ".smt2"))
        yield Suite("programs", ("ask", "--json", "--verify-timeout", "2000"), tuple(files), "--program")
    for suffix, texts in json.loads((INPUTS / "generated.json").read_text("utf-8")).items():
        some = [texts[n % len(texts)].replace("NUMBER", str(n + 1)) for n in range(certificates)]
        folder = out / "inputs" / suffix[1:]
        files = [_written(folder / f"{n:04}{suffix}", text) for n, text in enumerate(some)]
        yield prove(f"certificates-{suffix[1:]}", 30, files)


def _rows_as_files(data: Path | None, folder: Path) -> Iterator[Path]:
    for row in rows_of(data / "lean_theorems_dev.jsonl") if data is not None else ():
        yield _written(folder / f"{row['id']}.lean", f"{row['preamble']}\n{row['statement']}\n")


def _written(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def record(suite: Suite, out: Path, data: Path | None, limit: int | None) -> None:
    """Ask about the files that are not in the results yet; the rows of a file are written together."""
    done = {row["file"] for row in rows_of(out / RESULTS) if row["suite"] == suite.name}
    names = {str(path): _name(path, data, out) for path in suite.files[:limit]}
    left = [path for path, name in names.items() if name not in done]
    for first in range(0, len(left), TOGETHER):
        some = left[first : first + TOGETHER]
        print(f"{suite.name}: {len(names) - len(left) + first} of {len(names)}", flush=True)
        asked = [part for path in some for part in (suite.flag, path) if part]
        for path, answers in groupby(_asked([*PROGRAM, *suite.command, *asked]), partial(_file_of, some)):
            rows = [_row(suite.name, names[path], path, answer, out) for answer in answers]
            _append(out / RESULTS, rows if all(row["verdict"] for row in rows) else [])  # else it is asked again


def _asked(command: list[str]) -> Iterator[Row]:
    """The JSON objects that a command prints, as they come."""
    with tempfile.TemporaryDirectory() as home:
        env = os.environ | {"GOEDELS_POETRY__HOME": home}
        with subprocess.Popen(command, env=env, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
            yield from map(json.loads, process.stdout or ())


def _file_of(files: list[str], answer: Row) -> str:
    """Which file an answer is about: it has the name of the file, or that and a theorem's."""
    return max(filter(str(answer.get("input") or answer["file"]).startswith, files), key=len)


def _row(suite: str, file: str, path: str, answer: Row, out: Path) -> Row:
    certificate = answer.get("certificate") if suite != "tasks" else None
    return {
        "suite": suite,
        "file": file,
        "item": file + (answer.get("input") or answer["file"]).removeprefix(path),
        "verdict": answer["verdict"],
        "level": answer["trust_level"] or "",
        "answer": answer["answer"] if suite == "programs" else None,
        "seconds": answer.get("seconds") or answer.get("metrics", {}).get("wall_seconds", 0.0),
        "certificate": os.path.relpath(certificate, out) if certificate else None,
    }


def _name(path: Path, data: Path | None, out: Path) -> str:
    """A name that is the same in every copy of the repository, of the data and of the results."""
    place = next(each for each in (data, out, ROOT) if each is not None and path.is_relative_to(each))
    return str(path.relative_to(place))


def benchmarks(out: Path, data: Path | None) -> None:
    """What the benchmarks print, each in a file; how they ended is the verdict."""
    done = {row["file"] for row in rows_of(out / RESULTS)}
    folder = THEOREMS / "smt" if data is None else data / "induction"
    bridge = ["bench_bridge.py", str(folder), "--every", "4" if data is None else "12"]
    for name, *arguments in (["bench_start.py"], ["bench_barrier.py"], bridge):
        if name not in done:
            print(f"benchmarks: {name}", flush=True)
            command, began = [sys.executable, str(ROOT / "scripts" / name), *arguments], time.monotonic()
            ran = subprocess.run(command, check=False, capture_output=True, text=True)
            _written(out / "benchmarks" / f"{name}.txt", ran.stdout + ran.stderr)
            row: Row = {"suite": "benchmarks", "file": name, "item": name, "verdict": f"exit code {ran.returncode}"}
            row |= {"level": "", "answer": None, "seconds": time.monotonic() - began, "certificate": None}
            _append(out / RESULTS, [row])


def rows_of(file: Path) -> list[Row]:
    """The recorded rows; a line without an end is none."""
    lines = file.read_text("utf-8").splitlines() if file.exists() else []
    return [json.loads(line) for line in lines if line.endswith("}")]


def _append(file: Path, rows: list[Row]) -> None:
    with file.open("a", encoding="utf-8") as results:
        results.write("".join(f"\n{json.dumps(row, sort_keys=True)}" for row in rows) + "\n")


def compare(a: Path, b: Path, check: int) -> int:
    """Print what changed from ``a`` to ``b``; returns the exit code."""
    before, after = ({(r["suite"], r["item"]): r for r in rows_of(place / RESULTS)} for place in (a, b))
    kinds = ("lost", "decided otherwise", "lower level", "not accepted any more", "won", "higher level", "slower")
    changes: dict[str, list[str]] = {kind: [] for kind in (*kinds, "missing")}
    for key, old in before.items():
        new = after.get(key)
        kind = "missing" if new is None else _change(old, new)
        shown = [f"{r['verdict']} {r['answer'] or ''} {r['level']} {r['seconds']:.1f} s" for r in (old, new) if r]
        if kind:
            changes[kind].append(f"{key[0]}: {key[1]}: {' -> '.join(' '.join(each.split()) for each in shown)}")
    changes["not accepted any more"] = list(_refused(a, b, check)) if check else []
    for kind, lines in changes.items():
        print(f"{kind}: {len(lines)}", *lines, sep="\n  ")
    for suite in dict.fromkeys(name for name, _ in before):
        both = [key for key in before if key[0] == suite and key in after]
        for which, rows in (("A", [before[key] for key in both]), ("B", [after[key] for key in both])):
            seconds, decided = [row["seconds"] for row in rows], sum(row["verdict"] in DECIDED for row in rows)
            times = f"{sum(seconds):.1f} s, median {median(seconds or [0]):.2f} s"
            print(f"{suite} {which}: {decided} of {len(rows)} decided, {times}")
    return 1 if any(changes[kind] for kind in ("missing", *kinds[:4])) else 0


def _change(old: Row, new: Row) -> str:
    if (old["verdict"], old["answer"]) != (new["verdict"], new["answer"]):
        if old["verdict"] not in DECIDED:
            return "won" if new["verdict"] in DECIDED else ""
        return "decided otherwise" if new["verdict"] in DECIDED else "lost"
    if old["level"] != new["level"]:
        return "lower level" if new["level"] < old["level"] else "higher level"
    return "slower" if new["seconds"] > SLOWER * old["seconds"] + 1 else ""


def _refused(a: Path, b: Path, most: int) -> Iterator[str]:
    """Certificates that the program does not accept any more, of the first of each suite of A."""
    checked = {row["certificate"]: row["exit_code"] for row in rows_of(b / CHECKED)}
    kept = sorted((row for row in rows_of(a / RESULTS) if row["certificate"]), key=lambda row: str(row["suite"]))
    for _, group in groupby(kept, lambda row: row["suite"]):
        for row in list(group)[:most]:
            name = row["certificate"]
            if name not in checked:
                ran = subprocess.run([*PROGRAM, "check", str(a / name)], check=False, capture_output=True, cwd=ROOT)
                checked[name] = ran.returncode
                _append(b / CHECKED, [{"certificate": name, "exit_code": ran.returncode}])
            if checked[name] != DECIDED[row["verdict"]]:
                yield f"{name}: {row['verdict']}, exit code {checked[name]}"


def main(arguments: list[str]) -> int:
    """The command line; returns the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    if arguments[:1] == ["compare"]:
        for name in "ab":
            parser.add_argument(name, type=Path)
        parser.add_argument("--check", type=int, default=0, metavar="N")
        given = parser.parse_args(arguments[1:])
        if not all((place / RESULTS).exists() for place in (given.a, given.b)):
            parser.error(f"there are no results in {given.a} or in {given.b}")
        return compare(given.a.resolve(), given.b.resolve(), given.check)
    parser.add_argument("--out", type=Path, required=True, metavar="DIR")
    parser.add_argument("--data", type=Path, metavar="DIR")
    parser.add_argument("--only", default="", metavar="SUITE,...")
    parser.add_argument("--limit", type=int, metavar="N")
    parser.add_argument("--certificates", type=int, default=500, metavar="N")
    given = parser.parse_args(arguments)
    out, data = given.out.resolve(), given.data.resolve() if given.data else None
    if out.is_relative_to(ROOT):
        parser.error("--out is inside of the repository, where results do not belong")
    if data is not None and not data.is_dir():
        parser.error(f"--data {data}: there is no such folder")
    known = {suite.name: suite for suite in suites(data, out, given.certificates)}
    wanted = given.only.split(",") if given.only else [*known, "benchmarks"]
    if unknown := set(wanted) - {*known, "benchmarks"}:
        parser.error(f"no suite {', '.join(sorted(unknown))}; there are {', '.join(known)}, benchmarks")
    for name in wanted:
        if name in known:
            record(known[name], out, data, given.limit)
        else:
            benchmarks(out, data)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
