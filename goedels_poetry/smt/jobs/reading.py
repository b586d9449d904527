"""Terms, lists and numbers as language models write them, read with our parser; what cannot be used is told by place.

Nothing here trusts what it reads: texts are parsed over the problem's own symbols.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from goedels_poetry.errors import GoedelsPoetryError
from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.certificate import read_definitions
from goedels_poetry.kernel.reading.names import legible
from goedels_poetry.kernel.terms import BOOL, INT, Sort, Term, forall
from goedels_poetry.smt.notation.formulas import NotRead, in_prefix
from goedels_poetry.smt.notation.reply_forms import MAX_DEFINITIONS, MAX_TERM, MAX_TEXT
from goedels_poetry.smt.notation.text import MARK, definition_texts, parse_term, with_brought

Json = dict[str, Any]

MAX_NESTING = 60
"""Lists and objects inside of each other."""


class BadProposal(ValueError):
    """A model's proposal that cannot be used; the message goes back to the model."""


def object_of(reply: Any) -> Json:
    """The object that a reply is. Raises BadProposal: it is none, or too large."""
    if isinstance(reply, str):
        if len(reply) > MAX_TEXT:
            raise BadProposal(f"more than {MAX_TEXT} characters")
        try:
            reply = json.loads(reply)
        except (ValueError, RecursionError) as error:
            raise BadProposal(f"not JSON: {error}") from error
    if not isinstance(reply, dict):
        raise BadProposal("a JSON object was expected")
    if _nesting(reply) > MAX_NESTING:
        raise BadProposal("lists and objects are nested too deeply")
    try:
        written = json.dumps(reply)
    except (ValueError, TypeError, RecursionError) as error:
        raise BadProposal(f"not JSON: {error}") from error
    if len(written) > MAX_TEXT:
        raise BadProposal(f"more than {MAX_TEXT} characters")
    return reply


def _nesting(value: Any) -> int:
    depth, level = 0, [value]
    while level and depth <= MAX_NESTING:
        depth += 1
        level = [
            part
            for item in level
            if isinstance(item, dict | list)
            for part in (item.values() if isinstance(item, dict) else item)
        ]
    return depth


def list_at(value: Json, name: str) -> list[Any]:
    """The list at a key; empty without it."""
    found = value.get(name)
    if found is None:
        return []
    if not isinstance(found, list):
        raise BadProposal(f"{name}: a list was expected")
    return found


def texts(value: Any, where: str) -> list[str]:
    """A list of texts; one text is a list of one, and a number stands for its text."""
    items = value if isinstance(value, list) else [value]
    if not all(isinstance(item, str) or type(item) is int for item in items):
        raise BadProposal(f"{where}: a text or a list of texts was expected")
    return [str(item) for item in items]


def whole_number(value: Any, most: int, where: str) -> int:
    """A number, also as a text; 1 without any; one that is not from 1 to ``most`` is taken for the nearest that is."""
    if value in (None, ""):
        return 1
    text = str(value).strip()
    if isinstance(value, bool) or not re.fullmatch(r"[+-]?[0-9]{1,9}", text):
        raise BadProposal(f"{where}: a number from 1 to {most} was expected")
    return max(1, min(most, int(text)))


def unbarred(name: str) -> str:
    """A name without the bars that it may be written in."""
    name = name.strip()
    return name[1:-1] if len(name) > 2 and name[0] == name[-1] == "|" else name


# ------------------------------------------------------------------------------------------------------- definitions

