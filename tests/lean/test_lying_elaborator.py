"""An elaborator that lies about everything: the data are what somebody who wants in would send, the text is empty.

The original's reading is genuine, and so are the replayer and the second kernel.
"""

import json
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from lean_streams import Level, Tables, Term, app, arrow, const, lam, number, pi, proj, sort

from goedels_poetry.checker.lean.audit import audit_file
from goedels_poetry.checker.lean.certify import PROVED, LeanArchive, check_lean, write_lean
from goedels_poetry.checker.lean.gate import Accepted, Leans, admit
from goedels_poetry.checker.lean.original import Refusal, read_original
from goedels_poetry.checker.lean.verify import FreshLean
from goedels_poetry.lean.gate.compare import Opinion
from goedels_poetry.lean.gate.data import read
from goedels_poetry.lean.gate.stream import BadData
from goedels_poetry.lean.runtime.pool import LeanPool
from goedels_poetry.lean.runtime.protocol import CheckRequest, CheckResult, Command, Message, ReplayRequest

SECONDS = 60.0
END = Command("Lean.Parser.Command.eoi", "", 0, 0, (), "")
NAT, FALSE, TRUE, TRIVIAL, PROP = const("Nat"), const("False"), const("True"), const("True.intro"), sort()
ZERO = number(0)
NO = "theorem t : False := sorry\n"
YES = "theorem t : True := sorry\n"


def equal(a: Term, b: Term) -> Term:
    return app(const("Eq", 1), NAT, a, b)


def same(a: Term) -> Term:
    return app(const("Eq.refl", 1), NAT, a)


class Liar:
    """Says what it was given, whatever it is asked."""

    version = "4.28.0"

    def __init__(self, said: CheckResult) -> None:
        self._said = said

    async def check(self, request: CheckRequest) -> CheckResult:
        return self._said


async def told(
    leans: Leans,
    original: str,
    data: str | Tables,
    imports: tuple[str, ...] = ("Init",),
    theorems: tuple[str, ...] = ("t",),
    negates: str = "",
    messages: tuple[Message, ...] = (),
    gives_up: bool = False,
    seconds: float = SECONDS,
) -> Refusal | Accepted:
    """The gate's verdict on a lie; ``gives_up``: the second kernel has no opinion, as after a large enough numeral."""
    given = await read_original(leans.elaborator, original, SECONDS)
    stream = data if isinstance(data, str) else data.stream()
    liar = Liar(CheckResult("done", data=stream, imports=imports, commands=(END,), messages=messages))
    second = _no_opinion if gives_up else leans.second
    lying = Leans(cast(LeanPool, liar), leans.replayer, second)
    return await admit(lying, "", given, theorems, seconds, negates)


async def _no_opinion(library: str, candidate: str, premises: Any, seconds: float) -> Opinion:
    return Opinion("undecided", "out of time")


async def honest(leans: Leans, text: str) -> list[dict[str, Any]]:
    """The data of a text, to be changed."""
    seen = await leans.elaborator.check(CheckRequest(text, export=True, seconds=SECONDS))
    assert seen.ok, seen.messages
    return [json.loads(line) for line in (seen.data or "").split("\n")]


def lines(rows: list[dict[str, Any]]) -> str:
    return "\n".join(json.dumps(row, ensure_ascii=False) for row in rows)


def one_theorem(type: Term, value: Term, levels: tuple[str, ...] = ()) -> Tables:
    tables = Tables()
    tables.prove("t", type, value, levels)
    return tables


# ---------------------------------------------------------------- imports


