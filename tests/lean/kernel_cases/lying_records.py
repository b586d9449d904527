"""Records that say of honest declarations what is not so, and streams that are no streams.

Lean's own kernel is only given types, values and constructors, and makes the rest itself: of what else a record says it
looks at the types of constructors and recursors alone. The second kernel compares everything.
"""

import json
from typing import Any

from lean_streams import Collection, Tables, app, arrow, bvar, const, lam, pi, sort

LIES = Collection()
refuse, case = LIES.refuse, LIES.case

NAT, BOOL, TRUE, FALSE = const("Nat"), const("Bool"), const("True"), const("False")
PROP, TYPE = sort(0), sort(1)
TRIVIAL = const("True.intro")


def honest(t: Tables) -> dict[str, Any]:
    """`inductive Way | stop | on (n : Nat) (rest : Way)`."""
    way = const("Way")
    return t.inductive("Way", TYPE, [("Way.stop", way), ("Way.on", arrow(NAT, way, way))])


def _lie(fault: str, change: Any, lean: str = "accept", alone: bool = False) -> None:
    LIES.add(fault, lambda t: change(t, honest(t)), lean, "refuse", alone=alone)


def _set(part: str, i: int, key: str, value: Any) -> Any:
    def change(t: Tables, d: dict[str, Any]) -> None:
        d[part][i][key] = value

    return change


_lie("A constructor with three fields, it is said.", _set("ctors", 1, "numFields", 3))
_lie("A constructor with one field, it is said.", _set("ctors", 1, "numFields", 1))
_lie("A constructor with -1 fields.", _set("ctors", 1, "numFields", -1), alone=True)
_lie("The number of fields is a string.", _set("ctors", 1, "numFields", "2"), alone=True)
_lie("The number of fields is 2.5.", _set("ctors", 1, "numFields", 2.5), alone=True)
_lie("A constructor with a parameter, it is said.", _set("ctors", 0, "numParams", 1))
_lie("The first constructor is said to be the second.", _set("ctors", 0, "cidx", 1))
_lie("A constructor that is said to make numbers.", lambda t, d: d["ctors"][0].update(induct=t.name("Nat")), "refuse")
_lie("An index, it is said.", _set("types", 0, "numIndices", 1))
_lie("A parameter, it is said.", _set("types", 0, "numParams", 1), "refuse")
_lie("A nested occurrence, it is said.", _set("types", 0, "numNested", 1))
_lie(
    "The type is said not to be recursive: then its values would be equal to their constructors.",
    _set("types", 0, "isRec", False),
)
_lie("The type is said to be reflexive.", _set("types", 0, "isReflexive", True))
_lie("The type is said to be unsafe.", _set("types", 0, "isUnsafe", True))
_lie("A constructor is said to be unsafe.", _set("ctors", 0, "isUnsafe", True))
_lie("The recursor is said to be unsafe.", _set("recs", 0, "isUnsafe", True))
_lie("The family is empty, it is said.", _set("types", 0, "all", []))
_lie("Another type is said to be of the family.", lambda t, d: d["types"][0]["all"].append(t.name("Nat")))
_lie("The type lists one constructor.", lambda t, d: d["types"][0]["ctors"].pop())
_lie("The type lists its constructors the other way round.", lambda t, d: d["types"][0]["ctors"].reverse())
_lie("Two motives, it is said.", _set("recs", 0, "numMotives", 2))
_lie("One minor premise, it is said.", _set("recs", 0, "numMinors", 1))
_lie(
    "The sum of motives and minor premises is right, and each of them wrong (ix 586).",
    lambda t, d: d["recs"][0].update(numMotives=2, numMinors=1),
)
_lie("An index, it is said of the recursor.", _set("recs", 0, "numIndices", 1))
_lie("A parameter, it is said of the recursor.", _set("recs", 0, "numParams", 1))
_lie("The recursor is said to ignore what it recurses on (kernel arena 83).", _set("recs", 0, "k", True))
_lie("Each rule has the other's result.", lambda t, d: _swap(d["recs"][0]["rules"], "rhs"))
_lie("Each rule has the other's constructor.", lambda t, d: _swap(d["recs"][0]["rules"], "ctor"))
_lie("The rules stand in another order.", lambda t, d: d["recs"][0]["rules"].reverse())
_lie("There is no rule for the second constructor.", lambda t, d: d["recs"][0]["rules"].pop())
_lie(
    "There are two rules for the first constructor.",
    lambda t, d: d["recs"][0]["rules"].append(d["recs"][0]["rules"][0]),
)
_lie("The second rule has one field.", lambda t, d: d["recs"][0]["rules"][1].update(nfields=1))
_lie(
    "The recursor is said to be a proof of False.",
    lambda t, d: d["recs"][0].update(type=t.term(FALSE), levelParams=[]),
    "refuse",
)
_lie("The recursor has no levels.", _set("recs", 0, "levelParams", []), "refuse")
_lie("The recursor is called `Way.not_rec`.", lambda t, d: d["recs"][0].update(name=t.name("Way.not_rec")), "refuse")
_lie("There is no recursor.", lambda t, d: d["recs"].clear())
_lie("The recursor stands twice.", lambda t, d: d["recs"].append(d["recs"][0]))
_lie("The second constructor has no record.", lambda t, d: d["ctors"].pop(), "refuse")
_lie("The second constructor stands twice.", lambda t, d: d["ctors"].append(d["ctors"][1]), "refuse")
_lie("The type stands twice.", lambda t, d: d["types"].append(d["types"][0]), "refuse")
_lie("The type has the empty name.", lambda t, d: d["types"][0].update(name=0), "refuse")
_lie(
    "A constructor has a level parameter that the type has not.",
    lambda t, d: d["ctors"][0].update(levelParams=[t.name("w")]),
    "refuse",
)
_lie("A type has a field that no type has.", _set("types", 0, "isQuotient", False), alone=True)