_DEFINES = re.compile(r"\s*\(\s*define-fun(?:s?-rec\s|\s+\S+\s+\(\s*\()")
_HEAD = re.compile(r"(\w+)\s*\(\s*\(")
_PLAIN = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def with_reply_functions(problem: Problem, reply: Any) -> tuple[Problem, Json, tuple[str, ...]]:
    """The problem with the functions that a reply defines, the reply with their names here, and their definitions.

    A name here has a mark of what it means behind it: two replies may define one name in two ways. Where statements
    have brought one such along, its name alone is enough.

    Raises:
        BadProposal: a name that is taken, no definition, too many or too large ones.
    """
    whole = object_of(reply)
    lemmas = list_at(whole, "lemmas")
    hoisted = [e for e in lemmas if _DEFINES.match(str(e.get("statement") if isinstance(e, dict) else e))]
    given = [*list_at(whole, "definitions"), *hoisted]
    whole = {**whole, "lemmas": [e for e in lemmas if e not in hoisted]} if hoisted else whole
    names, new_here = problem.signature.names, {*_HEAD.findall(json.dumps(given))}
    plain = {MARK.sub("", name): name for name in names if MARK.search(name) and _PLAIN.fullmatch(name)}
    known = {short: name for short, name in plain.items() if short not in names | new_here}
    whole, given = _renamed([whole, given], known)
    brought: list[str] = []
    for number in range(len(given)):
        where = f"definitions[{number}]"
        entry = given[number] if isinstance(given[number], dict) else {"statement": given[number]}
        text = entry.get("statement")
        if not isinstance(text, str) or len(given) > MAX_DEFINITIONS:
            raise BadProposal(f"{where}: a text was expected, one define-fun-rec; at most {MAX_DEFINITIONS} are read")
        try:
            signature = read_definitions([_balanced(text.strip())], problem.signature)
        except (InvalidText, RecursionError) as error:
            raise BadProposal(f"{where}: {error}") from error
        new = signature.definitions[len(problem.signature.definitions) :]
        if any(d.body.size > MAX_TERM or not _PLAIN.fullmatch(d.name) for d in new):
            raise BadProposal(f"{where}: names of letters and digits, and at most {MAX_TERM} symbols, were expected")
        (line,) = definition_texts(new)
        if entry.get("measure") not in (None, "") and len(new) == 1:
            wide = replace(problem, signature=signature)
            measure = term_of(entry["measure"], wide, new[0].params, f"{where}.measure", INT)
            body = show(new[0].body)
            line = f"{line.removesuffix(f'{body})')}(! {body} :measure {show(measure)}))"
        mark = f"_h{hashlib.sha256(line.encode()).hexdigest()[:6]}"
        whole, given, line = _renamed([whole, given, line], {d.name: d.name + mark for d in new})
        brought.append(line)
        if problem.signature.definition(new[0].name + mark) is None:  # else a statement has brought it along
            problem = with_brought(problem, [line])
    return problem, whole, tuple(brought)


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    """A value of JSON with other names for some symbols, but for what is quoted."""
    if isinstance(value, str) and names:
        token = rf'"[^"]*"|(?<![\w!?.$])(?:{"|".join(names)})(?![\w!?$])'
        return re.sub(token, lambda found: names.get(found[0], found[0]), value)
    if isinstance(value, dict):
        return {key: _renamed(item, names) for key, item in value.items()}
    return [_renamed(item, names) for item in value] if isinstance(value, list) else value


# ------------------------------------------------------------------------------------------------------------- terms


def term_of(text: Any, problem: Problem, variables: tuple[Term, ...], where: str, sort: Sort | None = None) -> Term:
    """A term over ``variables``, of ``sort`` when given. Raises BadProposal: it is none, or too large."""
    if type(text) is int or (isinstance(text, str) and _NEGATIVE.fullmatch(text)):
        text = str(text) if int(text) >= 0 else f"(- {-int(text)})"
    if isinstance(text, bool):
        text = "true" if text else "false"
    if not isinstance(text, str) or not text.strip():
        raise BadProposal(f"{where}: a text was expected, one SMT-LIB term")
    try:
        term = _parsed(text, problem, variables, sort)
    except NotRead as error:
        raise _unlike(where, error) from error
    except (GoedelsPoetryError, ValueError, RecursionError) as error:
        raise BadProposal(f"{where}: {error}{_hint(text)}") from error
    if term.size > MAX_TERM:
        raise BadProposal(f"{where}: more than {MAX_TERM} symbols")
    return term


def lemma_of(text: Any, problem: Problem, variables: tuple[Term, ...], where: str) -> Term:
    """A closed formula. Variables of the goal that it leaves free are read as any values: a lemma is for all.

    So are other variables that nobody bound, where it is clear of what sort they are.
    """
    if not isinstance(text, str):
        raise BadProposal(f"{where}: a text was expected, one SMT-LIB formula")
    try:
        return term_of(text, problem, (), where, BOOL)
    except BadProposal as error:
        try:
            formula = term_of(_unwrapped(text), problem, variables, where, BOOL)
        except BadProposal:
            try:
                prefix = in_prefix(_unwrapped(text), problem.signature, variables, BOOL, closed=True)
                return term_of(prefix, problem, (), where, BOOL)
            except NotRead as unread:
                raise (_unlike(where, unread) if _UNLIKE_SMT.search(text) else error) from None
            except BadProposal:
                raise error from None  # what is wrong with the text as it stands
        return forall(tuple(v for v in variables if v in formula.free), formula)


_COMMAND = re.compile(r"\s*\(\s*(?:assert|prove|define-fun\s+\S+\s+\(\s*\)\s+Bool)\s+(.*)\)\s*", re.DOTALL)


def _unwrapped(text: str) -> str:
    """The formula of a command that somebody wrote around it: it is proved like any other."""
    command = _COMMAND.fullmatch(text)
    return command[1] if command else text