def own_gcd() -> Tables:
    """`False` from a `Nat.gcd` that is 0, which Lean's kernel computes as if it were the library's."""
    tables, three = Tables(), number(3)
    gcd = app(const("Nat.gcd"), three, three)
    big = app(const("Nat.pow"), number(16), number(2**24))
    tables.prove("bomb", equal(app(const("Nat.sub"), big, big), ZERO), same(ZERO))
    tables.define("Nat.gcd", arrow(NAT, NAT, NAT), lam("a", NAT, lam("b", NAT, ZERO)))
    is_zero = pi("n", NAT, lambda n: equal(app(const("Nat.gcd"), n, n), ZERO))
    tables.prove("zero", is_zero, lam("n", NAT, same(ZERO)))
    tables.prove("three", equal(gcd, three), same(three))
    back = lam("n", NAT, lambda n: lam("_", equal(gcd, n), equal(n, three)))
    mixed = app(const("Eq.rec", 0, 1), NAT, gcd, back, const("three"), ZERO, app(const("zero"), three))
    positive = lam("_", NAT, lam("_", PROP, FALSE))
    no = lam("n", NAT, lambda n: lam("_", equal(ZERO, n), _by_cases(n, positive)))
    proof = app(const("Eq.rec", 0, 1), NAT, ZERO, no, TRIVIAL, three, mixed)
    tables.prove("t", FALSE, app(lam("_", equal(app(const("Nat.sub"), big, big), ZERO), proof), const("bomb")))
    return tables


def _by_cases(n: Term, positive: Term) -> Term:
    return app(const("Nat.rec", 1), lam("_", NAT, PROP), TRUE, positive, n)


STRANGE_IMPORTS = {
    "one that comments the next one out": ("Init.Prelude\n/-", "Init", "-/"),
    "a line comment": ("Init.Prelude --", "Init"),
    "another line": ("Init\nimport Lean",),
    "two in one": ("Init.Prelude import Init", "Init"),
    "a white space": ("Init", " "),
    "nothing": ("Init", ""),
    "a path": ("Init", "../../etc"),
    "quoted": ("Init", "«Init.Prelude»"),
    "an option": ("all Init", "Init"),
    "a private one": ("Init", "private"),
    "a surrogate": ("Init", "\ud800"),
    "none": (),
    "a part of it": ("Init.Prelude",),
    "one that is not there": ("Init", "Init.NoSuchModule"),
}


@pytest.mark.parametrize("imports", STRANGE_IMPORTS.values(), ids=STRANGE_IMPORTS)
async def test_imports_are_the_originals_and_names_of_modules(leans: Leans, imports: tuple[str, ...]) -> None:
    assert isinstance(await told(leans, NO, own_gcd(), imports), Refusal)


async def test_a_constant_of_the_library_is_not_declared_again(leans: Leans) -> None:
    found = await told(leans, NO, own_gcd())
    assert isinstance(found, Refusal)
    assert (found.rule, "the library's" in found.reason) == ("data", True)


# ---------------------------------------------------------------- what the second kernel is needed for

SEALED = r"""import Lean
open Lean Meta Elab
theorem go : True := by_elab do
  let named := fun n : Name => Expr.const n []
  let types : List InductiveType := [
    { name := `First, type := .sort 0, ctors := [{ name := `First.mk, type := named `First }] },
    { name := `Sealed, type := .sort (.imax 1 0),
      ctors := [{ name := `Sealed.mk, type := .forallE `b (named ``Bool) (named `Sealed) .default }] }]
  let add := fun d => do
    match (← getEnv).addDeclCore 0 d none (doCheck := false) with
    | .ok env => setEnv env
    | .error e => throwError "{e.toMessageData {}}"
  add (.inductDecl [] 0 types false)
  let type : Expr := .sort 0
  add (.defnDecl { name := `Alias, levelParams := [], type, value := named `Sealed, hints := .abbrev, safety := .safe })
  return named ``True.intro
elab "out%" s:term : term => return .proj `Sealed 0 (← Term.elabTerm s none)
theorem Sealed.same (a b : Alias) : a = b := rfl
theorem t : False :=
  have h : (out% (Sealed.mk true)) = (out% (Sealed.mk false)) :=
    congrArg (fun s : Alias => (out% s : Bool)) (Sealed.same (Sealed.mk true) (Sealed.mk false))
  Bool.noConfusion (show true = false from h)
"""


