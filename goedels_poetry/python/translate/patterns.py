"""``match`` statements, and ``try`` with ``except``: which exception is raised is seen from the effects of the body.

These are a choice between outcomes. Handlers that could catch what is out of account (no memory, no stack) are refused,
and so are bodies that call a recursive function whose end is still to be proved: what such a call raises is decided by
nothing.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, and_, integer, is_app, not_, or_, substitute
from goedels_poetry.python.translate.build import INEXACT, RETURNS, cond
from goedels_poetry.python.translate.calls import is_instance
from goedels_poetry.python.translate.contracts import outside
from goedels_poetry.python.translate.frame import After, Blocks, Flow, Frame, NeedsClasses, Value
from goedels_poetry.python.translate.liveness import assigned, reads
from goedels_poetry.python.translate.module import BOOL, INT, Type
from goedels_poetry.python.translate.operators import equals
from goedels_poetry.python.translate.registry import legal


def returns_from_loop(node: ast.stmt) -> bool:
    """Whether a statement is or has a loop with a ``return`` inside."""
    if isinstance(node, ast.For | ast.While):
        return any(isinstance(n, ast.Return) for part in node.body for n in ast.walk(part))
    if isinstance(node, ast.If):
        return any(returns_from_loop(n) for n in (*node.body, *node.orelse))
    return False


def message(frame: Frame, node: ast.expr) -> None:
    """Evaluate what an exception is told, for its effects; texts are put together without a value."""
    if isinstance(node, ast.JoinedStr):
        for part in node.values:
            if isinstance(part, ast.FormattedValue):
                if part.format_spec is not None:
                    outside("an f-string with a format", part, "f-string")
                frame.value(part.value)
    else:
        frame.value(node)


def match(block: Blocks, node: ast.Match, flow: Flow, after: After) -> None:
    """Follow a ``match`` statement: the first case whose pattern and guard hold."""
    if isinstance(node.subject, ast.Tuple):
        parts = [flow.frame.known(flow.frame.value(e)) for e in node.subject.elts]
        kind = Type("tuple", tuple(p.kind for p in parts))
        subject = Value(kind, flow.frame.registry.construct(kind, [p.term for p in parts]))
    else:
        subject = flow.frame.known(flow.frame.value(node.subject))
    if flow.frame.shares(subject.kind):
        flow.frame.share(node.subject)
    _cases(block, node, 0, subject, flow, after)


def _cases(block: Blocks, node: ast.Match, number: int, subject: Value, flow: Flow, after: After) -> None:
    if number == len(node.cases):
        return
    case = node.cases[number]
    names: dict[str, Value] = {}
    test = _matches(flow.frame, case.pattern, subject, names)
    if test is FALSE:
        _cases(block, node, number + 1, subject, flow, after)
        return
    inner = Flow(flow.frame.branch())
    inner.frame.env.update(names)
    if case.guard is not None:
        guard = inner.frame.branch()
        guard.fixed = "it may not be evaluated"
        truth = guard.condition(case.guard)
        flow.frame.join(test, guard)
        test = and_([test, truth])
    block.run(case.body, inner, after)
    if test is TRUE:
        block.take(flow, inner)
        return
    other = Flow(flow.frame.branch())
    for name in names:
        other.frame.env[name] = Value(Type("gone"), TRUE)  # bound or not, by how far the pattern came
    _cases(block, node, number + 1, subject, other, after)
    block.fork(test, flow, inner, other, node)


def _matches(frame: Frame, pattern: ast.pattern, subject: Value, names: dict[str, Value]) -> Term:
    """Whether a value fits a pattern; ``names`` gets what is captured then."""
    registry = frame.registry
    match pattern:
        case ast.MatchAs(pattern=None, name=None):
            return TRUE
        case ast.MatchAs(pattern=inner, name=name):
            if inner is not None:
                subject = replace(subject, owned=False)  # it may get two names
            test = TRUE if inner is None else _matches(frame, inner, subject, names)
            if name is not None:
                names[name] = subject
            return test
        case ast.MatchValue(value=value):
            if subject.kind == INT and isinstance(value, ast.Constant) and isinstance(value.value, bool):
                outside("a truth value in a pattern for an integer", pattern, "match")
            wanted = frame.value(value)
            if "none" in (wanted.kind.kind, subject.kind.kind):
                outside("this pattern is not covered", pattern, "match")
            return equals(frame, subject, wanted, pattern)
        case ast.MatchSingleton(value=None):
            if subject.kind.kind == "optional":
                return registry.is_none(subject.kind.args[0], subject.term)
            return TRUE if subject.kind.kind == "none" else FALSE
        case ast.MatchSingleton(value=value):
            if subject.kind != BOOL:
                outside("True and False are patterns for truth values only", pattern, "match")
            return subject.term if value else not_(subject.term)
        case ast.MatchOr(patterns=patterns):
            tests = []
            for part in patterns:
                inside: dict[str, Value] = {}
                tests.append(_matches(frame, part, subject, inside))
                if inside:
                    outside("names in alternatives of a pattern", pattern, "match")
            return or_(tests)
        case ast.MatchSequence(patterns=patterns):
            return _sequence(frame, patterns, subject, names, pattern)
        case ast.MatchClass():
            return _class(frame, pattern, subject, names)
    return outside("this pattern is not covered", pattern, "match")


def _inside(frame: Frame, subject: Value) -> tuple[Term, Value]:
    """The value of an optional subject, and whether there is one."""
    if subject.kind.kind != "optional":
        return TRUE, subject
    inner = subject.kind.args[0]
    present = not_(frame.registry.is_none(inner, subject.term))
    return present, Value(inner, frame.registry.the(inner, subject.term))


def _sequence(
    frame: Frame, patterns: list[ast.pattern], subject: Value, names: dict[str, Value], node: ast.pattern
) -> Term:
    present, subject = _inside(frame, subject)
    stars = [i for i, p in enumerate(patterns) if isinstance(p, ast.MatchStar)]
    if subject.kind.kind == "tuple":
        if stars:
            outside("a star in a pattern for a tuple", node, "match")
        kinds = subject.kind.args
        if len(kinds) != len(patterns):
            return FALSE
        parts = [Value(k, frame.registry.item(subject.term, subject.kind, i)) for i, k in enumerate(kinds)]
        return and_([present, *(_matches(frame, p, v, names) for p, v in zip(patterns, parts, strict=True))])
    if subject.kind.kind != "list":
        return (
            FALSE
            if subject.kind.kind in ("int", "bool", "str", "enum", "class", "union")
            else outside(f"a sequence pattern for {subject.kind}", node, "match")
        )
    if stars and stars != [len(patterns) - 1]:
        outside("a star that is not the last of a pattern", node, "match")
    library = frame.library(subject.kind.args[0])
    tests, rest = [present], subject.term
    for part in patterns:
        if isinstance(part, ast.MatchStar):
            if part.name is not None:
                names[part.name] = Value(subject.kind, rest, owned=True)
            return and_(tests)
        tests.append(not_(library.is_nil(rest)))
        tests.append(_matches(frame, part, Value(subject.kind.args[0], library.head(rest)), names))
        rest = library.tail(rest)
    return and_([*tests, library.is_nil(rest)])


def _class(frame: Frame, pattern: ast.MatchClass, subject: Value, names: dict[str, Value]) -> Term:
    present, subject = _inside(frame, subject)
    module = frame.registry.module
    test = is_instance(frame, subject, pattern.cls, pattern)
    kind = module.annotations.named.get(pattern.cls.id) if isinstance(pattern.cls, ast.Name) else None
    if not isinstance(kind, Type) or kind.kind != "class":
        if len(pattern.patterns) == 1 and not pattern.kwd_patterns and kind is None:  # int(x)
            return and_([present, test, _matches(frame, pattern.patterns[0], subject, names)])
        if pattern.patterns or pattern.kwd_patterns:
            outside("this pattern is not covered", pattern, "match")
        return and_([present, test])
    fields = module.fields[kind.name]
    if kind.name in module.objects and not module.objects[kind.name].data:
        outside(f"a pattern of `{kind}`, which is no dataclass", pattern, "match")
    if test is FALSE:
        return FALSE
    places = [f.name for f in fields][: len(pattern.patterns)] + list(pattern.kwd_attrs)
    unknown = len(set(places)) < len(places) or any(p not in [f.name for f in fields] for p in places)
    if len(pattern.patterns) > len(fields) or unknown:  # TypeError, or False, when it comes to this
        outside("this pattern does not fit the class", pattern, "match")
    tests = [present, test]
    frame.registry.sort(kind)
    for place, part in zip(places, [*pattern.patterns, *pattern.kwd_patterns], strict=True):
        at = [f.name for f in fields].index(place)
        value = Value(fields[at].kind, frame.registry.select(subject.term, f"{legal(kind.name)}!", at))
        tests.append(_matches(frame, part, value, names))
    return and_(tests)


_OUT_OF_ACCOUNT = (RecursionError, MemoryError, OverflowError, KeyboardInterrupt, SystemExit, GeneratorExit)
GONE = Value(Type("gone"), integer(0))
"""A variable whose value is not followed any more."""


def attempt(block: Blocks, node: ast.Try, flow: Flow, after: After) -> None:
    """Follow a ``try``.

    Raises:
        OutsideFragment: it is not covered. NeedsClasses: so.
    """
    frame = flow.frame
    if frame.registry.effects.classes is None:
        raise NeedsClasses
    if node.finalbody:
        outside("`finally`", node, "try")
    names = [_names(frame, handler) for handler in node.handlers]
    later = frozenset().union(*(reads(part) for part in (*node.handlers, *node.orelse)))
    inside = replace(after, end=after.end | later, tail=False)
    tried = Flow(frame.branch())
    block.run(node.body, tried, inside)
    effect = _unfolded(frame, tried.frame.effect, frozenset(), node)
    raised = _raised(effect)
    block.run(node.orelse, tried, inside)
    left = list(raised)
    result = tried
    cases: list[tuple[Term, Flow]] = []
    for handler, wanted in zip(node.handlers, names, strict=True):
        caught = [x for x in left if any(frame.registry.module.is_subclass(x, name) for name in wanted)]
        left = [x for x in left if x not in caught]
        test = or_([_is(effect, x) for x in caught])
        if test is FALSE:
            continue
        handled = Flow(frame.branch())
        for name in _lost(node.body):
            handled.frame.env[name] = GONE
        if handler.name:
            if handler.name in assigned(handler.body):
                outside(f"`{handler.name}` gets another value, which ends with `except`", handler, "try")
            handled.frame.env[handler.name] = GONE
        block.run(handler.body, handled, inside)
        cases.append((test, handled))
    for test, handled in reversed(cases):
        outer = Flow(frame.branch())
        if test is TRUE:
            block.take(outer, handled)
        else:
            block.fork(test, outer, handled, result, node)
        result = outer
    block.take(flow, result)


def _names(frame: Frame, handler: ast.ExceptHandler) -> list[str]:
    """The exceptions that a handler catches."""
    if handler.type is None:
        outside("`except:` also catches that there is no memory or no stack left", handler, "try")
    parts = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    found: list[str] = []
    for part in parts:
        name = ast.unparse(part) if isinstance(part, ast.Name) else ""
        known = None if not name or name in frame.local else frame.registry.module.exception(name)
        if known is None:
            outside(f"what `{ast.unparse(part)}` is here is not followed", handler, "try")
        if any(frame.registry.module.is_subclass(e.__name__, known) for e in _OUT_OF_ACCOUNT):
            outside(f"`except {name}` also catches that there is no memory or no stack left", handler, "try")
        found.append(known)
        frame.registry.catches = frame.registry.catches or frame.registry.module.is_subclass("ValueError", known)
    return found


def _lost(body: list[ast.stmt]) -> frozenset[str]:
    """Variables of which it is not known in a handler whether the body has changed them."""
    first = body[0]
    if len(body) == 1 and isinstance(first, ast.Assign | ast.AnnAssign | ast.AugAssign):
        targets = first.targets if isinstance(first, ast.Assign) else [first.target]
        if len(targets) == 1 and isinstance(targets[0], ast.Name) and first.value is not None:
            return assigned([first.value])  # the target is bound behind everything that may raise
    return assigned(body)


def _unfolded(frame: Frame, effect: Term, seen: frozenset[str], node: ast.AST) -> Term:
    """The effect as a choice between outcomes; those of functions that call no function again and again unfolded."""
    frame.registry.spend()
    if is_app(effect, "ite"):
        test, then, otherwise = effect.args
        return cond(test, _unfolded(frame, then, seen, node), _unfolded(frame, otherwise, seen, node))
    if effect.kind is Kind.APP and not effect.args and (effect.name in (RETURNS, INEXACT) or _exception(effect)):
        return effect
    made = frame.registry.definitions.get(effect.name) if effect.kind is Kind.APP else None
    if made is None or made.name in seen:
        outside("`try` around a loop or a recursion that may raise an exception", node, "try")
    body = substitute(made.body, dict(zip(made.params, effect.args, strict=True)))
    return _unfolded(frame, body, seen | {made.name}, node)


def _raised(effect: Term) -> list[str]:
    """The exceptions that an effect may be."""
    if is_app(effect, "ite"):
        return list(dict.fromkeys((*_raised(effect.args[1]), *_raised(effect.args[2]))))
    found = _exception(effect)
    return [found] if found and "." not in found else []


def _exception(term: Term) -> str:
    return term.name.removeprefix("raises.") if term.name.startswith("raises.") else ""


def _is(effect: Term, name: str) -> Term:
    """That an effect is this exception."""
    if is_app(effect, "ite"):
        return cond(effect.args[0], _is(effect.args[1], name), _is(effect.args[2], name))
    return TRUE if _exception(effect) == name else FALSE