def _swap(rules: list[dict[str, Any]], key: str) -> None:
    rules[0][key], rules[1][key] = rules[1][key], rules[0][key]


@case("accept", "refuse")
def rule_that_forgets_the_recursion(t: Tables) -> None:
    """The rule of the successor gives the value of the start, whatever the number (nanoda, kernel arena 16)."""
    d = honest(t)
    rule = t.unfolded(d["recs"][0]["rules"][0]["rhs"])
    motive, minors = rule[2], rule[3]
    stop = (
        "lam",
        "s",
        minors[2],
        ("lam", "o", minors[3][2], lam("n", NAT, lam("w", const("Way"), bvar(3))), "default"),
        "default",
    )
    d["recs"][0]["rules"][1]["rhs"] = t.term(("lam", "motive", motive, stop, "default"))


@refuse()
def recursor_without_its_hypothesis(t: Tables) -> None:
    """The second minor premise has no induction hypothesis, and its rule gives none (kernel arena 141)."""
    d = honest(t)
    motive = arrow(const("Way"), sort("u"))
    type = pi(
        "m",
        motive,
        lambda m: arrow(
            app(m, const("Way.stop")),
            pi("n", NAT, lambda n: pi("w", const("Way"), lambda w: app(m, app(const("Way.on"), n, w)))),
            pi("w", const("Way"), lambda w: app(m, w)),
        ),
    )
    d["recs"][0]["type"] = t.term(type)


@refuse()
def recursor_of_a_type_that_has_another(t: Tables) -> None:
    """A second recursor for an empty type, which proves False."""
    d = honest(t)
    extra = {**d["recs"][0], "name": t.name("rogue"), "type": t.term(FALSE), "levelParams": [], "rules": []}
    d["recs"].append(extra)
    t.prove("bad", FALSE, const("rogue"))


@refuse()
def constructor_of_no_type_of_the_family(t: Tables) -> None:
    """A constructor that proves False and belongs to a type of another name."""
    d = honest(t)
    extra = {
        **d["ctors"][0],
        "name": t.name("Lost.mk"),
        "type": t.term(FALSE),
        "induct": t.name("Lost"),
        "levelParams": [],
    }
    d["ctors"].append(extra)
    t.prove("bad", FALSE, const("Lost.mk"))


@case("unasked", "refuse", alone=True)
def orphan_recursor(t: Tables) -> None:
    """A family without types, which has a recursor that proves False."""
    d = honest(t)
    d["recs"][0].update(
        name=t.name("Lost.rec"), type=t.term(FALSE), levelParams=[], rules=[], numMinors=0, numMotives=0
    )
    d["types"], d["ctors"] = [], []
    t.prove("bad", FALSE, const("Lost.rec"))


