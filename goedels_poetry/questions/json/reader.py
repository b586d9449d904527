"""A JSON logic program to a `LogicProgram`, by way of annotated SMT-LIB text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from goedels_poetry.errors import InvalidInput
from goedels_poetry.questions.entailment.program import LogicPremise, LogicProgram, Place, apart
from goedels_poetry.questions.json.sections import Content, Statement
from goedels_poetry.questions.json.symbols import Declaration, smt_sort
from goedels_poetry.questions.json.terms import smt_text
from goedels_poetry.questions.json.text import Node, Text, decode, read
from goedels_poetry.questions.program.smt2 import read_smt2


def read_json(text: str | bytes) -> LogicProgram:
    """Read a program of the JSON logic language.

    Raises:
        InvalidInput: it is none; with line and column in the JSON text, the JSON path, the place in the expression,
            and what to change.
    """
    source = Text(decode(text))
    try:
        content = _content(source)
        commands = list(_commands(content))
        return _placed(source, content, _read(source, content, commands))
    except InvalidInput as error:
        error.in_text(source.text)
        raise
    except RecursionError:  # the limits should prevent it; a traceback must never be the answer
        raise InvalidInput("the program is nested too deeply", 1, 1, "name parts by functions or constants") from None


def _content(source: Text) -> Content:
    root = read(source)
    if not isinstance(root.value, dict):
        source.refuse(root, f"a program is an object, not {root.kind}", 'write {"sorts": [...], ...}')
    content = Content(source)
    content.read(root)
    return content


def _commands(content: Content) -> Iterator[tuple[str, Node | None]]:
    """The program in SMT-LIB, one command a line, each with what it comes from.

    Each assertion gets its number as a sentence: so it is found again, and never taken for the goal posed once more.
    """
    for sort in content.sorts.declared:
        yield f"(declare-sort {smt_sort(sort)} 0)", None
    for group in content.sorts.groups:
        yield _datatypes(content, group), None
    for symbol in content.functions:
        if symbol.kind == "variable" and symbol.name not in content.typer.loose:
            continue  # it only says the sort of bound variables
        params = " ".join(map(smt_sort, symbol.params))
        yield f"(declare-fun {symbol.smt} ({params}) {smt_sort(symbol.result)})", None
    for number, goal in enumerate(content.goals, 1):
        yield f"(define-fun goal-{number} () Bool {smt_text(goal.formula)})", goal.node
    for number, premise in enumerate(content.premises, 1):
        yield f"(assert (! {smt_text(premise.formula)} :sentence {number}))", premise.node
    for number, constraint in enumerate(content.constraints, 1):
        yield f"(assert (! {smt_text(constraint.formula)} :sentence {number} :objective true))", constraint.node
    for aim in content.aims:
        yield f"({'maximize' if aim.maximize else 'minimize'} {smt_text(aim.term)})", aim.node


def _datatypes(content: Content, group: tuple[Declaration, ...]) -> str:
    table = content.typer.symbols
    heads, bodies = [], []
    for declaration in group:
        sort = content.sorts.sorts[declaration.name]
        heads.append(f"({smt_sort(sort)} 0)")
        constructors = []
        for constructor in declaration.constructors:
            symbol = table.table[constructor.name]
            fields = [
                f"({table.fields[name][sort].smt} {smt_sort(param)})"
                for (name, _), param in zip(constructor.fields, symbol.params, strict=True)
            ]
            constructors.append(f"({' '.join((symbol.smt, *fields))})")
        bodies.append(f"({' '.join(constructors)})")
    return f"(declare-datatypes ({' '.join(heads)}) ({' '.join(bodies)}))"


def _read(source: Text, content: Content, commands: list[tuple[str, Node | None]]) -> LogicProgram:
    try:
        return read_smt2("\n".join(command for command, _ in commands), dialect="json")
    except InvalidInput as error:  # a limit of the SMT-LIB reader
        node = commands[error.line - 1][1] if error.line and error.line <= len(commands) else None
        if node is None:
            raise InvalidInput(error.message, 1, 1, error.hint) from error
        source.refuse(node, error.message, error.hint or "")


def _placed(source: Text, content: Content, program: LogicProgram) -> LogicProgram:
    """The program with names, places and origins from the JSON text."""
    premises, readings = apart(_matched(source, program.premises, content.premises))
    names = {premise.name for premise in premises}
    for statement in content.premises:
        if statement.instead and statement.instead not in names:
            source.refuse(statement.node, f"no premise is named {statement.instead}", "'instead' takes such a name")
    constraints = _matched(source, program.constraints, content.constraints)
    goals = tuple(
        replace(read, name=s.name, place=_place(source, s.node), words=s.words)
        for read, s in zip(program.goals, content.goals, strict=True)
    )
    objectives = tuple(
        replace(read, place=_place(source, aim.node))
        for read, aim in zip(program.objectives, content.aims, strict=True)
    )
    return LogicProgram(
        "json",
        source.text,
        program.signature,
        premises,
        goals,
        objectives,
        constraints,
        readings,
        (*content.warnings, *program.warnings),
    )


def _matched(source: Text, found: tuple[LogicPremise, ...], statements: list[Statement]) -> tuple[LogicPremise, ...]:
    """Premises as they were read, each with what the JSON says of it."""
    if [premise.sentences for premise in found] != [(number,) for number in range(1, len(statements) + 1)]:
        raise InvalidInput("a premise was lost on its way to the solver's language", 1, 1, "report this as a defect")
    return tuple(
        LogicPremise(s.name, read.formula, _place(source, s.node), s.origin, s.sentences, s.words, s.instead)
        for read, s in zip(found, statements, strict=True)
    )


def _place(source: Text, node: Node) -> Place:
    line, column = source.position(node.at)
    return Place(line, column, node.path)