async def test_a_fault_of_lean_is_looked_for_in_the_very_proof_where_the_second_kernel_gives_up(leans: Leans) -> None:
    data = lines(await honest(leans, SEALED))
    found = await told(leans, NO, data, ("Init", "Lean"), gives_up=True)
    assert isinstance(found, Refusal)
    assert found.rule == "version"


async def test_that_a_type_is_nested_is_seen_in_the_type(leans: Leans) -> None:
    text = "inductive Tree | node : List Tree → Tree\ntheorem t : True := (fun (_ : Tree) => trivial) (.node [])\n"
    rows = await honest(leans, text)
    for family in (row["inductive"] for row in rows if "inductive" in row):
        for each in family["types"]:
            each["numNested"] = 0
    found = await told(leans, YES, lines(rows), gives_up=True)
    assert isinstance(found, Refusal)
    assert found.rule in ("data", "version")
    assert isinstance(await told(leans, YES, lines(rows)), Refusal)


# ---------------------------------------------------------------- what stands in the way of the walk


async def _with_a_foreign_constructor(leans: Leans) -> str:
    """A family that claims `Classical.em` for a constructor of somebody else's."""
    text = "inductive Foo | mk\ntheorem t (p : Prop) : p ∨ ¬p := (fun (_ : Foo) => Classical.em p) Foo.mk\n"
    rows = await honest(leans, text)
    names = read(lines(rows)).names
    excluded = names.index("Classical.em")
    theorem = next(r for r in rows if "thm" in r and names[r["thm"]["name"]] == "t")
    family = next(r for r in rows if "inductive" in r)
    constructors = family["inductive"]["ctors"]
    constructors.append({**constructors[0], "name": excluded, "type": theorem["thm"]["type"], "induct": excluded})
    rows.remove(family)
    rows.insert(rows.index(theorem), family)
    return lines(rows)


MIDDLE = "theorem t (p : Prop) : p ∨ ¬p := sorry\n"


async def test_the_second_kernel_sees_a_constructor_of_somebody_elses(leans: Leans) -> None:
    assert isinstance(await told(leans, MIDDLE, await _with_a_foreign_constructor(leans)), Refusal)


async def test_a_family_cannot_hide_a_theorem_of_the_library(leans: Leans) -> None:
    data = await _with_a_foreign_constructor(leans)
    found = await told(leans, MIDDLE, data, gives_up=True)
    assert isinstance(found, Refusal) or found.by_type == 1


async def test_what_nobody_needs_hides_nothing_of_the_library(leans: Leans) -> None:
    original = "theorem t : 7 % 3 = 1 := sorry\n"
    rows = await honest(leans, "theorem t : 7 % 3 = 1 := rfl\n")
    plain = await told(leans, original, lines(rows), gives_up=True)
    assert isinstance(plain, Accepted)
    assert plain.by_type > 0
    done = await leans.replayer.replay(ReplayRequest(("Init",), lines(rows), library=True))
    stream = read(lines(rows))
    mentioned = {n for d in stream.declarations for n in stream.needs(d)}
    names, terms = len(stream.names), len(stream.exprs)
    rows.append({"ie": terms, "sort": 0})
    for name, (_, declaration) in read(done.library).constants.items():
        if declaration.kind != "assumed" or name in mentioned:
            continue
        before = 0
        for part in name.split("."):
            rows.append({"in": names, "str": {"pre": before, "str": part}})
            before, names = names, names + 1
        junk = {"name": before, "levelParams": [], "type": terms, "value": terms, "all": []}
        rows.append({"def": {**junk, "hints": "abbrev", "safety": "safe"}})
    hidden = await told(leans, original, lines(rows), gives_up=True)
    assert isinstance(hidden, Refusal) or hidden.by_type == plain.by_type


# ---------------------------------------------------------------- other statements under the same words

