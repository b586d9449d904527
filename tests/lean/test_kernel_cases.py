"""Attacks on kernels, and honest oddities: what Lean's kernel and ours say of each.

The cases are in `kernel_cases`: Lean texts whose metaprograms add what nobody has checked, and declarations written as
data where Lean cannot be brought to make them. Some of the faults are in this very Lean; then its kernel accepts, ours
must not.
"""

import asyncio
import json
from collections.abc import Awaitable, Iterable
from copy import deepcopy
from dataclasses import dataclass
from pathlib import Path

import pytest
from changed_families import CHANGED
from honest_terms import HONEST
from lean_streams import Case, Tables, sections, without_records
from lying_records import LIES
from wrong_terms import WRONG as WRONG_TERMS
from wrong_types import WRONG as WRONG_TYPES

from goedels_poetry.lean.gate.compare import TYPECHECKER, second_opinion
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData
from goedels_poetry.lean.runtime.embedded import node_command
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, ReplayRequest

CASES = Path(__file__).parent / "kernel_cases"
OPENING = (CASES / "attacks" / "_opening.lean").read_text()
ATTACKS = {p.stem: p.read_text() for p in sorted((CASES / "attacks").glob("*.lean")) if p.stem != "_opening"}
TEXTS = {p.stem: p.read_text() for p in sorted((CASES / "honest").glob("*.lean"))}
TRUE = Tables()
TRUE.term(("const", "True.intro", ()))
AT_ONCE = 3
SAID = {"accepted": "accept", "refused": "refuse"}


@dataclass
class Found:
    """What the kernels say of one case."""

    name: str
    expected: tuple[str, str]
    lean: str = "unasked"
    second: str = "unasked"
    why: str = ""

    @property
    def fine(self) -> bool:
        lean, second = self.expected
        return self.lean == lean and (self.second == second or (second == "either" and self.second in SAID.values()))


def others(found: Iterable[Found]) -> list[Found]:
    return [f for f in found if not f.fine]


_exports: dict[str, CheckResult] = {}
_libraries: dict[tuple[str, tuple[str, ...]], str] = {}


async def export_of(lean: LeanPool, name: str) -> CheckResult:
    """Of an honest text, elaborated once."""
    if name not in _exports:
        _exports[name] = await lean.check(CheckRequest(TEXTS[name], export=True))
    return _exports[name]


async def by_lean(lean: LeanPool, stream: str, modules: tuple[str, ...]) -> str:
    done = await lean.replay(ReplayRequest(modules, stream))
    if done.status == "timeout":
        return "undecided"
    return "refuse" if done.status == "crash" or done.failed else "accept"


async def library_of(lean: LeanPool, stream: str, modules: tuple[str, ...]) -> str:
    """What the stream speaks of and the library has; a stream that cannot be read is about `True`."""
    try:
        bare = without_records(stream)
        read(bare)
    except (BadData, ValueError, TypeError, AttributeError):
        bare = TRUE.stream()
    if (bare, modules) not in _libraries:
        done = await lean.replay(ReplayRequest(modules, bare, library=True))
        assert done.status == "done", done
        _libraries[bare, modules] = done.library
    return _libraries[bare, modules]


async def by_ours(library: str, stream: str, found: Found) -> None:
    opinion = await second_opinion(node_command(), library, stream, (), 30.0)
    found.second, found.why = SAID.get(opinion.verdict, opinion.verdict), opinion.reason


async def each_by_ours(library: str, stream: str) -> list[tuple[str, str]]:
    """Every declaration by itself, in one process."""
    rights = ("--permission", "--allow-worker", f"--allow-fs-read={TYPECHECKER}")
    command = [*node_command(), *rights, str(TYPECHECKER / "main.cjs"), json.dumps({"mode": "each"})]
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, stderr=asyncio.subprocess.DEVNULL)
    out, _ = await process.communicate(sections(library, stream).encode())
    answer = json.loads(out)
    assert answer["verdict"] == "done", answer
    return [(SAID.get(e["verdict"], e["verdict"]), e["reason"]) for e in answer["each"]]


async def judged_alone(lean: LeanPool, case: Case, stream: str) -> Found:
    found = Found(case.name, (case.lean, case.second))
    if case.lean != "unasked":
        found.lean = await by_lean(lean, stream, case.modules)
    if case.second != "unasked":
        await by_ours(await library_of(lean, stream, case.modules), stream, found)
    return found


async def in_turn(judging: Iterable[Awaitable[Found]]) -> list[Found]:
    """As many at once as there are processors for."""
    turn = asyncio.Semaphore(AT_ONCE)

    async def one(judge: Awaitable[Found]) -> Found:
        async with turn:
            return await judge

    return await asyncio.gather(*(one(j) for j in judging))


