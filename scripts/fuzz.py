#!/usr/bin/env python3
"""All fuzzers for so many minutes: the readers of untrusted text, and the fuzzers of truth, certificates and kernels.

    python scripts/fuzz.py --minutes 30 [--corpus fuzz_corpus] [--only smt,reply,truth] [--lean]

Half of the time goes to the readers: SMT-LIB as theorem and as logic program, the JSON logic language, replies of
models (their JSON, their blocks, their Lean), Lean's messages, Lean and Python source, and the JSON of certificates.
Inputs are changed at random, and those that reach lines in an order that none before has reached are kept in the
corpus, from which the next run goes on (coverage-guided, as in AFL: M. Zalewski). A reader may refuse a text in its own
words. Anything else that it raises is a finding, and so is more than 10 s of processor time (a minute of
waiting) or 2 GB for one text.

The other half goes to the other scripts of this folder, each with a seed that no earlier run on this corpus has had;
what they call a finding (exit code 1) is one. ``--lean`` takes in those that need the embedded Lean.

Findings are written below the corpus, to ``findings/``, one for each place in the program. Exit code: 1 when there is
one, 74 where the corpus cannot be written, 130 after Ctrl-C or TERM.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import math
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
PACKAGE = str(ROOT / "goedels_poetry") + os.sep
sys.path[:0] = [str(ROOT)]  # what is fuzzed is this checkout, not an installed copy: coverage counts its lines
SLOWEST = 10.0
"""Seconds of processor time for one text: other work on the machine is no finding."""
LONGEST_WAIT = 6
"""So many times as long may pass on the clock."""
MOST_MEMORY = 2_000_000_000
UNWRITTEN = 100
"""Exit code of a reader that cannot write its corpus, less the number of the system's error."""
LONGEST = 20_000
"""Bytes of one text."""
TOO_SLOW = "it took longer than {:g} s"
FIRST_THEOREM = ROOT / "theorems" / "smt" / "reverse_twice.smt2"


@dataclass(frozen=True)
class Target:
    """A reader."""

    name: str
    load: Callable[[], tuple[Callable[[bytes], object], tuple[type[Exception], ...]]]
    """Gives the reader and what it may raise; called in the process that runs it."""
    seeds: Callable[[], list[bytes]]
    words: tuple[str, ...] = ()
    """Pieces of its language."""


def text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _smt() -> Any:
    from goedels_poetry.errors import GoedelsPoetryError
    from goedels_poetry.smt.notation.text import parse_problem

    return parse_problem, (GoedelsPoetryError,)


def _smt_program() -> Any:
    from goedels_poetry.errors import GoedelsPoetryError
    from goedels_poetry.questions.program.smt2 import read_smt2

    return read_smt2, (GoedelsPoetryError,)


def _json_program() -> Any:
    from goedels_poetry.errors import GoedelsPoetryError
    from goedels_poetry.questions.json.reader import read_json

    return read_json, (GoedelsPoetryError,)


def _reply() -> Any:
    from goedels_poetry.models.replies import UnusableReply, blocks, code, parse_json_reply, text_of, without_thinking
    from goedels_poetry.smt.language import PROOF_SCHEMA, SKETCH_SCHEMA

    def read(data: bytes) -> None:
        reply = without_thinking(text(data))
        blocks(reply)
        code(reply, ("smt2", "lean"))
        text_of([{"type": "text", "text": reply}, reply])
        for schema in (PROOF_SCHEMA, SKETCH_SCHEMA):
            try:
                parse_json_reply(reply, schema)
            except UnusableReply:
                continue

    return read, (UnusableReply,)


def _lean_reply() -> Any:
    from goedels_poetry.lean.refute import Unreadable, claim_in
    from goedels_poetry.lean.replies import lean_text
    from goedels_poetry.lean.text.scan import scan

    def read(data: bytes) -> None:
        claim_in(text(data))
        scan(lean_text(text(data)) or text(data))

    return read, (Unreadable,)


def _lean_messages() -> Any:
    from goedels_poetry.lean.errors.classify import ErrorClassifier

    def read(data: bytes) -> None:
        said, _, code = text(data).partition("\0")
        ErrorClassifier().classify_errors(said, code, warnings=True)

    return read, ()


