"""Texts with several goals: the text that ends in one of them, and a text with lemmas of another file before its goal.

A goal may use what is proved of the goals before it. Its own text is the file's, up to the end of the goal: so what is
declared or asserted later does not count for it, and its certificate is about bytes of the file.
"""

from __future__ import annotations

from goedels_poetry.errors import InvalidInput
from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, attributes, decode, is_word, read
from goedels_poetry.protocol.lines import as_invalid_input
from goedels_poetry.smt.notation.text import parse_problem

IN_LEMMAS = "in the lemmas: "
SEVERAL = "the text states {} goals: name one, as in FILE:{}"


@as_invalid_input()
def goal_commands(text: str) -> list[Group]:
    """The commands that mark goals with ``prove``, in order. InvalidInput: see `parse_problem`."""
    found = [c for c in read(Source(decode(text))) if isinstance(c, Group) and c.items]
    return [c for c in found if is_word(c.items[0], "prove") or is_word(c.items[0], "assert-not")]


def excerpts(text: str) -> tuple[tuple[str, str], ...]:
    """Name and text of each goal that ``text`` marks with ``prove``; the text of an only goal is the whole.

    Raises:
        InvalidInput: it is no theorem.
    """
    problem, commands = parse_problem(text), goal_commands(text)
    start = text.startswith("\ufeff")  # what `decode` leaves out
    if len(commands) < 2:
        return tuple((goal.name, text) for goal in problem.goals)
    return tuple((goal.name, text[: c.end + start]) for goal, c in zip(problem.goals, commands, strict=True))


def excerpt(text: str, name: str) -> str:
    """The text of the goal called ``name``; of a text with one goal its text when there is no name.

    Raises:
        InvalidInput: it is no theorem, has no such goal, or has several and none is named.
    """
    known = dict(excerpts(text))
    there = f"the goals are {', '.join(known)}" if known else "the goal has no name"
    if not name and len(known) > 1:
        raise InvalidInput(SEVERAL.format(len(known), next(iter(known))), hint=there)
    if name and name not in known:
        raise InvalidInput(f"there is no goal `{name}`", hint=nearest(name, known) or there)
    return known[name] if name else text


def preceded_by(text: str, lemmas: str) -> str:
    """``text`` with the goals that ``lemmas`` states before its first goal; an ``assert`` there is a goal, too.

    Raises:
        InvalidInput: one of them is no text of its kind; of the lemmas the message says so, with the place there.
    """
    if not lemmas.strip():
        return text
    head, tail = _around_goal(text)
    try:
        plain = _renamed(lemmas, named=False)
    except InvalidInput as error:
        raise InvalidInput(f"{IN_LEMMAS}{error.message}", error.line, error.column, error.hint) from None
    before, lines = head.count("\n") + 1, plain.count("\n") + 1
    try:
        parse_problem(f"{head}\n{plain}\n{tail}")
    except InvalidInput as error:
        if error.line is None or error.line <= before:
            raise
        inside = error.line <= before + lines
        line, what = (error.line - before, IN_LEMMAS) if inside else (error.line - lines - 1, "")
        raise InvalidInput(f"{what}{error.message}", line, error.column, error.hint) from None
    return f"{head}\n{_renamed(lemmas, named=True)}\n{tail}"


def _around_goal(text: str) -> tuple[str, str]:
    """What stands before the first goal, and the rest; a goal that is asserted becomes one that is to be proved."""
    problem, commands = parse_problem(text), goal_commands(text)
    text = decode(text)
    source = Source(text)
    if commands:
        start = commands[0].offset
        return text[:start], " " * (source.position(start)[1] - 1) + text[start:]
    asserted = [c for c in read(source) if isinstance(c, Group) and c.items and is_word(c.items[0], "assert")]
    there = [c for c in asserted if source.position(c.offset)[0] == problem.goal_line]
    bodies = [(c, attributes(source, c.items[1])[0]) for c in there]
    negated = [(c, b.items[1]) for c, b in bodies if isinstance(b, Group) and is_word(b.items[0], "not")]
    at, body = (negated or bodies)[-1]
    goal = _written(text, body) if negated else f"(not {_written(text, body)})"
    return text[: at.offset], f"(prove {goal}){text[at.end :]}"


@as_invalid_input()
def _renamed(lemmas: str, *, named: bool) -> str:
    """A file of lemmas as goals, in the same places; ``named``: those without a name get one, ``lemma-1`` and so on."""
    lemmas = decode(lemmas)
    source, parts, done, nameless = Source(lemmas), list[str](), 0, 0
    for command in read(source):
        items = command.items if isinstance(command, Group) else []
        head = items[0] if len(items) == 2 else None
        if not isinstance(command, Group) or not isinstance(head, Atom):
            source.fail("a lemma was expected here", command, "write (prove formula)")
        if head.text not in ("prove", "assert"):
            source.fail(f"`{head.text}` in a file of lemmas", head, "it states lemmas over what the theorem declares")
        parts += [lemmas[done : head.offset], "prove " if head.text == "assert" else "prove"]
        done = head.offset + len(head.text)
        keys = [key.text for key, _ in attributes(source, items[1])[1]]
        if named and ":named" not in keys:
            nameless += 1
            inner = items[1].end - 1 if isinstance(items[1], Group) else 0  # of an annotated formula
            before, end, after = ("", inner, "") if keys else (" (!", command.end - 1, ")")
            parts.append(f"{before}{lemmas[done:end]} :named lemma-{nameless}{after}")
            done = end
    return "".join([*parts, lemmas[done:]])


def _written(text: str, expr: SExpr) -> str:
    if isinstance(expr, Group):
        return text[expr.offset : expr.end]
    return f"|{expr.text}|" if expr.quoted else expr.text