async def judged_together(lean: LeanPool, cases: list[Case], stream: str) -> list[Found]:
    """A stream with one declaration for every case, each judged by itself."""
    found = [Found(c.name, (c.lean, c.second)) for c in cases]
    library = await library_of(lean, stream, ("Init",))
    done, said = await asyncio.gather(
        lean.replay(ReplayRequest(("Init",), stream, each=True)), each_by_ours(library, stream)
    )
    assert len(said) == len(done.each) == len(found)
    for f, (_, refused), (second, why) in zip(found, done.each, said, strict=True):
        f.lean = "undecided" if refused is None else "refuse" if refused else "accept"
        f.second, f.why = second, why
    return found


async def judged(lean: LeanPool, cases: list[Case]) -> list[Found]:
    """Cases of one declaration are judged together, each of it by itself; others one by one."""
    together, singles, shared = [], [], Tables()
    for case in cases:
        own = Tables()
        single = not case.alone and case.write(own) is None and len(own.records) == 1
        if single:
            case.write(shared)
        (together if single else singles).append(case)
    found = await judged_together(lean, together, shared.stream()) if together else []
    return found + await in_turn(judged_alone(lean, c, c.stream()) for c in singles)


@pytest.mark.parametrize("cases", [WRONG_TERMS.cases, WRONG_TYPES.cases], ids=["terms", "types"])
async def test_what_is_wrong_is_refused_by_both_kernels_but_for_the_faults_of_this_lean(
    lean: LeanPool, cases: list[Case]
) -> None:
    assert len({c.name for c in cases}) == len(cases)
    assert others(await judged(lean, cases)) == []


async def test_records_that_lie_are_refused_by_our_kernel_and_streams_that_are_none_by_all(lean: LeanPool) -> None:
    assert others(await judged(lean, LIES.cases)) == []


@pytest.mark.parametrize(
    "case", [c for c in (*LIES.cases, *WRONG_TERMS.cases) if c.lean == "unasked"], ids=lambda c: c.name
)
def test_what_lean_is_never_asked_is_refused_by_the_reader(case: Case) -> None:
    with pytest.raises(BadData):
        read(case.stream())


@pytest.mark.whole("test_honest_texts_are_accepted_by_both_kernels")
async def test_what_is_honest_is_accepted_by_both_kernels(lean: LeanPool) -> None:
    assert others(await judged(lean, HONEST.cases)) == []


async def test_families_that_are_changed_in_one_thing_are_refused_unless_it_means_nothing(lean: LeanPool) -> None:
    export = (await export_of(lean, "types")).data
    assert export is not None

    tables = Tables.read(export)
    families = {c.name: c.name.split("_")[0] for c in CHANGED.cases}
    tables.keep(families.values())
    records = {family: tables.record(family) for family in families.values()}
    tables.records = []
    for case in CHANGED.cases:
        tables.records.append(("inductive", deepcopy(records[families[case.name]])))
        case.write(tables)
    assert others(await judged_together(lean, CHANGED.cases, tables.stream())) == []


async def test_honest_texts_are_accepted_by_both_kernels(lean: LeanPool) -> None:
    async def judge(name: str) -> Found:
        done = await export_of(lean, name)
        assert done.ok and done.data is not None, done.errors
        tables = Tables.read(done.data)
        # Lean compiles with definitions of its own, which no theorem can speak of.
        safe = [(kind, d) for kind, d in tables.records if d.get("safety", "safe") == "safe"]
        tables.keep(n for kind, d in safe for n in tables.declared(kind, d))
        stream = tables.stream()
        replayed = await lean.replay(ReplayRequest(done.imports, stream, library=True))
        assert (replayed.failed, replayed.count) == ("", len(safe))
        found = Found(name, ("accept", "accept"), "accept")
        await by_ours(replayed.library, stream, found)
        return found

    assert others(await in_turn(judge(name) for name in TEXTS)) == []


def heading(name: str, text: str) -> tuple[Case, list[str]]:
    """The comment that begins a text: what it probes; then what the kernels say, and of which constants."""
    lines = text.split("\n")
    at = next(i for i, line in enumerate(lines) if line.startswith("-- lean:"))
    said = dict(part.split(": ") for part in lines[at].removeprefix("-- ").split(", "))
    fault = " ".join(line.removeprefix("-- ") for line in lines[:at])
    return Case(name, fault, said["lean"], said["second"], lambda t: None), said["of"].split()


async def test_what_a_metaprogram_declares_is_judged_by_its_data(lean: LeanPool) -> None:
    async def judge(name: str) -> Found:
        case, names = heading(name, ATTACKS[name])
        done = await lean.check(CheckRequest(ATTACKS[name], prefix=OPENING, export=True))
        found = Found(name, (case.lean, case.second), why=done.error)
        if done.data is None:
            # What cannot be said in the format is no declaration.
            found.lean = found.second = "refuse" if done.error else "no answer"
            return found
        assert done.ok, (name, done.errors)
        tables = Tables.read(done.data)
        tables.keep(names)
        assert set(names) <= {n for kind, d in tables.records for n in tables.declared(kind, d)}, name
        stream = tables.stream()
        found.lean = await by_lean(lean, stream, done.imports)
        await by_ours(await library_of(lean, stream, done.imports), stream, found)
        return found

    assert others(await in_turn(judge(name) for name in ATTACKS)) == []
