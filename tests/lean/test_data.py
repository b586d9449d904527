"""Declarations as data: a strict reader, the comparison of two streams, what a theorem needs, and writing it anew."""

import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from goedels_poetry.lean.gate.compare import Comparison, NotAllowed, grounds, needed
from goedels_poetry.lean.gate.data import OWN_TYPE, PROJECTION, features, read
from goedels_poetry.lean.gate.stream import BadData, Clock, render, write

Rows = list[dict[str, Any]]


def names(*parts: str) -> Rows:
    return [{"in": i, "str": {"pre": 0, "str": part}} for i, part in enumerate(parts, 1)]


PROP: Rows = [{"ie": 0, "sort": 0}]
TRUE: Rows = [*names("t", "True"), {"ie": 0, "const": {"name": 2, "us": []}}]
AXIOM = {"axiom": {"name": 1, "levelParams": [], "type": 0, "isUnsafe": False}}


def text(*rows: dict[str, Any]) -> str:
    return "\n".join(json.dumps(row) for row in rows)


def definition(**changed: Any) -> dict[str, Any]:
    given = {"name": 1, "levelParams": [], "type": 0, "value": 0, "hints": "abbrev", "safety": "safe", "all": [1]}
    return {"def": {**given, **changed}}


def test_what_is_read_is_what_was_written() -> None:
    stream = read(text(*TRUE, AXIOM))
    constant, declaration = stream.constants["t"]
    assert (constant.kind, constant.levels, declaration.kind) == ("axiom", (), "axiom")
    assert stream.needs(declaration) == {"True"}
    assert read(write(stream, stream.declarations)).constants.keys() == {"t"}


WRONG: dict[str, list[Any]] = {
    "a free variable": [{"ie": 0, "fvar": 1}],
    "a metavariable": [{"ie": 0, "mvar": 1}],
    "a level with a metavariable": [{"il": 1, "mvar": 1}],
    "an id that is not the next": [{"in": 2, "str": {"pre": 0, "str": "x"}}],
    "an id that is true": [{"in": True, "str": {"pre": 0, "str": "x"}}],
    "an id that is no whole number": ['{"in":1.0,"str":{"pre":0,"str":"x"}}'],
    "a reference to what comes later": [{"ie": 0, "app": {"fn": 0, "arg": 1}}],
    "a reference to below nothing": [*PROP, {"ie": 1, "app": {"fn": -1, "arg": 0}}],
    "an entry too many": [{"ie": 0, "sort": 0, "x": 1}],
    "an entry twice": ['{"ie":0,"ie":0,"sort":0}'],
    "an entry of a record twice": ['{"in":1,"str":{"pre":0,"str":"x","str":"y"}}'],
    "an entry too few": [*PROP, {"ie": 1, "app": {"fn": 0}}],
    "a variable without its binder": [*names("t"), {"ie": 0, "bvar": 0}, AXIOM],
    "a variable without its binder below one": [
        *names("t"),
        {"ie": 0, "bvar": 1},
        {"ie": 1, "lam": {"name": 0, "type": 0, "body": 0, "binderInfo": "default"}},
        {"axiom": {**AXIOM["axiom"], "type": 1}},
    ],
    "a constant without a name": [*PROP, {"axiom": {**AXIOM["axiom"], "name": 0}}],
    "a constant twice": [*names("t"), *PROP, AXIOM, AXIOM],
    "a universe parameter twice": [*names("t", "u"), *PROP, {"axiom": {**AXIOM["axiom"], "levelParams": [2, 2]}}],
    "a lone surrogate": ['{"in":1,"str":{"pre":0,"str":"\\ud800"}}'],
    "a numeral that is none": [{"ie": 0, "natVal": "01"}],
    "a numeral below zero": [{"ie": 0, "natVal": "-1"}],
    "a numeral in other digits": [{"ie": 0, "natVal": "١"}],
    "a numeral without end": [{"ie": 0, "natVal": "1" * 200_000}],
    "an unknown kind of binder": [*PROP, {"ie": 1, "lam": {"name": 0, "type": 0, "body": 0, "binderInfo": "x"}}],
    "an unknown declaration": [{"section": "candidate"}],
    "an unknown safety": [*names("t"), *PROP, definition(safety="sound")],
    "an unknown hint": [*names("t"), *PROP, definition(hints={"regular": -1})],
    "a record that is a list": ["[1]"],
    "no JSON": ["{"],
    "not a number": ['{"ie":0,"bvar":NaN}'],
    "a number without end": ['{"ie":0,"bvar":1e999}'],
    "nesting without end": ["[" * 100_000],
    "terms without end": [*PROP, *({"ie": i + 1, "app": {"fn": i, "arg": 0}} for i in range(60_000))],
    "levels without end": [{"il": i + 1, "succ": i} for i in range(2_000)],
}