# Names


@refuse()
def two_definitions_of_one_name(t: Tables) -> None:
    """The second one would change what the first means."""
    t.define("x", PROP, TRUE)
    t.define("x", PROP, FALSE)


@refuse()
def two_theorems_of_one_name(t: Tables) -> None:
    """The same for theorems, where both hold."""
    t.prove("x", TRUE, TRIVIAL)
    t.prove("x", TRUE, TRIVIAL)


@refuse()
def definition_with_the_name_of_a_constructor(t: Tables) -> None:
    """A definition after the type."""
    honest(t)
    t.define("Way.on", PROP, TRUE)


@refuse()
def definition_with_the_name_of_a_recursor(t: Tables) -> None:
    """A definition before the type."""
    t.define("Way.rec", PROP, TRUE)
    honest(t)


@case("refuse", "either")
def definition_of_the_library_again(t: Tables) -> None:
    """`Nat.add` once more; the second kernel sees it if its part of the library has the other one."""
    add = arrow(NAT, NAT, NAT)
    t.define("Nat.add", add, lam("a", NAT, lam("b", NAT, bvar(1))))


LIES.add(
    "A constant of the library that nothing else of the stream mentions.",
    lambda t: t.prove("Nat.add_comm", TRUE, TRIVIAL),
    "refuse",
    "either",
)
LIES.add("A theorem with the empty name.", lambda t: t.prove("", TRUE, TRIVIAL), "accept", "refuse")


# What a stranger may not declare

LIES.add("An axiom; Lean's kernel adds it.", lambda t: t.assume("magic", FALSE), "accept", "refuse")
LIES.add(
    "A constant with a hidden value; it has no place among what is proved.",
    lambda t: t.hide("hidden", NAT, const("Nat.zero")),
    "accept",
    "refuse",
)
LIES.add(
    "A definition that says of itself that it is unsafe; whoever asks Lean's kernel has it checked as a safe one.",
    lambda t: t.define("x", NAT, const("Nat.zero"), safety="unsafe"),
    "accept",
    "refuse",
)
LIES.add(
    "A definition that says of itself that it is partial.",
    lambda t: t.define("x", NAT, const("Nat.zero"), safety="partial"),
    "accept",
    "refuse",
)
LIES.add(
    "An unsafe definition may call itself; here it may not.",
    lambda t: t.define("x", FALSE, const("x"), safety="unsafe"),
)
LIES.add(
    "A record of a quotient with the type of False; Lean has its own.",
    lambda t: t.records.append(("quot", {**t.head("Quot.bad", [], FALSE), "kind": "type"})),
    "refuse",
    "refuse",
    alone=True,
)
LIES.add(
    "A constant of the library without a value, among what a stranger declares.",
    lambda t: t.records.append(("assumed", {**t.head("magic", [], FALSE), "kind": "thm"})),
    "refuse",
    "refuse",
    alone=True,
)


@case("unasked", "refuse", alone=True)
def unknown_record(t: Tables) -> None:
    """A record of a kind that there is not."""
    t.prove("x", TRUE, TRIVIAL)
    t.records.append(("magic", {"name": t.name("y")}))


LIES.add(
    "A theorem with a field that no theorem has.",
    lambda t: t.prove("x", TRUE, TRIVIAL, isUnsafe=False),
    "unasked",
    "refuse",
    alone=True,
)


@case("unasked", "refuse", alone=True)
def theorem_without_a_value(t: Tables) -> None:
    """A record lacks a field."""
    t.prove("x", TRUE, TRIVIAL)
    del t.records[0][1]["value"]


LIES.add(
    "Hints of a definition that Lean does not know.",
    lambda t: t.define("x", NAT, const("Nat.zero"), hints="fast"),
    "unasked",
    "refuse",
    alone=True,
)
LIES.add(
    "A height of -1.",
    lambda t: t.define("x", NAT, const("Nat.zero"), hints={"regular": -1}),
    "unasked",
    "refuse",
    alone=True,
)


# Streams that are none; Lean's kernel is never given them, for a strict reader comes first

