"""``try`` with ``except`` and ``finally``: which exception is raised is seen from the effects of the body.

These are a choice between outcomes.

Handlers that could catch what is out of account (no memory, no stack) are refused, and so are bodies that call a
recursive function whose end is still to be proved: what such a call raises is decided by nothing.
"""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.kernel.terms import FALSE, TRUE, Kind, Term, integer, is_app, or_, substitute
from goedels_poetry.python.translate.build import INEXACT, RETURNS, cond
from goedels_poetry.python.translate.faults import outside
from goedels_poetry.python.translate.flow import After, Blocks, Flow
from goedels_poetry.python.translate.frame import Frame, NeedsClasses, Value
from goedels_poetry.python.translate.liveness import assigned, reads
from goedels_poetry.python.translate.types import Type

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
        _finally(block, node, flow, after)
        return
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


def _finally(block: Blocks, node: ast.Try, flow: Flow, after: After) -> None:
    """``finally`` that is run to its end: once behind what goes on, once behind what leaves the block."""
    frame = flow.frame
    leaving = (ast.Return, ast.Break, ast.Continue, ast.Raise)
    if any(isinstance(n, leaving) for part in node.finalbody for n in ast.walk(part)):
        outside("`finally` with return, raise, break or continue", node, "try")
    kept = frozenset[str]().union(*map(reads, node.finalbody))
    inside = replace(
        after, end=after.end | kept, broken=after.broken | kept, continued=after.continued | kept, tail=False
    )
    tried = Flow(frame.branch())
    inner = ast.copy_location(ast.Try(node.body, node.handlers, node.orelse, []), node)
    block.run([inner] if node.handlers else node.body, tried, inside)
    if tried.broke is not FALSE or tried.continued is not FALSE:
        outside("`finally` where a loop is left", node, "try")
    for result in (n for n in ast.walk(inner) if isinstance(n, ast.Return)):
        tried.frame.share(result)  # what is returned is there before `finally` runs
    effect = _unfolded(frame, tried.frame.effect, frozenset(), node)
    unit = frame.registry.effects.unit
    gone, normal = Flow(tried.frame.branch()), Flow(tried.frame.branch())
    gone.frame.env.update(dict.fromkeys(assigned([inner]), GONE))
    if effect is not unit or tried.returned is not FALSE:
        block.run(node.finalbody, gone, replace(after, tail=False))
    if tried.returned is not TRUE:
        block.run(node.finalbody, normal, replace(after, tail=False))

    def behind(part: Term) -> Term:
        if is_app(part, "ite"):
            return cond(part.args[0], behind(part.args[1]), behind(part.args[2]))
        effects = frame.registry.effects
        if part is unit:
            return effects.branch(tried.returned, gone.frame.effect, normal.frame.effect)
        return effects.then(gone.frame.effect, part)

    normal.frame.effect = behind(effect)
    normal.returned, normal.value = tried.returned, tried.value
    block.take(flow, normal)


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