@pytest.mark.parametrize("rows", WRONG.values(), ids=WRONG)
def test_anything_but_the_format_is_refused_with_its_line(rows: list[Any]) -> None:
    lines = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
    with pytest.raises(BadData, match="line"):
        read(lines)


def test_reading_ends_in_time() -> None:
    with pytest.raises(TimeoutError):
        read(text(*names(*("x" * 10_000))), until=0.0)


def test_names_that_differ_have_texts_that_differ() -> None:
    parts: list[str | int] = ["a", "a.b", "b", "«a»", "1", 1, "", '"a"', "a b", "«", "a\u2028b", " ", "a\x1cb"]
    assert len({render(part) for part in parts}) == len(parts)
    dotted = read(
        text(*names("a.b"), {"in": 2, "str": {"pre": 0, "str": "a"}}, {"in": 3, "str": {"pre": 2, "str": "b"}})
    )
    assert dotted.names[1:] == ["«a.b»", "a", "a.b"]


def test_ten_thousand_levels_deep_is_no_trouble() -> None:
    deep = [{"ie": i + 1, "app": {"fn": i, "arg": i}} for i in range(10_000)]
    levels = [{"il": i + 1, "succ": i} for i in range(900)]
    sort = {"ie": len(deep) + 1, "sort": len(levels)}
    stream = read(text(*names("t"), *PROP, *deep, *levels, sort, {"axiom": {**AXIOM["axiom"], "type": len(deep)}}))
    assert Comparison(stream, stream).difference(["t"]) == ""
    assert read(write(stream, stream.declarations)).names == ["", "t"]


# ---------------------------------------------------------------- comparison


def constants(**values: str) -> str:
    """Definitions of numerals and theorems `True`, by the names: a digit is a numeral, "thm" a theorem."""
    rows = names("Nat", "True", *values)
    rows += [{"ie": i, "const": {"name": i + 1, "us": []}} for i in (0, 1)]
    count = 2
    for i, value in enumerate(values.values(), 3):
        if value == "thm":
            rows.append({"thm": {"name": i, "levelParams": [], "type": 1, "value": 1, "all": [i]}})
            continue
        at = value
        if value.isdigit():
            rows.append({"ie": count, "natVal": value})
        else:
            rows.append({"ie": count, "const": {"name": 3 + list(values).index(at), "us": []}})
        rows.append(definition(name=i, type=0, value=count, all=[i]))
        count += 1
    return text(*rows)


BEHIND = {"_x": "", "_w": "_x", "y": "_w", "t": "thm"}


@pytest.mark.parametrize(
    ("theirs", "ours", "why"),
    [
        ({"two": "2", "t": "thm"}, {"two": "2", "t": "thm"}, ""),
        ({"two": "2", "t": "thm"}, {"two": "2", "s": "thm", "t": "thm"}, ""),
        ({"two": "2", "t": "thm"}, {"two": "3", "t": "thm"}, "the value of two is another one"),
        ({"two": "2", "t": "thm"}, {"t": "thm"}, "two is missing"),
        ({"two": "2", "t": "thm"}, {"two": "2"}, "t is missing"),
        ({"two": "2", "t": "thm"}, {"two": "2", "t": "7"}, "t is no longer a theorem"),
        ({"two": "2", "s": "thm", "t": "thm"}, {"two": "2", "t": "thm"}, ""),
        ({"s": "thm", "t": "thm"}, {"s": "7", "t": "thm"}, "s is no longer a theorem"),
        ({"_x": "2", "t": "thm"}, {"_x": "3", "t": "thm"}, ""),
        ({"_x": "2", "y": "_x", "t": "thm"}, {"_x": "3", "y": "_x", "t": "thm"}, "the value of y is another one"),
        ({"_x": "2", "y": "_x", "t": "thm"}, {"_z": "2", "y": "_z", "t": "thm"}, ""),
        (
            {"_x": "2", "_w": "_x", "y": "_w", "t": "thm"},
            {"_x": "3", "_w": "_x", "y": "_w", "t": "thm"},
            "the value of y",
        ),
    ],
)
def test_every_constant_of_the_original_is_there_and_the_same(
    theirs: dict[str, str], ours: dict[str, str], why: str
) -> None:
    found = Comparison(read(constants(**theirs)), read(constants(**ours))).difference(["t"])
    assert found.startswith(why)
    assert bool(found) == bool(why)