def _certificate() -> Any:
    from goedels_poetry.errors import GoedelsPoetryError
    from goedels_poetry.kernel.faults import BadProof
    from goedels_poetry.kernel.reading.certificate import CodecError, derivation_from_json
    from goedels_poetry.smt.notation.text import parse_problem

    signature = parse_problem(FIRST_THEOREM.read_bytes()).signature

    def read(data: bytes) -> None:
        try:
            value = json.loads(data)
        except (ValueError, RecursionError):
            return
        derivation_from_json(value, signature)

    return read, (CodecError, BadProof, GoedelsPoetryError)


def _manifest() -> Any:
    from goedels_poetry.checker.certificate.archive import BadCertificate, canonical, read_canonical, read_manifest
    from goedels_poetry.checker.certificate.writing import sealed

    def read(data: bytes) -> None:
        value = read_canonical(data, "manifest")
        body = {k: v for k, v in value.items() if k != "manifest_sha256"} if isinstance(value, dict) else {}
        read_manifest(canonical(sealed(body)), schema=1, language="smt", keys=frozenset(body))

    return read, (BadCertificate,)


def _python() -> Any:
    from goedels_poetry.python.translate.contracts import PythonFault
    from goedels_poetry.python.translate.program import read_program

    return lambda data: read_program(text(data)), (PythonFault,)


def files(*patterns: str) -> Callable[[], list[bytes]]:
    return lambda: [path.read_bytes() for pattern in patterns for path in sorted((ROOT / "theorems").glob(pattern))]


def replies() -> list[bytes]:
    """The examples in the prompts and documents, as a model would write them."""
    found = [path.read_bytes()[:LONGEST] for path in sorted((ROOT / "data" / "prompts").glob("*.md"))[:12]]
    reply = {"instances": [{"of": "premise", "name": "rule", "at": ["10", "(f 1)"]}]}
    sketch = {"why": "x", "lemmas": [{"statement": "(= 1 1)", "uses": [0]}], "induction": {"on": ["n"], "from": "0"}}
    return [*found, json.dumps(reply).encode(), f"<think>no</think>```json\n{json.dumps(sketch)}\n```".encode()]


def proved(name: str) -> list[bytes]:
    """What a file of a proof looks like on disk."""
    with Proved() as folder:
        return [path.read_bytes() for path in folder.rglob(name)]


class Proved:
    """A folder with a certificate of the first theorem."""

    def __enter__(self) -> Path:
        self._folder = tempfile.TemporaryDirectory()
        out = Path(self._folder.name)
        command = [sys.executable, "-m", "goedels_poetry", "prove", str(FIRST_THEOREM), "--out", str(out / "out"), "-q"]
        environment = {**os.environ, "GOEDELS_POETRY__HOME": str(out / "home"), "PYTHONPATH": str(ROOT)}
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
        return out / "out"

    def __exit__(self, *error: object) -> None:
        self._folder.cleanup()


SMT_WORDS = ("(assert ", "(define-fun-rec ", "(declare-datatypes ", "(forall ((x Int)) ", "(match ", "(let ((", "(! ",
             ":named", "(_ BitVec 8)", "(prove ", "#b0", "|", "(as ", "(check-sat)", "1.5", "(par (a) ")  # fmt: skip
JSON_WORDS = ('{"', '":', "[]", "null", "1e999", "\\u0000", '"sorts"', '"functions"', '"rules"', '"forall"', "-0", ",,")
LEAN_WORDS = ("theorem ", ":= by", "/-", "-/", "--", "`", "«", "»", 's!"{', "namespace ", "end ", "open ", "#eval ",
              "set_option ", "macro ", "import ", "r#\"", "'a'", "error: ", "1:2: ")  # fmt: skip
PYTHON_WORDS = ("def f(x: int) -> int:\n", "    return ", "while ", "for i in range(", "assert ", "[", "lambda", "if ")
LEAN_SAID = b"a.lean:1:2: error: unknown identifier 'x'\nb.lean:3:4: warning: unused\n\0theorem a : x := by simp"

