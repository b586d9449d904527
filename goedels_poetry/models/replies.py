"""Reading what models write: text of a message, fenced blocks, JSON objects. Tolerant of form, never of content.

Everything here is linear in the length of the text, so that a long reply cannot hold up the program. An object is
respelled in form only: a name of the schema that is clearly meant, a list of one without its brackets, an object inside
of another. What cannot be told stays as it is, and `problem_with` says what is wrong with it.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
Fits = Callable[[Any, Json], bool]

NEAR = 0.8
"""How alike a name has to be to one of the schema (`difflib`): "generalize" and "generalise" are 0.9."""

ALIASES = {
    "refuted": ("counterexample", "countermodel", "refutation"),
    "cases": ("case_split", "casesplit", "split"),
    "statement": ("formula", "lemma", "claim"),
    "hypothesis": ("induction hypothesis", "induction_hypothesis", "ih"),
    "definition": ("def", "equation"),
    "premise": ("axiom", "assumption"),
}
"""What models call a part, or a kind, that has another name here; an entry is used only where its name is known."""


def known_names(schema: Json) -> set[str]:
    """The names that an object of this schema may have; all that it must have where nothing else is said."""
    return set(schema.get("properties") or schema.get("required") or ())


def respelled(value: Any, schema: Json, fits: Fits) -> Any:
    """The value in the form of the schema, as far as that is clear: unwrapped, with its names, lists where they belong.

    Args:
        fits: whether a value has the form of a schema.
    """
    known = known_names(schema)
    if isinstance(value, dict) and not known & set(value):  # {"answer": {...}}
        inside = [part for part in value.values() if isinstance(part, dict) and known & set(part)]
        value = inside[0] if len(inside) == 1 else value
    return _respelled(value, schema, fits)


def _respelled(value: Any, schema: Json, fits: Fits) -> Any:
    options = [schema, *schema.get("anyOf", ())]
    items = next((option["items"] for option in options if "items" in option), None)
    if items is not None and not isinstance(value, list) and value not in (None, "") and not fits(value, schema):
        value = [value]
    if isinstance(value, list):
        return [_respelled(item, items or {}, fits) for item in value]
    if isinstance(value, str):
        plain, choices = value.strip().lower(), [choice for option in options for choice in option.get("enum", ())]
        return next((c for c in choices if plain == c or plain in ALIASES.get(str(c), ())), value)
    shape = next((option for option in options if option.get("properties")), None)
    if isinstance(value, dict) and shape is None and len(value) == 1 and not fits(value, schema):
        (part,) = value.values()
        return part if isinstance(part, str) and fits(part, schema) else value
    if shape is None or not isinstance(value, dict):
        return value
    rules, named = shape["properties"], dict[str, Any]()
    for name, part in value.items():
        if part is None and name in rules and name not in shape.get("required", ()) and not fits(None, rules[name]):
            continue
        meant = _meant(str(name), [known for known in rules if known not in value and known not in named])
        named[meant if name not in rules and meant else name] = part
    return {name: _respelled(part, rules.get(name, {}), fits) for name, part in named.items()}


def _meant(name: str, known: list[str]) -> str:
    """The one of several names that another one stands for, or nearly is; "" for none."""
    plain = name.strip().lower()
    letters = re.sub(r"[^a-z]", "", plain)
    near = [part for part in known if plain in ALIASES.get(part, ())]
    return next(iter(near or difflib.get_close_matches(letters, known, 1, NEAR)), "")


_FENCE = re.compile(r"^[ \t>]*(`{3,}|~{3,})[ \t]*([^\s`~]*)[^\n`]*$")
_THINK_OPEN = re.compile(r"<(think|thinking|reasoning|thought)>", re.IGNORECASE)
_DECODER = json.JSONDecoder(strict=False)  # a text may have line breaks in it
_MOST_TRIES = 200
"""Braces at which a JSON object is looked for."""


@dataclass(frozen=True, slots=True)
class Block:
    """One fenced block."""

    tag: str
    """Lower-case language tag; "" without one."""
    text: str
    closed: bool
    """False: the reply ended inside the block."""


class UnusableReply(ValueError):
    """The text does not hold what was asked for; the words say what was wrong, for the next prompt."""


def text_of(content: Any) -> str:
    """The visible text of a message's content: a string, or a list of parts as the Responses API gives it.

    Reasoning, tool calls and unknown parts are left out.
    """
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(_part(part) for part in content)
    return ""


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, dict) and part.get("type") in ("text", "output_text"):
        text = part.get("text")
        return text if isinstance(text, str) else ""
    return ""


def without_thinking(text: str) -> str:
    """The text without ``<think> ... </think>`` and the like.

    A closing tag without an opening one ends thinking that the server had opened itself; an opening one that is
    never closed leaves nothing behind it.
    """
    kept: list[str] = []
    place = 0
    while (opened := _THINK_OPEN.search(text, place)) is not None:
        kept.append(text[place : opened.start()])
        close = re.compile(f"</{opened[1]}>", re.IGNORECASE).search(text, opened.end())
        if close is None:
            return "".join(kept)
        place = close.end()
    kept.append(text[place:])
    whole = "".join(kept)
    stray = [m.end() for m in re.finditer(r"</(?:think|thinking|reasoning|thought)>", whole, re.IGNORECASE)]
    return whole[stray[-1] :] if stray else whole


def blocks(text: str) -> list[Block]:
    """Every fenced block outside thinking, in order. A fence ends at one of its own kind, at least as long."""
    found: list[Block] = []
    fence, tag, lines = "", "", list[str]()
    for line in without_thinking(text).splitlines():
        mark = _FENCE.match(line)
        if not fence:
            if mark is not None:
                fence, tag, lines = mark[1], mark[2].lower().strip("{}.:"), []
        elif mark is not None and mark[1][0] == fence[0] and len(mark[1]) >= len(fence) and not mark[2]:
            found.append(Block(tag, "\n".join(lines), closed=True))
            fence = ""
        else:
            lines.append(line)
    if fence:
        found.append(Block(tag, "\n".join(lines), closed=False))
    return found


def code(text: str, tags: tuple[str, ...] = ()) -> str:
    """The one block that is meant: the last complete one with one of ``tags``, else without a tag, else any.

    Models put their final version last. A block that the end of the reply cut off counts only when there is no
    complete one. Without any fence the whole text outside thinking is taken.

    Raises:
        UnusableReply: there is nothing in it.
    """
    fenced = blocks(text)
    found = [block for block in fenced if block.text.strip()]
    for closed in (True, False):
        candidates = [block for block in found if block.closed is closed]
        tagged = [block for block in candidates if block.tag in tags]
        untagged = [block for block in candidates if not block.tag]
        if candidates:
            return (tagged or untagged or candidates)[-1].text
    bare = "" if fenced else without_thinking(text).strip()
    if not bare:
        empty = "the block in the reply is empty" if fenced else "the reply holds no text beside its thinking"
        raise UnusableReply(empty if text.strip() else "the reply is empty")
    return bare


def parse_json_reply(text: str, schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON object in a reply that fits ``schema``: in a fence, bare, or with prose around it.

    The last object with a name of the schema counts, as `spellings.respelled` reads it; an earlier one is a draft.
    What programmers add to JSON and JSON does not have is read past where an object cannot be read as it stands:
    comments, commas before a closing bracket, single quotes, line breaks and single backslashes in texts. See
    :func:`problem_with` for the part of JSON Schema that is understood.

    Raises:
        UnusableReply: no object, or one that does not fit; says what is wrong with it.
    """
    fenced = [block.text for block in blocks(text) if block.tag in ("", "json", "json5", "jsonc")]
    known = known_names(schema)
    problem = ""
    for source in (*reversed(fenced), without_thinking(text)):
        for found in reversed(_objects(source)):
            value = respelled(found.value, schema, lambda part, rule: not problem_with(part, rule))
            wrong = problem_with(value, schema)
            spoken = set(value) <= known if found.inside else not known or bool(known & set(value))
            if spoken and not wrong:
                fitting: dict[str, Any] = value
                return fitting
            if not found.inside:
                problem = (
                    problem or wrong or f"it has none of the parts that were asked for: {', '.join(sorted(known))}"
                )
            if spoken:
                raise UnusableReply(f"the JSON object does not fit: {wrong}")
    if problem:
        raise UnusableReply(f"the JSON object does not fit: {problem}")
    raise UnusableReply("the reply is empty" if not text.strip() else "the reply holds no complete JSON object")


