"""What a word of a text means: its definition with its sorts or types. Only the text is read."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from itertools import pairwise

from goedels_poetry.kernel.faults import InvalidText
from goedels_poetry.kernel.reading.reader import Atom, Group, SExpr, Source, decode, is_word, read


def hover(text: str, language: str, offset: int) -> str:
    """Markdown about the word at an offset (in code points); "" where nothing is known of it."""
    find = _OF_LANGUAGES.get(language)
    return find(text, offset) if find is not None else ""


def _of_smt(text: str, offset: int) -> str:
    """A bound variable by the binder around it, else what declares the name."""
    try:
        commands = read(Source(decode(text)))
    except InvalidText:
        return ""
    around: list[Group] = []
    inside: list[SExpr] = commands
    while (group := next((g for g in inside if isinstance(g, Group) and g.offset <= offset < g.end), None)) is not None:
        around.append(group)
        inside = group.items
    atom = next((a for a in inside if isinstance(a, Atom) and a.offset <= offset <= a.offset + len(a.text)), None)
    if atom is None:
        return ""
    for group in reversed(around):
        for pair in _bound(group):
            if isinstance(pair, Group) and len(pair.items) == 2 and is_word(pair.items[0], atom.text):
                sign = "=" if is_word(group.items[0], "let") else ":"
                return f"```smt2\n{atom.text} {sign} {_written(text, pair.items[1])}\n```"
    for command in commands:
        if isinstance(command, Group) and len(command.items) > 1 and _declares(command, atom.text):
            return f"```smt2\n{text[command.offset : command.end]}\n```"
    return ""


def _bound(group: Group) -> list[SExpr]:
    """The pairs of a binder: variables with sorts or, of ``let``, with terms."""
    head = group.items[0] if group.items else None
    place = _BINDERS.get(head.text) if isinstance(head, Atom) else None
    bound = group.items[place] if place is not None and place < len(group.items) else None
    return bound.items if isinstance(bound, Group) else []


_BINDERS = {"forall": 1, "exists": 1, "lambda": 1, "let": 1, "define-fun": 2, "define-fun-rec": 2}


def _declares(command: Group, name: str) -> bool:
    """Whether a declaration, a definition, or a datatype with that constructor or selector."""
    head = command.items[0]
    if not isinstance(head, Atom) or not head.text.startswith(("declare-", "define-")):
        return False
    if is_word(command.items[1], name):
        return True
    nested = "datatype" in head.text or head.text == "define-funs-rec"
    todo = [part for part in command.items[1:] if isinstance(part, Group)] if nested else []
    while todo:
        group = todo.pop()
        if group.items and is_word(group.items[0], name):
            return True
        todo += [part for part in group.items if isinstance(part, Group)]
    return False


def _written(text: str, expr: SExpr) -> str:
    return " ".join(text[expr.offset : expr.end].split()) if isinstance(expr, Group) else expr.text


def _of_python(text: str, offset: int) -> str:
    """A function with its contract, a parameter with its annotation."""
    from goedels_poetry.python.translate.contracts import PythonFault  # only where there is Python
    from goedels_poetry.python.translate.program import read_program

    try:
        program = read_program(text)
    except PythonFault:
        return ""
    word, line = _word(text, offset), text.count("\n", 0, offset) + 1
    for function in program.functions.values():
        first = min([function.line, *(decorator.lineno for decorator in function.node.decorator_list)])
        if first <= line <= (function.node.end_lineno or first):
            for parameter in function.parameters:
                if parameter.name == word and parameter.annotation:
                    return f"```python\n{word}: {parameter.annotation}\n```"
    if word not in program.functions:
        return ""
    function = program.functions[word]
    header = ast.unparse(ast.FunctionDef(word, function.node.args, [ast.Pass()], [], function.node.returns, lineno=1))
    contract = function.contract
    said = [f"requires {c.text}" for c in contract.requires] + [f"ensures {c.text}" for c in contract.ensures]
    said += [f"raises {r.exception}" + (f" when {r.when.text}" if r.when else "") for r in contract.raises]
    return "\n".join([f"```python\n{header.splitlines()[0]}", *(f"    # {line}" for line in said), "```"])


def _of_lean(text: str, offset: int) -> str:
    """The statement of a declaration of this file."""
    from goedels_poetry.lean.runtime.tokens import tokenize  # only where there is Lean

    word, tokens = _word(text, offset), list(tokenize(text))
    for at, (token, following) in enumerate(pairwise(tokens)):
        if token.text in _LEAN and following.text == word:
            end = next((a.start for a, b in pairwise(tokens[at:]) if _ends(a.text, b.text)), len(text))
            return f"```lean\n{text[token.start : end].strip()}\n```"
    return ""


def _ends(token: str, following: str) -> bool:
    return token in ("where", "|") or (token, following) == (":", "=")


_LEAN = frozenset({"theorem", "lemma", "def", "abbrev", "structure", "inductive", "axiom", "opaque", "class"})
_LETTERS = "_'.!?"


def _word(text: str, offset: int) -> str:
    def letters(step: int, at: int) -> Iterator[int]:
        while 0 <= at < len(text) and (text[at].isalnum() or text[at] in _LETTERS):
            yield at
            at += step

    return text[min([offset, *letters(-1, offset - 1)]) : max([offset - 1, *letters(1, offset)]) + 1]


_OF_LANGUAGES: dict[str, Callable[[str, int], str]] = {"smt": _of_smt, "python": _of_python, "lean": _of_lean}