TARGETS = (
    Target("smt", _smt, files("smt/*.smt2"), SMT_WORDS),
    Target("smt-program", _smt_program, files("questions/*.smt2", "smt/*.smt2"), SMT_WORDS),
    Target("json-program", _json_program, files("json_logic/*.json", "questions/*.json"), JSON_WORDS),
    Target("reply", _reply, replies, (*JSON_WORDS, "```json\n", "```", "<think>", "</think>")),
    Target("lean-reply", _lean_reply, files("lean/*.lean"), (*LEAN_WORDS, "```lean\n", "```", '{"refuted": ')),
    Target("lean-messages", _lean_messages, lambda: [LEAN_SAID], (*LEAN_WORDS, *JSON_WORDS, "unsolved goals\n")),
    Target("certificate", _certificate, lambda: proved("derivation.json"), JSON_WORDS),
    Target("manifest", _manifest, lambda: proved("manifest.json"), JSON_WORDS),
    Target("python", _python, files("python/*.py"), PYTHON_WORDS),
)
OTHERS: dict[str, tuple[str, ...]] = {
    "truth": ("fuzz_truth.py", "--count", "40"),
    "refutations": ("fuzz_refutations.py", "--count", "40"),
    "certificates": ("fuzz_certificates.py", "--count", "20", "--each", "3"),
    "definitions": ("fuzz_definitions.py", "FOLDER", "--count", "60"),
    "translation": ("fuzz_translation.py", "--programs", "150"),
    "attacks": ("attack_python.py", "--programs", "2000"),
}
WITH_LEAN: dict[str, tuple[str, ...]] = {
    "bridge": ("fuzz_bridge.py", "--count", "10"),
    "kernels": ("fuzz_kernels.py", "--count", "500"),
}
"""One round of each."""


# -- one reader, in a process of its own -----------------------------------------------------------------------
class Coverage:
    """Pairs of lines that followed each other in the package: how a text was read."""

    def __init__(self) -> None:
        self.seen: set[int] = set()
        self._now: set[int] = set()
        self._last = 0

    def of(self, run: Callable[[], object]) -> bool:
        """Run; whether it went where nothing went before, however it ended."""
        self._now, self._last = set(), 0
        sys.settrace(self._enter)
        try:
            run()
        finally:
            sys.settrace(None)
            new = not self._now <= self.seen
            self.seen |= self._now
            self.new = new
        return new

    def _enter(self, frame: FrameType, event: str, argument: object) -> Any:
        return self._line if frame.f_code.co_filename.startswith(PACKAGE) else None

    def _line(self, frame: FrameType, event: str, argument: object) -> Any:
        here = hash((frame.f_code, frame.f_lineno)) & 0xFFFFFFFF
        self._now.add((here ^ (self._last >> 1)) & 0xFFFFFF)
        self._last = here
        return self._line


def mutated(chance: random.Random, corpus: list[bytes], words: tuple[str, ...]) -> bytes:
    """A text of the corpus, changed in a few places: bytes, words, stretches doubled, dropped, or of another text."""
    data = bytearray(chance.choice(corpus))
    for _ in range(1 << chance.randrange(5)):
        at = chance.randrange(len(data) + 1)
        length = min(1 << chance.randrange(9), len(data) - at)
        match chance.randrange(8):
            case 0 if data:
                data[min(at, len(data) - 1)] ^= 1 << chance.randrange(8)
            case 1:
                del data[at : at + length]
            case 2:
                data[at:at] = data[at : at + length] * chance.choice((1, 2, 30))
            case 3 if words:
                data[at:at] = chance.choice(words).encode()
            case 4:
                other = chance.choice(corpus)
                begin = chance.randrange(len(other) + 1)
                data[at : at + length] = other[begin : begin + length]
            case 5:
                data[at:at] = chance.choice((b"(", b")", b"[", b"]", b"{", b"}", b'"', b"\\", b"\0", b"\xff", b"\n"))
            case 6:
                data[at:at] = str(chance.choice((0, -1, 1 << 64, 10**40, 0.5))).encode()
            case _:
                data[at:at] = chance.choice(("é", "∀", "\u202e", "\ud800", "𝔸")).encode("utf-8", "surrogatepass")
    return bytes(data[:LONGEST])