broken = case("unasked", "refuse", alone=True)
misspelt = case("unasked", "unasked", alone=True)


def _true() -> list[dict[str, Any]]:
    """`theorem x : True`, line by line."""
    t = Tables()
    t.prove("x", TRUE, TRIVIAL)
    return [*t.rows()]


def _stream(rows: list[Any]) -> str:
    return "".join((r if isinstance(r, str) else json.dumps(r)) + "\n" for r in rows)


@broken
def ids_with_a_gap(t: Tables) -> str:
    """A name has number 7 before there are six."""
    rows = _true()
    rows[0]["in"] = 7
    return _stream(rows)


@broken
def ids_out_of_order(t: Tables) -> str:
    """A term stands before one that it is made of."""
    t.prove("x", TRUE, TRIVIAL)
    t.define("y", NAT, app(const("Nat.succ"), const("Nat.zero")))
    rows = [*t.rows()]
    at = next(i for i, r in enumerate(rows) if "app" in r)
    rows.insert(at - 2, rows.pop(at))
    return _stream(rows)


@broken
def id_given_twice(t: Tables) -> str:
    """One number for two names: what was checked could be changed afterwards."""
    rows = _true()
    return _stream([*rows, {"in": 1, "str": {"pre": 0, "str": "False"}}])


@broken
def term_that_is_made_of_itself(t: Tables) -> str:
    """A term mentions its own number."""
    t.prove("x", TRUE, TRIVIAL)
    t.terms.append({"app": {"fn": len(t.terms), "arg": 0}})
    return t.stream()


@misspelt
def name_that_begins_with_itself(t: Tables) -> str:
    """A name mentions its own number."""
    t.prove("x", TRUE, TRIVIAL)
    t.names.append({"str": {"pre": len(t.names), "str": "y"}})
    return t.stream()


@broken
def negative_id(t: Tables) -> str:
    """A reference to number -1."""
    t.prove("x", TRUE, TRIVIAL)
    t.records[0][1]["type"] = -1
    return t.stream()


@misspelt
def fractional_id(t: Tables) -> str:
    """A reference to number 0.5."""
    t.prove("x", TRUE, TRIVIAL)
    t.records[0][1]["type"] = 0.5
    return t.stream()


@broken
def id_beyond_the_table(t: Tables) -> str:
    """A reference to a number that comes later."""
    t.prove("x", TRUE, TRIVIAL)
    t.records[0][1]["value"] = 1000
    return t.stream()


def _extra_term(name: str, fault: str, term: dict[str, Any], register: Any = broken) -> None:
    def build(t: Tables) -> None:
        t.prove("x", TRUE, TRIVIAL)
        t.terms.append(term)

    build.__name__, build.__doc__ = name, fault
    register(build)


_extra_term("free_variable", "A free variable: the format has none (lean4#14484).", {"fvar": 1})
_extra_term("metavariable", "A metavariable: the format has none.", {"mvar": 1})
_extra_term("number_with_a_sign", "The literal +3.", {"natVal": "+3"}, misspelt)
_extra_term("number_with_a_zero_before_it", "The literal 03.", {"natVal": "03"})
_extra_term("number_in_hexadecimal", "The literal 0x10.", {"natVal": "0x10"}, misspelt)
_extra_term("number_with_a_blank", "The literal 3 with a blank.", {"natVal": " 3"}, misspelt)
_extra_term("empty_number", "A literal without digits.", {"natVal": ""}, misspelt)
_extra_term("negative_number", "The literal -3.", {"natVal": "-3"})
_extra_term(
    "binder_of_no_kind",
    "A binder of a kind that there is not.",
    {"lam": {"name": 0, "type": 0, "body": 0, "binderInfo": "loud"}},
)
_extra_term("negative_variable", "A variable with the number -1.", {"bvar": -1})
_extra_term("fractional_variable", "A variable with the number 0.5.", {"bvar": 0.5}, misspelt)
_extra_term("negative_projection", "Field -1.", {"proj": {"typeName": 1, "idx": -1, "struct": 0}}, misspelt)
_extra_term("levels_that_are_none", "A constant with the level 99.", {"const": {"name": 1, "us": [99]}})
_extra_term("term_of_two_kinds", "A term that is a sort and a variable.", {"sort": 0, "bvar": 0})
_extra_term("term_of_no_kind", "A term that is nothing.", {})
_extra_term("surrogate_in_a_string", "A string with half a character.", {"strVal": "\ud800"})
_extra_term("number_that_is_no_string", "The literal is a number of JSON.", {"natVal": 3})
_extra_term("property_of_every_object", "A term of the kind `constructor`.", {"constructor": 0})