def json_objects(text: str) -> list[str]:
    """The outermost JSON objects in a text, each as JSON: what programmers add to it is read past, see above.

    Keys that are given twice stay twice. What comes after an object that cannot be read is not among them.
    """
    return [found.text for found in _objects(text) if not found.inside]


@dataclass(frozen=True, slots=True)
class _Found:
    value: dict[str, Any]
    text: str
    """What it was read from."""
    inside: bool
    """It comes after the beginning of an object that could not be read, and so perhaps is a part of it."""


def _objects(text: str) -> list[_Found]:
    """Outermost JSON objects in a text."""
    found: list[_Found] = []
    mended = 0
    broken = False
    place = text.find("{")
    for _ in range(_MOST_TRIES):
        if place < 0:
            break
        value, end = _object_at(text, place)
        written = text[place:end]
        if end < 0 and mended < _MOST_MENDED and _BEGINS.match(text, place):
            mended += 1
            rest = _without_slips(text[place:])
            value, length = _object_at(rest, 0)
            end, written = (place + length, rest[:length]) if length >= 0 else (-1, "")
            broken = broken or end < 0
        if end >= 0:
            found.append(_Found(value, written, broken))
        place = text.find("{", end if end >= 0 else place + 1)
    return found


def _object_at(text: str, place: int) -> tuple[Any, int]:
    """The object at a brace and where it ends; -1 for none."""
    try:
        return _DECODER.raw_decode(text, place)
    except (ValueError, RecursionError):
        return None, -1


