"""A small world to speak of."""

import json
from typing import Any

WORLD: dict[str, Any] = {
    "sorts": [
        {"name": "Person", "type": "DeclareSort"},
        {"name": "Color", "type": "EnumSort", "values": ["red", "green", "blue"]},
        {"name": "Byte", "type": "BitVecSort(8)"},
        {"name": "Grid", "type": "ArraySort(Int, ArraySort(Int, Bool))"},
        {"name": "Point", "type": "Record", "fields": {"x": "Int", "y": "Real"}},
        {
            "name": "List",
            "type": "Datatype",
            "constructors": ["nil", {"name": "cons", "fields": {"head": "Int", "tail": "List"}}],
        },
    ],
    "functions": [
        {"name": "human", "domain": ["Person"], "range": "BoolSort"},
        {"name": "mortal", "domain": ["Person"], "range": "Bool"},
        {"name": "age", "domain": ["Person"], "range": "IntSort"},
        {"name": "likes", "domain": ["Person", "Person"], "range": "Bool"},
        {"name": "weight", "domain": ["Person"], "range": "Real"},
    ],
    "constants": {
        "people": {"sort": "Person", "members": ["soc", "plato"]},
        "numbers": {"sort": "Int", "members": {"i": 1, "j": 2, "k": 3}},
        "reals": {"sort": "RealSort", "members": ["u", "v"]},
        "formulas": {"sort": "Bool", "members": ["p", "q", "r"]},
        "a": "Byte",
        "b": "Byte",
        "grid": "Grid",
        "s": "String",
        "color": "Color",
        "point": "Point",
        "numbers_in_a_row": "List",
    },
    "variables": [{"name": "X", "sort": "Person"}, {"name": "Y", "sort": "Person"}],
}


def program(**sections: Any) -> str:
    """The text of a program about the world."""
    return json.dumps({**WORLD, **sections})