@broken
def level_of_no_kind(t: Tables) -> None:
    """A level that is none of the six."""
    t.prove("x", TRUE, TRIVIAL)
    t.levels.append({"mvar": 1})


@misspelt
def max_of_one(t: Tables) -> None:
    """A maximum of one level."""
    t.prove("x", TRUE, TRIVIAL)
    t.levels.append({"max": [0]})


@broken
def line_that_is_no_json(t: Tables) -> str:
    """A line that cannot be read."""
    return _stream([*_true(), "{"])


@misspelt
def line_that_is_no_object(t: Tables) -> str:
    """A line that is a list."""
    return _stream([*_true(), "[1]"])


@case("accept", "either")
def key_that_stands_twice(t: Tables) -> str:
    """A record with two types, of which all readers here take the last, as JSON's do."""
    t.prove("x", TRUE, TRIVIAL)
    false = t.term(FALSE)
    text = t.stream()
    return text.replace('"type": ', f'"type": {false}, "type": ', 1)


@broken
def second_section(t: Tables) -> str:
    """A stranger's stream that begins a section of its own."""
    t.prove("x", TRUE, TRIVIAL)
    return t.stream().replace('{"thm"', '{"section":"candidate"}\n{"thm"')


@broken
def section_of_the_library(t: Tables) -> str:
    """A stranger's stream that goes back to the library, where more is allowed."""
    t.prove("x", TRUE, TRIVIAL)
    return t.stream().replace('{"thm"', '{"section":"library"}\n{"thm"')


# Numbers that are not Lean's


def _own_numbers(t: Tables) -> None:
    nat = const("Nat")
    t.inductive("Nat", TYPE, [("Nat.zero", nat), ("Nat.succ", arrow(nat, nat))])


def _own_equality(t: Tables) -> None:
    eq = lambda A, a, b: app(const("Eq", "v"), A, a, b)  # noqa: E731
    family = pi("A", sort("v"), lambda A: arrow(A, A, PROP))
    mk = pi("A", sort("v"), lambda A: pi("a", A, lambda a: eq(A, a, a)))
    t.inductive("Eq", family, [("Eq.refl", mk)], 2, ["v"], k=True)


@case("accept", "refuse", modules=())
def addition_that_forgets(t: Tables) -> None:
    """Without the library: numbers whose `Nat.add` gives its first argument, while kernels compute it as a sum.

    Lean's kernel knows these functions by their names.
    """
    _own_numbers(t)
    _own_equality(t)
    t.define("Nat.add", arrow(NAT, NAT, NAT), lam("a", NAT, lam("b", NAT, bvar(1))))
    two, one = ("natVal", 2), ("natVal", 1)
    sum = app(const("Nat.add"), one, one)
    t.prove("x", app(const("Eq", 1), NAT, sum, two), app(const("Eq.refl", 1), NAT, two))


@case("accept", "refuse", modules=())
def numbers_with_other_constructors(t: Tables) -> None:
    """Without the library: `Nat` with its constructors turned round, while a literal is a number."""
    nat = const("Nat")
    t.inductive("Nat", TYPE, [("Nat.succ", arrow(nat, nat)), ("Nat.zero", nat)])
    t.define("x", NAT, ("natVal", 3))


@case("accept", "refuse", modules=())
def numbers_that_are_empty(t: Tables) -> None:
    """Without the library: `Nat` without constructors, and a literal in it."""
    t.inductive("Nat", TYPE, [])
    t.define("x", NAT, ("natVal", 3))


@case("accept", "refuse", modules=())
def strings_of_ones_own(t: Tables) -> None:
    """Without the library: a literal in a `String` that is a proposition."""
    t.define("String", PROP, pi("p", PROP, bvar(0)))
    t.prove("x", const("String"), ("strVal", "a"))