TWINS: dict[str, tuple[tuple[str | int, ...], tuple[str | int, ...]]] = {
    "a dot in a part": (("a", "b"), ("a.b",)),
    "a number": (("a", 1), ("a", "1")),
    "quotes of Lean's": (("a.b",), ("«a.b»",)),
    "quotes of JSON's": (('"a.b"',), ("a.b",)),
    "quotes within": (('a".b',), ("a", '".b')),
    "an empty part": (("a", ""), ("a",)),
    "an empty part before": (("", "a"), ("a",)),
    "a mark of byte order": (("\ufeffa",), ("a",)),
    "a separator": (("a\x1cb",), ("a", "b")),
    "a next line": (("a\x85",), ("a",)),
    "other digits": (("a", "\u0661"), ("a", 1)),
    "a null": (("a\x00b",), ("a\x00c",)),
    "normal forms": (("\u00e9",), ("e\u0301",)),
    "a number in quotes": (("a", "«1»"), ("a", "1")),
}


@pytest.mark.parametrize("pair", TWINS.values(), ids=TWINS)
def test_different_names_are_written_differently(pair: tuple[tuple[str | int, ...], tuple[str | int, ...]]) -> None:
    tables = Tables()
    for name in pair:
        tables.define(name, PROP, TRUE)
    assert len(read(tables.stream()).constants) == 2


def _other_value(tables: Tables) -> None:
    tables.define("P", PROP, TRUE)
    tables.prove("t", const("P"), TRIVIAL)


def _other_name(tables: Tables) -> None:
    tables.define("P", PROP, FALSE)
    tables.define("_P", PROP, TRUE)
    tables.prove("t", const("_P"), TRIVIAL)


def _as_a_constructor(tables: Tables) -> None:
    tables.inductive("Q", sort(1), [("P", const("Q"))])
    tables.prove("t", const("P"), TRIVIAL)


def _as_an_axiom(tables: Tables) -> None:
    tables.assume("P", PROP)
    tables.assume("p", const("P"))
    tables.prove("t", const("P"), const("p"))


def _as_a_family(tables: Tables) -> None:
    tables.inductive("P", PROP, [("P.yes", const("P"))], k=True)
    tables.prove("t", const("P"), const("P.yes"))


def _own_false(tables: Tables) -> None:
    tables.inductive("False", PROP, [("False.yes", FALSE)], k=True)
    tables.define("P", PROP, FALSE)
    tables.prove("t", const("P"), const("False.yes"))


def _in_a_circle(tables: Tables) -> None:
    tables.define("P", PROP, FALSE)
    tables.prove("t", const("P"), const("t"))


@pytest.mark.parametrize(
    "lie",
    [_other_value, _other_name, _as_a_constructor, _as_an_axiom, _as_a_family, _own_false, _in_a_circle],
    ids=lambda lie: lie.__name__.strip("_"),
)
async def test_a_definition_of_the_originals_stays_what_it_is(leans: Leans, lie: Callable[[Tables], None]) -> None:
    tables = Tables()
    lie(tables)
    found = await told(leans, "def P : Prop := False\ntheorem t : P := sorry\n", tables)
    assert isinstance(found, Refusal)
    assert found.rule in ("statement", "data", "kernel")


@pytest.mark.parametrize("value", [TRUE, const("_P")], ids=["another value", "a circle"])
async def test_what_looks_as_if_lean_had_made_it_is_compared_by_what_it_is(leans: Leans, value: Term) -> None:
    tables = Tables()
    tables.define("_P", PROP, value)
    tables.define("_Q", PROP, FALSE)
    tables.prove("t", const("_P"), TRIVIAL)
    assert isinstance(await told(leans, "def _P : Prop := False\ntheorem t : _P := sorry\n", tables), Refusal)


async def test_universe_parameters_keep_their_order(leans: Leans) -> None:
    original = "theorem t.{u, v} (α : Sort u) (β : Sort v) : True := sorry\n"
    type = pi("α", sort("u"), pi("β", sort("v"), TRUE))
    value = lam("α", sort("u"), lam("β", sort("v"), TRIVIAL))
    assert isinstance(await told(leans, original, one_theorem(type, value, ("u", "v"))), Accepted)
    for levels in (("v", "u"), ("u", "v", "w")):
        assert isinstance(await told(leans, original, one_theorem(type, value, levels)), Refusal)


