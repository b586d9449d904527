"""Whether what a stranger declares still states what the user's original states."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from goedels_poetry.kernel.lean.stream import Constant, Expr, Stream, children

_MADE_BY_LEAN = re.compile(r"(^|\.)(_(?!private)|match_[0-9]|splitter$|congr_eq)")
_KINDS = {
    "thm": "a theorem",
    "def": "a definition",
    "axiom": "an axiom",
    "opaque": "an opaque constant",
    "inductive": "an inductive type",
}


class Comparison:
    """Two streams, and which of their constants were found to be alike.

    Constants are compared by name. What Lean makes by itself, such as `t.match_1`, is compared by what it is: its name
    depends on what was elaborated before it. Names and kinds of binders play no part.
    """

    def __init__(self, theirs: Stream, ours: Stream) -> None:
        self.theirs = theirs
        self.ours = ours
        # One difference anywhere makes the whole answer no, so what was begun counts as alike.
        self._alike: set[tuple[int, int]] = set()
        self._levels_alike: set[tuple[int, int]] = set()

    def difference(self, theorems: Iterable[str], negates: str = "") -> str:
        """Why ours does not state what theirs states; "" when it does.

        Every constant of theirs has to be in ours, of the same kind, type and value. Of theorems only the wanted ones
        have to be there; where others are, they have the same type. With ``negates``, the one wanted theorem is new
        and says that this theorem of theirs is false.
        """
        wanted = list(theorems)
        if negates:
            return self._negation(wanted[0], negates) or self._everything(())
        return self._everything(wanted)

    def _everything(self, wanted: Iterable[str]) -> str:
        wanted = set(wanted)
        for name in sorted(wanted):
            if name not in self.theirs.constants:
                return f"the original does not declare {name}"
        for name, (constant, _) in self.theirs.constants.items():
            found = self.ours.constants.get(name)
            optional = constant.kind == "thm" or made_by_lean(self.theirs, name) or not constant.safe
            if name not in wanted and optional and (found is None or made_by_lean(self.ours, name)):
                continue
            if found is None:
                return f"{name} is missing"
            if why := self._constants(constant, found[0]):
                return why.format(name)
        return ""

    def _negation(self, name: str, negates: str) -> str:
        a, b = self.theirs.constants.get(negates), self.ours.constants.get(name)
        if a is None or a[0].kind != "thm":
            return f"the original does not declare {negates}"
        if b is None or b[0].kind != "thm":
            return f"{name} is missing"
        denied = self.ours.exprs[b[0].type]
        head = self.ours.exprs[denied[1]] if denied[0] == "app" else denied
        says = denied[0] == "app" and head[0] == "const" and self.ours.names[head[1]] == "Not" and head[2] == ()
        if (
            not says
            or "Not" in self.ours.constants
            or a[0].levels != b[0].levels
            or not self._same(a[0].type, denied[2])
        ):
            return f"{name} does not say that {negates} is false"
        return ""

    def _constants(self, a: Constant, b: Constant) -> str:
        if a.kind != b.kind:
            return f"{{}} is no longer {_KINDS.get(a.kind, f'a {a.kind}')}"
        if a.levels != b.levels or not self._same(a.type, b.type):
            return "the type of {} is another one"
        if a.kind == "thm":
            return ""
        if a.safe != b.safe or a.facts != b.facts or not self._values(a, b):
            return "the value of {} is another one"
        return ""

    def _values(self, a: Constant, b: Constant) -> bool:
        if (a.value is None) != (b.value is None) or len(a.rules) != len(b.rules):
            return False
        pairs = list(zip(a.rules, b.rules, strict=True))
        if a.value is not None and b.value is not None:
            pairs.append((a.value, b.value))
        return all(self._same(x, y) for x, y in pairs)

    def _same(self, a: int, b: int) -> bool:
        """Whether an expression of theirs is one of ours."""
        todo = [(a, b)]
        while todo:
            pair = todo.pop()
            self.ours.clock.tick()
            if pair in self._alike:
                continue
            self._alike.add(pair)
            x, y = self.theirs.exprs[pair[0]], self.ours.exprs[pair[1]]
            if x[0] != y[0] or not self._heads(x, y, todo):
                return False
            todo.extend(zip(children(x), children(y), strict=True))
        return True

    def _heads(self, x: Expr, y: Expr, todo: list[tuple[int, int]]) -> bool:
        """Whether two expressions of the same kind agree in what is no expression."""
        if x[0] == "const":
            return self._mentions(x, y, todo)
        if x[0] == "sort":
            return self._levels((x[1],), (y[1],))
        if x[0] == "proj":
            return self._named(self.theirs.names[x[1]], self.ours.names[y[1]]) and x[2] == y[2]
        return x[0] not in ("bvar", "natVal", "strVal") or x[1] == y[1]

    def _mentions(self, x: Expr, y: Expr, todo: list[tuple[int, int]]) -> bool:
        if not self._levels(x[2], y[2]):
            return False
        n, m = self.theirs.names[x[1]], self.ours.names[y[1]]
        if not (made_by_lean(self.theirs, n) and made_by_lean(self.ours, m)):
            return self._named(n, m)
        a, b = self.theirs.constants[n][0], self.ours.constants[m][0]
        if a.kind != b.kind or a.levels != b.levels or a.safe != b.safe:
            return False
        todo.append((a.type, b.type))
        if a.kind == "def" and a.value is not None and b.value is not None:
            todo.append((a.value, b.value))
        return True

    def _named(self, n: str, m: str) -> bool:
        return n == m and (n in self.theirs.constants) == (m in self.ours.constants)

    def _levels(self, a: Sequence[int], b: Sequence[int]) -> bool:
        if len(a) != len(b):
            return False
        todo = list(zip(a, b, strict=True))
        while todo:
            pair = todo.pop()
            if pair in self._levels_alike:
                continue
            self._levels_alike.add(pair)
            x, y = self.theirs.levels[pair[0]], self.ours.levels[pair[1]]
            if x[0] != y[0] or (x[0] == "param" and self.theirs.names[x[1]] != self.ours.names[y[1]]):
                return False
            if x[0] != "param":
                todo.extend(zip(x[1:], y[1:], strict=True))
        return True


def made_by_lean(stream: Stream, name: str) -> bool:
    """Whether it is one that Lean makes by itself and that is known whole by its type and value."""
    found = stream.constants.get(name)
    return found is not None and found[0].kind in ("thm", "def") and _MADE_BY_LEAN.search(name) is not None


__all__ = ["Comparison", "made_by_lean"]