def test_a_constant_of_the_library_is_not_one_of_the_text() -> None:
    theirs, ours = constants(t="thm"), constants(True_="thm", t="thm").replace('"True_"', '"True"', 1)
    declared = read(ours.replace('"pre": 0, "str": "True_"', '"pre": 0, "str": "True"'))
    assert Comparison(read(theirs), declared).difference(["t"]), "their `True` is the library's, this one is not"


# ---------------------------------------------------------------- what is needed, and what it rests on


def test_only_what_the_theorem_needs_is_taken_in_order() -> None:
    stream = read(constants(a="1", b="a", unused="7", t="b"))
    assert [d.name for d in needed(stream, ["t"], ())] == ["a", "b", "t"]


def other(kind: str, /, **more: Any) -> Callable[[Any], Any]:
    """The definition of a row as a declaration of another kind."""
    kept = ("name", "levelParams", "type", *(("value", "all") if kind == "opaque" else ()))
    return lambda row: {kind: {key: row["def"][key] for key in kept} | more}


@pytest.mark.parametrize(
    ("change", "rule"),
    [
        (other("axiom", isUnsafe=False), "axiom"),
        (lambda row: {"def": row["def"] | {"safety": "unsafe"}}, "unsafe"),
        (lambda row: {"def": row["def"] | {"safety": "partial"}}, "unsafe"),
        (other("opaque", isUnsafe=False), "axiom"),
        (other("assumed", kind="thm"), "axiom"),
        (other("quot", kind="type"), "axiom"),
    ],
)
def test_what_a_proof_may_not_need_is_refused_by_its_kind(change: Callable[[Any], Any], rule: str) -> None:
    rows = [json.loads(line) for line in constants(a="1", t="a").split("\n")]
    at = next(i for i, row in enumerate(rows) if "def" in row)
    rows[at] = change(rows[at])
    with pytest.raises(NotAllowed) as refused:
        needed(read(text(*rows)), ["t"], ())
    assert (refused.value.rule, refused.value.name) == (rule, "a")
    if rule == "axiom" and "def" not in rows[at]:
        assert needed(read(text(*rows)), ["t"], {"a"}), "but the user's own may stand there"


def test_a_circle_is_refused() -> None:
    with pytest.raises(BadData, match="declared after it"):
        needed(read(constants(a="t", t="a")), ["t"], ())


def test_axioms_are_found_below_types_and_values_of_the_library() -> None:
    rows = [*names("Nat", "ax", "Type"), {"ie": 0, "const": {"name": 2, "us": []}}, {"ie": 1, "sort": 0}]
    axiom = {"axiom": {**AXIOM["axiom"], "name": 2, "type": 1}}
    library = read(text(*rows, axiom, definition(name=1, type=1, value=0, all=[1])))
    own = read(constants(t="1"))
    assert grounds(["t"], own, own.declarations, library).axioms == ("ax",)
    with pytest.raises(BadData, match="declared nowhere"):
        grounds(["t"], own, own.declarations, read(""))


def test_compiled_code_counts_as_an_axiom() -> None:
    dotted = [{"in": 1, "str": {"pre": 0, "str": "Lean"}}, {"in": 2, "str": {"pre": 1, "str": "reduceBool"}}]
    rows = [*dotted, {"in": 3, "str": {"pre": 0, "str": "t"}}, *PROP, {"ie": 1, "const": {"name": 2, "us": []}}]
    stream = read(text(*rows, definition(name=3, type=0, value=1, all=[3])))
    library = read(text(*rows, {"assumed": {"name": 2, "levelParams": [], "type": 0, "kind": "opaque"}}))
    assert grounds(["t"], stream, stream.declarations, library).axioms == ("Lean.reduceBool",)


def test_features_that_kernels_were_at_fault_about_are_seen() -> None:
    sorts = [*PROP, {"il": 1, "succ": 0}, {"ie": 1, "sort": 1}]
    projecting = [*names("S", "t"), *sorts, {"ie": 2, "proj": {"typeName": 1, "idx": 0, "struct": 0}}]
    stream = read(text(*projecting, definition(name=2, type=0, value=2, all=[2])))
    structure = {"name": 1, "levelParams": [], "type": 1, "kind": "def"}
    data, proposition = (read(text(*projecting, {"assumed": structure | {"type": t}})) for t in (1, 0))
    assert features(stream, stream.declarations, data, ()) == {}
    assert features(stream, stream.declarations, proposition, ()) == {PROJECTION: "t"}
    assert features(stream, stream.declarations, read(""), ()) == {PROJECTION: "t"}, "a structure that nobody knows"