LEVELS: dict[str, Level] = {"more": ("max", "u", 1), "less": 1, "an empty maximum": ("imax", 1, "u")}


@pytest.mark.parametrize("level", LEVELS.values(), ids=LEVELS)
async def test_a_statement_about_other_universes_is_another_one(leans: Leans, level: Level) -> None:
    type, value = pi("α", sort(level), TRUE), lam("α", sort(level), TRIVIAL)
    original = "theorem t.{u} (α : Sort u) : True := sorry\n"
    assert isinstance(await told(leans, original, one_theorem(type, value, ("u",))), Refusal)


async def test_a_refutation_denies_the_theorem_with_the_librarys_not(leans: Leans) -> None:
    tables = Tables()
    tables.define("Not", arrow(PROP, PROP), lam("p", PROP, TRUE))
    tables.prove("w", app(const("Not"), TRUE), TRIVIAL)
    assert isinstance(await told(leans, YES, tables, theorems=("w",), negates="t"), Refusal)
    other = Tables()
    other.prove("w", app(const("Not"), FALSE), lam("h", FALSE, lambda h: h))
    assert isinstance(await told(leans, YES, other, theorems=("w",), negates="t"), Refusal)
    assert isinstance(await told(leans, NO, other, theorems=("w",), negates="t"), Accepted)


# ---------------------------------------------------------------- proofs that are none

NOTHING = lam("p", PROP, lambda p: p)
UNPROVED: dict[str, Term] = {
    "sorry": app(const("sorryAx", 0), FALSE, const("Bool.true")),
    "unchecked": app(const("lcProof"), FALSE),
    "unreachable": app(const("lcUnreachable", 0), FALSE),
    "a cast": app(const("unsafeCast", 0, 0), TRUE, FALSE, TRIVIAL),
    "compiled code": app(const("Lean.ofReduceBool"), const("Bool.true"), const("Bool.true"), TRIVIAL),
    "trusted code": app(const("Lean.trustCompiler"), TRIVIAL),
    "itself": const("t"),
    "nothing": const("nothing"),
    "a projection": proj("Nat", 0, ZERO),
    "another type": TRIVIAL,
    "a proof in quotes": const("«False.elim»", 0),
}


@pytest.mark.parametrize("value", UNPROVED.values(), ids=UNPROVED)
async def test_false_is_not_proved_by(leans: Leans, value: Term) -> None:
    assert isinstance(await told(leans, NO, one_theorem(FALSE, value), gives_up=True), Refusal)


@pytest.mark.parametrize("kind", ["axiom", "opaque", "unsafe", "assumed", "quot"])
async def test_nothing_is_assumed_under_the_name_of_a_premise(leans: Leans, kind: str) -> None:
    tables = Tables()
    if kind in ("axiom", "unsafe"):
        tables.assume("A", FALSE)
        tables.records[-1][1]["isUnsafe"] = kind == "unsafe"
    elif kind == "opaque":
        tables.hide("A", FALSE, const("A"))
    else:
        said = "thm" if kind == "assumed" else "ind"
        tables.records.append((kind, {**tables.head("A", (), FALSE), "kind": said}))
    tables.prove("t", FALSE, const("A"))
    assert isinstance(await told(leans, "axiom A : True\n" + NO, tables, gives_up=True), Refusal)


async def test_an_error_is_an_error_whatever_the_data_say(leans: Leans) -> None:
    data = one_theorem(TRUE, TRIVIAL)
    assert isinstance(await told(leans, YES, data), Accepted)
    found = await told(leans, YES, data, messages=(Message("error", "no"),))
    assert isinstance(found, Refusal)
    assert found.rule == "compile"


# ---------------------------------------------------------------- time and memory