_BEGINS = re.compile(r"\{\s*(?:[\"'{]|//|/\*)")
_MOST_MENDED = 5
"""Beginnings of objects that are read once more without slips."""
_STRING = r'"(?:[^"\\]|\\.)*(?:"|\Z)'
_SLIP = re.compile(rf"""{_STRING}|//[^\n]*|/\*.*?(?:\*/|\Z)|'[^'"\\\n]*'|\b(?:True|False|None)\b""", re.DOTALL)
_LAST_COMMA = re.compile(_STRING + r"|,(?=\s*[}\]])", re.DOTALL)
_ODD_ESCAPE = re.compile(r'\\(?:(?P<right>["\\/bfnrt]|u[0-9a-fA-F]{4})|)', re.DOTALL)
_OF_PYTHON = {"True": "true", "False": "false", "None": "null"}


def _without_slips(text: str) -> str:
    """JSON as programmers write it, as JSON of the same length, so that places in it stay the same."""
    return _LAST_COMMA.sub(lambda found: found[0] if found[0] != "," else " ", _SLIP.sub(_mended, text))


def _mended(found: re.Match[str]) -> str:
    slip = found[0]
    if slip[0] == '"':
        return _ODD_ESCAPE.sub(lambda escape: escape[0] if escape["right"] else " ", slip)
    if slip[0] == "'":
        return f'"{slip[1:-1]}"'
    return _OF_PYTHON.get(slip, " " * len(slip))


_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}


def problem_with(value: Any, schema: dict[str, Any], where: str = "") -> str:
    """What is wrong with a JSON value, in one line; "" when it fits.

    Understood: ``type``, ``enum``, ``const``, ``anyOf``, ``required``, ``properties``, ``additionalProperties``,
    ``items``, ``minItems``, ``maxItems``, ``minLength``, ``maxLength``, ``minimum``, ``maximum``. Other keywords
    are passed over.
    """
    here = where or "the object"
    options = schema.get("anyOf")
    if options:
        wrong = [problem_with(value, option, where) for option in options]
        if all(wrong):
            return wrong[0]
    types = schema.get("type")
    named = [types] if isinstance(types, str) else list(types or ())
    if named and not any(_is(value, name) for name in named):
        return f"{here} must be {' or '.join(named)}"
    if "const" in schema and value != schema["const"]:
        return f"{here} must be {json.dumps(schema['const'])}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{here} must be one of {json.dumps(schema['enum'])}"
    if isinstance(value, dict):
        return _problem_with_object(value, schema, where)
    if isinstance(value, list):
        return _problem_with_list(value, schema, where)
    if isinstance(value, str):
        return _outside(len(value), schema, "minLength", "maxLength", f"the length of {here}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _outside(value, schema, "minimum", "maximum", here)
    return ""


def _is(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES.get(name, (object,)))


def _problem_with_object(value: dict[str, Any], schema: dict[str, Any], where: str) -> str:
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{where or 'the object'} lacks {', '.join(map(repr, missing))}"
    known = schema.get("properties", {})
    others = schema.get("additionalProperties", True)
    for name, member in value.items():
        place = f"{where}.{name}" if where else name
        if name not in known and others is False:
            return f"{place[:80]!r} is not known"
        rule = known.get(name, others if isinstance(others, dict) else {})
        if wrong := problem_with(member, rule, place):
            return wrong
    return ""


def _problem_with_list(value: list[Any], schema: dict[str, Any], where: str) -> str:
    if wrong := _outside(len(value), schema, "minItems", "maxItems", f"the number of items of {where or 'the list'}"):
        return wrong
    rule = schema.get("items")
    if isinstance(rule, dict):
        for number, item in enumerate(value):
            if wrong := problem_with(item, rule, f"{where}[{number}]"):
                return wrong
    return ""


def _outside(number: float, schema: dict[str, Any], least: str, most: str, what: str) -> str:
    if least in schema and number < schema[least]:
        return f"{what} must be at least {schema[least]}"
    if most in schema and number > schema[most]:
        return f"{what} must be at most {schema[most]}"
    return ""