def _parsed(text: str, problem: Problem, variables: tuple[Term, ...], sort: Sort | None) -> Term:
    """The term as it stands; with names and last parentheses put right; as mathematicians write it.

    Raises:
        NotRead: it is none of these, and looks least like SMT-LIB.
        GoedelsPoetryError: the first fault of the text as it stands.
    """
    try:
        return parse_term(text, problem.signature, variables, sort)
    except (GoedelsPoetryError, ValueError) as error:
        fault = error
    for other in dict.fromkeys((respelled(text, problem, variables), _balanced(respelled(text, problem, variables)))):
        if other != text:
            try:
                return parse_term(other, problem.signature, variables, sort)
            except (GoedelsPoetryError, ValueError):
                continue
    try:
        return parse_term(in_prefix(text, problem.signature, variables, sort), problem.signature, variables, sort)
    except NotRead:
        if _UNLIKE_SMT.search(text):
            raise
    except (GoedelsPoetryError, ValueError):
        pass
    raise fault


def _balanced(text: str) -> str:
    """With as many parentheses at its end as are open there; those too many are left out."""
    depth = 0
    for mark in re.finditer(r"\|[^|]*\||[()]", text):
        depth += {"(": 1, ")": -1}.get(mark[0], 0)
        if depth == 0 and not text[mark.end() :].strip(") \n\t"):
            return text[: mark.end()]
        if depth < 0:
            return text
    return text + ")" * depth


def respelled(text: str, problem: Problem, variables: tuple[Term, ...] = ()) -> str:
    """Names of the problem as they are written here: between bars, with numbers for what nobody would see."""
    signature = problem.signature
    sorts = [sort.name for sort in (*signature.sorts, *(d.sort for d in signature.datatypes))]
    known = {*signature.names, *sorts, *(v.name for v in variables)}

    def spelled(word: re.Match[str]) -> str:
        name = legible(word[1] or word[0])
        return show_symbol(name) if name in known else word[0]

    return _WORD.sub(spelled, text)


_WORD = re.compile(r"\|([^|]+)\||[^\s()|;\"]+")
_NEGATIVE = re.compile(r"\s*-[0-9]{1,4000}\s*")
_UNLIKE_SMT = re.compile(r"[∀∃→∧∨¬≤≥≠λ↦]|:=|\bfun\b|^\s*\(?\s*(?:forall|exists|for all)\s+[^\s(]|^\s*[^\s(;|\"]+\s+\S")


_PREFIX = 'write it in prefix notation, as in "(forall ((n Int)) (=> (>= n 0) (= (+ n 0) n)))"'


def _hint(text: str) -> str:
    """The right form of what is no prefix notation."""
    return f"; {_PREFIX}" if _UNLIKE_SMT.search(text) else ""


def _unlike(where: str, fault: NotRead) -> BadProposal:
    """What is wrong with a formula that was read as mathematics, and the form that is always read."""
    return BadProposal(f"{where}: {fault}; {_PREFIX}")


def shown_variables(variables: tuple[Term, ...]) -> str:
    """``x: Int, xs: List``, for messages."""
    return ", ".join(f"{v.name}: {show_sort(v.sort)}" for v in variables) or "none"


def point_of(
    value: Any, problem: Problem, variables: tuple[Term, ...], over: tuple[Term, ...], where: str
) -> dict[Term, Term]:
    """Terms over ``over`` for some of ``variables``: by name, or all of them in order.

    Raises:
        BadProposal: another form, a name that is none of theirs, a wrong number of terms, a term of another sort.
    """
    named = {v.name: v for v in variables}
    found: dict[Term, Term] = {}
    for name, text in named_values(value, [v.name for v in variables], where).items():
        if name not in named:
            raise BadProposal(f"{where}: {name} is not among the variables {shown_variables(variables)}")
        found[named[name]] = term_of(text, problem, over, f"{where}.{name}", named[name].sort)
    return found


def named_values(value: Any, order: list[str], where: str) -> dict[str, Any]:
    """Values by name: an object, or a list of as many texts as ``order`` has names."""
    if value is None:
        return {}
    if isinstance(value, dict):
        return {unbarred(str(name)): item for name, item in value.items()}
    items = value if isinstance(value, list) else [value]
    if any(isinstance(item, dict | list) for item in items):
        raise BadProposal(f'{where}: write {{"variable": "term"}}, or a list of terms in the order of the variables')
    if len(items) != len(order):
        wanted = ", ".join(order) or "no variables"
        raise BadProposal(f"{where}: {len(items)} terms, but in order they are for {wanted}; or write them by name")
    return dict(zip(order, items, strict=True))
