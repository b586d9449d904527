"""Nested and mutual types of `honest/types.lean` as Lean exports them, with one thing changed.

Cases are called after the family; their functions are given tables with a copy of its record as the last one.
"""

from collections.abc import Callable
from typing import Any

from lean_streams import Collection, Tables, app, arrow, const, pi, sort

CHANGED = Collection()
NAT = const("Nat")
Change = Callable[[Tables, dict[str, Any]], None]


def _changed(family: str, fault: str, change: Change, lean: str = "refuse", second: str = "refuse") -> None:
    CHANGED.add(fault, lambda t: change(t, t.records[-1][1]), lean, second, name=f"{family}_{fault}")


def _set(part: str, i: int, key: str, value: Any) -> Change:
    def change(t: Tables, d: dict[str, Any]) -> None:
        assert d[part][i][key] != value
        d[part][i][key] = value

    return change


def _swap(things: list[Any], key: str | None = None) -> None:
    if key is None:
        things[0], things[1] = things[1], things[0]
    else:
        things[0][key], things[1][key] = things[1][key], things[0][key]


def _type(part: str, i: int, term: Any) -> Change:
    return lambda t, d: d[part][i].update(type=t.term(term))


_changed("Rose", "Nothing is changed.", lambda t, d: None, "accept", "accept")
_changed("Deep", "Nothing is changed.", lambda t, d: None, "accept", "accept")
_changed("Term", "Nothing is changed.", lambda t, d: None, "accept", "accept")
_changed("Even", "Nothing is changed.", lambda t, d: None, "accept", "accept")
_changed("Rose", "No nested occurrence, it is said.", _set("types", 0, "numNested", 0), "accept")
_changed("Deep", "One nested occurrence, it is said.", _set("types", 0, "numNested", 1), "accept")
_changed("Rose", "Not recursive, it is said: a nested occurrence counts.", _set("types", 0, "isRec", False), "accept")
_changed("Rose", "The recursor for lists of the type is missing.", lambda t, d: d["recs"].pop(), "accept")
_changed("Rose", "The recursor of the type itself is missing.", lambda t, d: d["recs"].pop(0), "accept")
_changed("Rose", "The recursors stand in another order.", lambda t, d: _swap(d["recs"]), "accept", "either")
_changed("Rose", "Each recursor has the other's type.", lambda t, d: _swap(d["recs"], "type"))
_changed("Rose", "`rec_1` is called `rec_7`.", lambda t, d: d["recs"][1].update(name=t.name("Rose.rec_7")))
_changed(
    "Rose", "The rules for lists have each other's results.", lambda t, d: _swap(d["recs"][1]["rules"], "rhs"), "accept"
)
_changed(
    "Rose",
    "The first recursor has the second one's rules.",
    lambda t, d: d["recs"][0].update(rules=d["recs"][1]["rules"]),
    "accept",
)
_changed("Rose", "A recursor ignores what it recurses on.", _set("recs", 0, "k", True), "accept")
_changed("Rose", "One motive, it is said.", _set("recs", 0, "numMotives", 1), "accept")


def _rose(below: Callable[[Any], Any]) -> Any:
    kind, rose = sort(("succ", "u")), const("Rose", "u")
    return pi("A", kind, lambda A: arrow(A, below(app(rose, A)), app(rose, A)))


def _list(of: Any, level: Any = "u") -> Any:
    return app(const("List", level), of)


_changed("Rose", "The constructor's type written once more.", _type("ctors", 0, _rose(_list)), "accept", "accept")
_changed("Rose", "Functions from lists of the type.", _type("ctors", 0, _rose(lambda r: arrow(_list(r), NAT))))
_changed(
    "Rose",
    "Lists of functions from the type.",
    _type("ctors", 0, _rose(lambda r: _list(arrow(r, NAT), ("max", "u", 0)))),
)
_changed("Rose", "Lists at a level too high.", _type("ctors", 0, _rose(lambda r: _list(r, ("succ", "u")))))
_changed("Rose", "Lists of nothing.", _type("ctors", 0, _rose(lambda r: const("List", "u"))))
_changed(
    "Rose", "Lists of lists, while the recursors speak of lists.", _type("ctors", 0, _rose(lambda r: _list(_list(r))))
)
_changed(
    "Rose",
    "Lists of the type at another parameter (lean4#14577).",
    _type("ctors", 0, _rose(lambda r: _list(app(const("Rose", "u"), const("PUnit", ("succ", "u")))))),
)
_changed(
    "Rose",
    "Lists of the type at another level.",
    _type("ctors", 0, _rose(lambda r: _list(app(const("Rose", 0), NAT), 0))),
)
_changed(
    "Rose",
    "The name that a kernel gives to those lists (lean4#14616).",
    _type("ctors", 0, _rose(lambda r: app(const(("_nested", "List_1"), "u"), r[2]))),
)
_changed(
    "Rose",
    "An equation between values of the type.",
    _type("ctors", 0, _rose(lambda r: app(const("Eq", ("succ", "u")), r, r, r))),
)
_changed("Term", "The second type says that it has no parameters.", _set("types", 1, "numParams", 0), "accept")
_changed(
    "Term",
    "The second type has a level of another name.",
    lambda t, d: d["types"][1].update(levelParams=[t.name("q")]),
    "accept",
)
_changed("Term", "The types stand in another order.", lambda t, d: _swap(d["types"]))
_changed(
    "Term",
    "The types list their family in another order.",
    lambda t, d: [x["all"].reverse() for x in d["types"]],
    "accept",
)
_changed("Term", "Two constructors belong to each other's types.", lambda t, d: _exchange(d))
_changed(
    "Term",
    "The second type lives one universe higher.",
    _type("types", 1, arrow(sort(("succ", "u")), sort(("succ", ("succ", "u"))))),
)
_changed("Term", "The second type is a proposition.", _type("types", 1, arrow(sort(("succ", "u")), sort(0))))
_changed(
    "Term", "The second type's parameter is a proposition.", _type("types", 1, arrow(sort(0), sort(("succ", "u"))))
)
_changed("Term", "The second type is missing and its constructors are not.", lambda t, d: d["types"].pop())
_changed("Even", "The second of two propositions is data.", _type("types", 1, arrow(NAT, sort(1))))
_changed("Even", "The second type has no index, it is said.", _set("types", 1, "numIndices", 0), "accept")
_changed("Even", "A recursor ignores what it recurses on.", _set("recs", 0, "k", True), "accept")
_changed(
    "Even", "A constructor with an index of another type.", _type("ctors", 0, app(const("Even"), const("True.intro")))
)


def _exchange(d: dict[str, Any]) -> None:
    first, second = d["ctors"][0], next(c for c in d["ctors"] if c["induct"] != d["ctors"][0]["induct"])
    first["induct"], second["induct"] = second["induct"], first["induct"]