def work(target: Target, folder: Path, seconds: float, seed: int, texts: float = math.inf) -> None:
    """Read the corpus, then changed texts for so many seconds, or so many of them; the text under way is in a file."""
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    warnings.simplefilter("ignore")  # of Python about the Python that it parses
    read, refusals = target.load()
    chance, coverage = random.Random(seed), Coverage()
    under_way = folder / "under_way"
    corpus: list[bytes] = []
    count = 0

    def attempt(data: bytes) -> bool:
        nonlocal count
        count += 1
        under_way.write_bytes(data)
        signal.setitimer(signal.ITIMER_PROF, SLOWEST)  # nobody handles it: it ends the process, wherever that is stuck
        try:
            return coverage.of(lambda: read(data))
        except refusals:
            return coverage.new
        except Exception as problem:  # noqa: BLE001  whatever else it raises is what is looked for
            found(folder, data, f"{type(problem).__name__}: {problem}"[:500], place_of(problem))
            return coverage.new

    for path in sorted(folder.glob("text-*")):
        data = path.read_bytes()
        attempt(data)
        corpus.append(data)
    for data in target.seeds():
        data = data[:LONGEST]
        attempt(data)
        corpus.append(data)
    until, last = time.monotonic() + seconds, count + texts
    while time.monotonic() < until and count < last:
        data = mutated(chance, corpus or [b""], target.words)
        if attempt(data):
            corpus.append(data)
            under_way.replace(folder / f"text-{hashlib.sha256(data).hexdigest()[:16]}")  # whole, or not there
    under_way.unlink(missing_ok=True)
    print(f"{target.name}: {count} texts, {len(corpus)} in the corpus, {len(coverage.seen)} pairs of lines", flush=True)


def place_of(problem: BaseException) -> str:
    """Where in the package it was raised, or else wherever."""
    every = traceback.extract_tb(problem.__traceback__)
    frames = [frame for frame in every if frame.filename.startswith(PACKAGE)] or every
    return f"{frames[-1].filename.removeprefix(PACKAGE)}:{frames[-1].lineno}" if frames else ""


def found(folder: Path, data: bytes, why: str, place: str = "") -> None:
    """Keep a finding: the text, and beside it why; of several at one place in the program the first."""
    kept = folder.parent / "findings"
    kept.mkdir(exist_ok=True)
    kind = f"{why.partition(':')[0]} at {place}" if place else why
    name = f"{folder.name}-{hashlib.sha256(kind.encode()).hexdigest()[:12]}"
    if not (kept / f"{name}.why").exists():
        (kept / name).write_bytes(data)
        (kept / f"{name}.why").write_text(f"{why}\n{place}\n", "utf-8", errors="replace")
        print(f"FINDING {kept / name}: {why} {place}", flush=True)


def watched(target: Target, folder: Path, seconds: float, seed: int, texts: float = math.inf) -> None:
    """A reader at work; one that is stuck on a text is ended, and begins anew with the time that is left."""
    folder.mkdir(parents=True, exist_ok=True)
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        child = os.fork()
        if not child:
            signal.signal(signal.SIGINT, signal.SIG_IGN)  # who has begun it ends it
            code = 1
            try:
                work(target, folder, left, seed, texts)
                code = 0
            except OSError as problem:  # of the corpus: what the reader raises is a finding
                code = UNWRITTEN + (problem.errno or 0)
            finally:
                os._exit(code)
        try:
            ended, why = _wait(child, folder / "under_way", until)
        except KeyboardInterrupt:
            os.kill(child, signal.SIGKILL)
            raise
        if ended:
            return
        found(folder, (folder / "under_way").read_bytes() if (folder / "under_way").exists() else b"", why)
        seed += 1


def _wait(child: int, under_way: Path, until: float) -> tuple[bool, str]:
    """Whether it came to its end, and what became of it else."""
    while True:
        pid, status = os.waitpid(child, os.WNOHANG)
        if pid:
            code = os.waitstatus_to_exitcode(status)
            if code >= UNWRITTEN:
                raise OSError(code - UNWRITTEN, os.strerror(code - UNWRITTEN), str(under_way.parent))
            slow = code == -signal.SIGPROF
            return code == 0, TOO_SLOW.format(SLOWEST) if slow else f"the process ended with {code}"
        try:
            age = time.time() - under_way.stat().st_mtime
        except FileNotFoundError:
            age = 0.0
        waited = age > SLOWEST * LONGEST_WAIT
        if waited or time.monotonic() > until + 60:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return not waited, TOO_SLOW.format(SLOWEST * LONGEST_WAIT)
        time.sleep(0.1)