def _shared(size: int) -> str:
    """Lemmas that all mention the same large term."""
    rows: list[dict[str, Any]] = []
    for i, part in enumerate(("True", "intro", "t"), 1):
        rows.append({"in": i, "str": {"pre": 1 if part == "intro" else 0, "str": part}})
    rows += [{"ie": 0, "sort": 0}, {"ie": 1, "const": {"name": 1, "us": []}}, {"ie": 2, "const": {"name": 2, "us": []}}]
    rows += [{"ie": i, "app": {"fn": i - 1, "arg": i - 1}} for i in range(3, size)]
    for i in range(size // 10):
        rows.append({"in": 4 + i, "num": {"pre": 3, "i": i}})
        lemma = {"name": 4 + i, "levelParams": [], "type": 1, "value": size - 1, "all": []}
        rows += [{"thm": lemma}, {"ie": size + 2 * i, "const": {"name": 4 + i, "us": []}}]
        before = size + 2 * i - 1 if i else 2
        rows.append({"ie": size + 2 * i + 1, "app": {"fn": size + 2 * i, "arg": before}})
    last = size + 2 * (size // 10) - 1
    rows.append({"thm": {"name": 3, "levelParams": [], "type": 1, "value": last, "all": []}})
    return lines(rows)


async def test_lemmas_about_one_large_term_end_in_time(leans: Leans) -> None:
    data, began = _shared(20_000), time.monotonic()
    with pytest.raises(TimeoutError):
        await told(leans, YES, data, seconds=1.0)
    assert time.monotonic() - began < 10.0


def _type(name: int, nested: int = 0) -> dict[str, Any]:
    counts = {"numParams": 0, "numIndices": 0, "numNested": nested}
    flags = {"isRec": False, "isUnsafe": False, "isReflexive": False}
    return {"name": name, "levelParams": [], "type": 0, "all": [], "ctors": [], **counts, **flags}


def _family(types: list[dict[str, Any]], constructors: list[dict[str, Any]]) -> dict[str, Any]:
    return {"inductive": {"types": types, "ctors": constructors, "recs": []}}


def test_a_family_takes_no_more_memory_than_its_record() -> None:
    name = {"in": 1, "str": {"pre": 0, "str": "a" * 20_000}}
    data = lines([name, {"ie": 0, "sort": 0}, _family([_type(1, nested=2_000)], [])])
    tracemalloc.start()
    try:
        with pytest.raises(BadData):
            read(data)
        assert tracemalloc.get_traced_memory()[1] < 10_000_000
    finally:
        tracemalloc.stop()


def test_a_family_of_many_types_is_read_in_time() -> None:
    many, head = range(1, 10_001), {"levelParams": [], "type": 0, "numParams": 0, "numFields": 0, "isUnsafe": False}
    rows: list[dict[str, Any]] = [{"in": i, "num": {"pre": 0, "i": i}} for i in many]
    constructors = [{"name": i, "induct": i, "cidx": 0, **head} for i in many]
    rows += [{"ie": 0, "sort": 0}, _family([_type(i) for i in many], constructors)]
    began = time.monotonic()
    with pytest.raises(BadData):
        read(lines(rows))
    assert time.monotonic() - began < 5.0, "types times constructors are half a minute"


async def test_a_long_text_ends_in_time(kept: FreshLean) -> None:
    began = time.monotonic()
    with pytest.raises(TimeoutError):
        await audit_file("theorem t : True := " + "(" * 300_000, YES, fresh=kept, seconds=0.2)
    assert time.monotonic() - began < 10.0


# ---------------------------------------------------------------- certificates


async def test_an_original_that_nobody_has_given_does_not_change_how_it_is_read(
    kept: FreshLean, tmp_path: Path
) -> None:
    twist = 'local notation "False" => True\n'
    original, proof = twist + NO, twist + "theorem t : False := trivial\n"
    archive = LeanArchive(original, proof, PROVED, "t", "", "theorem t : False", {"goedels-poetry": "0", "lean": "4"})
    write_lean(tmp_path / "certificate", archive, {})
    report = await check_lean(tmp_path / "certificate", fresh=kept)
    assert not report.accepted
