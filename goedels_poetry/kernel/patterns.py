"""When one term is an instance of another: which patterns would match for ever."""

from __future__ import annotations

from goedels_poetry.kernel.terms import Kind, Term


def covers(pattern: Term, term: Term) -> bool:
    """Whether ``term`` is an instance of ``pattern``."""
    binding: dict[Term, Term] = {}
    seen: set[tuple[Term, Term]] = set()
    stack = [(pattern, term)]
    while stack:
        p, t = stack.pop()
        if (p, t) in seen:
            continue
        seen.add((p, t))
        if p.kind is Kind.VAR:
            if p.sort is not t.sort or binding.setdefault(p, t) is not t:
                return False
        elif p is not t or p.args:
            if p.kind is not Kind.APP or t.kind is not Kind.APP or len(p.args) != len(t.args):
                return False
            if (p.name, p.indices) != (t.name, t.indices):
                return False
            stack.extend(zip(p.args, t.args, strict=True))
    return True