# -- the other scripts -----------------------------------------------------------------------------------------
def rounds(name: str, arguments: tuple[str, ...], corpus: Path, seconds: float, certificates: Path) -> None:
    """Rounds of a script until its time is over, each with the next seed."""
    seeds = corpus / "seeds.json"
    known: dict[str, int] = json.loads(seeds.read_text("utf-8")) if seeds.exists() else {}
    until, done = time.monotonic() + seconds, 0
    script, *rest = [str(certificates) if argument == "FOLDER" else argument for argument in arguments]
    while time.monotonic() < until:
        seed = known[name] = known.get(name, 1000) + 1
        seeds.with_suffix(".new").write_text(json.dumps(known), "utf-8")
        seeds.with_suffix(".new").replace(seeds)
        command = [sys.executable, str(HERE / script), *rest, "--seed", str(seed)]
        code, said = ended(command, max(30.0, until - time.monotonic()))
        if code is None:
            break  # its time is over; only a round that ended says something
        if code:
            found(corpus / name, said, f"{' '.join(command[1:])}: exit code {code}")
        done += 1
    print(f"{name}: {done} rounds, the last with the seed {known.get(name)}", flush=True)


def ended(command: list[str], seconds: float) -> tuple[int | None, bytes]:
    """Exit code and output of a command; None when it had to be ended, with all that it had started."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}
    with subprocess.Popen(command, env=environment, start_new_session=True, **out) as run:
        try:
            said, _ = run.communicate(timeout=seconds)
        except (subprocess.TimeoutExpired, KeyboardInterrupt) as problem:
            os.killpg(run.pid, signal.SIGKILL)
            if isinstance(problem, KeyboardInterrupt):
                raise
            return None, b""
    return run.returncode, said


def plan(only: str, lean: bool) -> Iterator[str]:
    """Names of what is run."""
    names = [target.name for target in TARGETS] + list(OTHERS) + (list(WITH_LEAN) if lean else [])
    chosen = [name for name in only.split(",") if name]
    for name in chosen:
        if name not in (*names, *WITH_LEAN):
            raise SystemExit(f"there is no fuzzer {name!r}; there are {', '.join((*names, *WITH_LEAN))}")
    yield from chosen or names


def main() -> int:
    """Run; the exit code. Whatever ends it early leaves the corpus whole, and the next run goes on from it."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return run()
    except KeyboardInterrupt:
        print("interrupted; the corpus is kept, and the same command goes on from it", file=sys.stderr)
        return 130
    except OSError as problem:
        print(
            f"{problem.filename}: {problem.strerror}; the corpus is kept: name another place (--corpus)",
            file=sys.stderr,
        )
        return 74


def run() -> int:
    """Every fuzzer that is asked for; 1 where there are findings."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=30.0)
    parser.add_argument("--texts", type=float, default=math.inf, help="of each reader at most, however many minutes")
    parser.add_argument("--corpus", type=Path, default=Path("fuzz_corpus"))
    parser.add_argument("--only", default="", help="names with commas between them")
    parser.add_argument("--lean", action="store_true")
    parser.add_argument("--seed", type=int, default=None, help="of the changes; default: another one each time")
    given = parser.parse_args()
    names = list(plan(given.only, given.lean))
    readers = [target for target in TARGETS if target.name in names]
    scripts = {name: way for name, way in (OTHERS | WITH_LEAN).items() if name in names}
    corpus: Path = given.corpus.resolve()
    corpus.mkdir(parents=True, exist_ok=True)
    seed = given.seed if given.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}, corpus {corpus}", flush=True)
    seconds = given.minutes * 60
    share = 1.0 if not scripts else 0.0 if not readers else 0.5
    for target in readers:
        watched(target, corpus / target.name, seconds * share / len(readers), seed, given.texts)
    if scripts:
        with Proved() as certificates_there:
            for name, way in scripts.items():
                rounds(name, way, corpus, seconds * (1 - share) / len(scripts), certificates_there)
    findings = sorted((corpus / "findings").glob("*.why"))
    print(f"{len(findings)} findings" + (f" in {corpus / 'findings'}" if findings else ""))
    return 1 if findings else 0


if __name__ == "__main__":
    sys.exit(main())