def family(sort: int, field: int | None = None, nested: int = 0) -> str:
    """A type `S` in the universe of this sort, with a constructor that may have a field."""
    rows = [
        *names("S", "mk", "F"),
        *({"in": 4 + i, "str": {"pre": 1, "str": n}} for i, n in enumerate(("rec", "rec_1"))),
    ]
    rows += [*PROP, {"il": 1, "succ": 0}, {"ie": 1, "sort": 1}, {"il": 2, "imax": [1, 0]}]
    rows += [{"ie": 2, "sort": 2}, {"ie": 3, "const": {"name": 1, "us": []}}, {"ie": 4, "const": {"name": 3, "us": []}}]
    rows += [{"ie": 5, "app": {"fn": 4, "arg": 3}}]
    if field is not None:
        rows.append({"ie": 6, "forallE": {"name": 0, "type": field, "body": 3, "binderInfo": "default"}})
    facts = {"isRec": True, "isUnsafe": False, "isReflexive": False, "numNested": nested}
    of = {
        "name": 1,
        "levelParams": [],
        "type": sort,
        "all": [1],
        "ctors": [2],
        "numParams": 0,
        "numIndices": 0,
        **facts,
    }
    counts = {"induct": 1, "cidx": 0, "numParams": 0, "numFields": 1, "isUnsafe": False}
    made = {"name": 2, "levelParams": [], "type": 3 if field is None else 6, **counts}
    rule = {"ctor": 2, "nfields": 1, "rhs": 3}
    numbers = {"numParams": 0, "numIndices": 0, "numMotives": 1, "numMinors": 1, "k": False, "isUnsafe": False}
    recs = [
        {"name": 4 + i, "levelParams": [], "type": 1, "all": [1], "rules": [rule], **numbers} for i in range(1 + nested)
    ]
    return text(*rows, {"inductive": {"types": [of], "ctors": [made], "recs": recs}})


def test_a_type_of_the_proofs_own_is_a_feature_and_one_of_the_users_is_none() -> None:
    stream = read(family(1))
    assert features(stream, stream.declarations, read(""), ()) == {OWN_TYPE: "S"}
    assert features(stream, stream.declarations, read(""), {"S"}) == {}


def test_names_do_not_fill_the_memory() -> None:
    long = [
        {"in": 1, "str": {"pre": 0, "str": "x" * 900_000}},
        *({"in": i, "num": {"pre": 1, "i": i}} for i in range(2, 99)),
    ]
    with pytest.raises(BadData, match="characters"):
        read(text(*long))


def test_walks_over_declarations_end_in_time() -> None:
    count, shared = 300, 3_000
    rows = [*names("N"), {"ie": 0, "const": {"name": 1, "us": []}}]
    rows += [{"ie": i, "app": {"fn": i - 1, "arg": 0}} for i in range(1, shared)]
    for i in range(count):
        rows += [{"in": i + 2, "num": {"pre": 0, "i": i}}]
        rows += [definition(name=i + 2, type=shared - 1, value=shared - 1, all=[])]
    stream = read(text(*rows), time.monotonic() + 2)
    stream.clock = Clock(time.monotonic())
    with pytest.raises(TimeoutError):
        needed(stream, list(stream.constants), ())


@pytest.mark.parametrize(
    "change",
    [
        lambda d: d["ctors"].append(d["ctors"][0] | {"name": 3}),
        lambda d: d["ctors"].append(d["ctors"][0] | {"name": 3, "induct": 3}),
        lambda d: d["ctors"].clear(),
        lambda d: d["ctors"][0].update(induct=3),
        lambda d: d["ctors"][0].update(cidx=1),
        lambda d: d["ctors"][0].update(numParams=1),
        lambda d: d["ctors"][0].update(levelParams=[3]),
        lambda d: d["types"][0].update(ctors=[]),
        lambda d: d["types"][0].update(ctors=[2, 2]),
        lambda d: d["types"][0].update(all=[3]),
        lambda d: d["types"][0].update(numNested=1),
        lambda d: d["recs"].clear(),
        lambda d: d["recs"][0].update(name=3),
        lambda d: d["recs"].append(d["recs"][0] | {"name": 3}),
        lambda d: d["recs"][0].update(all=[3]),
    ],
)
def test_a_family_is_its_types_their_constructors_and_their_recursors(change: Callable[[Any], Any]) -> None:
    *rows, last = family(1).split("\n")
    record = json.loads(last)
    change(record["inductive"])
    with pytest.raises(BadData):
        read("\n".join([*rows, json.dumps(record)]))
