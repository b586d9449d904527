"""The sorts of variables from where they stand, and the formula as SMT-LIB text."""

from __future__ import annotations

from goedels_poetry.kernel.printer import show_sort, show_symbol
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.terms import BOOL, INT, REAL, Sort, Term
from goedels_poetry.smt.notation.binders import Variable
from goedels_poetry.smt.notation.grammar import Node
from goedels_poetry.smt.notation.tokens import NotRead

_CONNECTIVES = frozenset({"and", "or", "not", "=>"})
_ORDERS = frozenset({"<", "<=", ">", ">="})
_ALIKE = frozenset({"=", "distinct"})
_ARITHMETIC = frozenset({"+", "-", "*", "/", "div", "mod", "abs"})
_MOST_ROUNDS = 50


def written(
    root: Node, implicit: dict[str, Variable], signature: Signature, variables: tuple[Term, ...], sort: Sort | None
) -> str:
    """The formula as SMT-LIB text; variables that stand free and are any values are bound in front.

    Raises:
        NotRead: the sort of a variable cannot be told.
    """
    inference = _Inference(signature)
    every = _variables(root, implicit)
    used = _used(root)
    elsewhere = {v.name: v.sort for v in variables}
    inference.settle(root, sort)
    for default in (False, True):
        inference.numbers = default
        inference.settle(root, sort)
        for variable in every:
            if variable.sort is None and not default:
                variable.sort = elsewhere.get(variable.name)
                inference.settle(root, sort)
    if unknown := [v.name for v in every if v.sort is None and v in used]:
        raise NotRead(f"the sort of {', '.join(unknown)} cannot be told: bind each variable with its sort")
    if odd := [name for name, variable in implicit.items() if variable.sort is BOOL]:
        raise NotRead(f"there is no {', '.join(odd)}")  # a word that is a whole claim, as "sorry", is no variable
    text = inference.text(root)
    natural = [f"(>= {show_symbol(v.name)} 0)" for v in implicit.values() if v.natural]
    for condition in natural:
        text = f"(=> {condition} {text})"
    return _bound("forall", tuple(implicit.values()), text)


def _bound(kind: str, variables: tuple[Variable, ...], text: str) -> str:
    """A quantifier over variables; those of no known sort occur nowhere."""
    known = " ".join(f"({show_symbol(v.name)} {show_sort(v.sort)})" for v in variables if v.sort is not None)
    return f"({kind} ({known}) {text})" if known else text


def _used(root: Node) -> set[Variable]:
    found: set[Variable] = set()
    stack = [root]
    while stack:
        node = stack.pop()
        found |= {node.variable} if node.variable is not None else set()
        stack.extend(node.args)
    return found


def _variables(root: Node, implicit: dict[str, Variable]) -> list[Variable]:
    found = list(implicit.values())
    stack = [root]
    while stack:
        node = stack.pop()
        found.extend(node.bound)
        stack.extend(node.args)
    return found


class _Inference:
    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.changed = False
        self.numbers = False
        """Whether what is compared or added up and not known otherwise is an integer."""

    def settle(self, root: Node, sort: Sort | None) -> None:
        """Find out what can be found out."""
        for _ in range(_MOST_ROUNDS):
            self.changed = False
            self.sort_of(root, sort)
            if not self.changed:
                return

    def sort_of(self, node: Node, expected: Sort | None) -> Sort | None:
        """The sort of a term, as far as it is known; what is expected of it is told to its variables."""
        if node.variable is not None:
            if node.variable.sort is None and expected is not None:
                node.variable.sort = expected
                self.changed = True
            return node.variable.sort
        if node.bound:
            self.sort_of(node.args[0], BOOL)
            return BOOL
        typed = self._type(node.head)
        if typed is not None:
            for part, sort in zip(node.args, typed[0], strict=False):
                self.sort_of(part, sort)
            return typed[1]
        return self._built_in(node, expected)

    def _type(self, name: str) -> tuple[tuple[Sort | None, ...], Sort] | None:
        typed = self.signature.type_of(name)
        if typed is not None:
            return typed
        made = self.signature.constructor(name)
        if made is not None:
            return tuple(sort for _, sort in made[1].fields), made[0].sort
        read = self.signature.selector(name)
        if read is not None:
            datatype, constructor, place = read
            return (datatype.sort,), constructor.fields[place][1]
        tested = self.signature.constructor(name[3:]) if name[:3] in ("is ", "is-") else None
        return ((tested[0].sort,), BOOL) if tested is not None else None

    def _built_in(self, node: Node, expected: Sort | None) -> Sort | None:
        head = node.head
        if head in ("true", "false"):
            return BOOL
        if head[0].isdigit():
            return expected if expected is REAL else INT if self.numbers and expected is None else expected
        if head in _CONNECTIVES:
            self._tell(node.args, BOOL)
            return BOOL
        if head in _ALIKE | _ORDERS:
            self._tell(node.args, self._common(node.args, None, arithmetic=head in _ORDERS))
            return BOOL
        if head == "ite":
            self.sort_of(node.args[0], BOOL)
            shared = self._common(node.args[1:], expected)
            self._tell(node.args[1:], shared)
            return shared
        if head in _ARITHMETIC:
            shared = self._common(node.args, expected, arithmetic=True)
            self._tell(node.args, shared)
            return shared
        for part in node.args:
            self.sort_of(part, None)
        return None

    def _common(self, parts: tuple[Node, ...], expected: Sort | None, *, arithmetic: bool = False) -> Sort | None:
        known = [sort for sort in (self.sort_of(part, None) for part in parts) if sort is not None]
        found = known[0] if known else expected
        number = arithmetic or any(part.head[0].isdigit() and part.variable is None for part in parts)
        return INT if found is None and number and self.numbers else found

    def _tell(self, parts: tuple[Node, ...], sort: Sort | None) -> None:
        for part in parts:
            self.sort_of(part, sort)

    # ------------------------------------------------------------------------------------------------------- text

    def text(self, node: Node) -> str:
        """SMT-LIB."""
        if node.bound:
            return _bound(node.head, node.bound, self.text(node.args[0]))
        if node.head[:3] == "is ":
            return f"((_ is {show_symbol(node.head[3:])}) {self.text(node.args[0])})"
        head = "div" if node.head == "/" and self._common(node.args, None) is not REAL else node.head
        plain = node.variable is None and (
            head in _CONNECTIVES | _ALIKE | _ORDERS | _ARITHMETIC or head[0].isdigit() or self._type(head) is None
        )
        shown = head if plain else show_symbol(head)
        return f"({shown} {' '.join(map(self.text, node.args))})" if node.args else shown
