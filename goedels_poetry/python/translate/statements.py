"""Statements: what a block makes of the variables, where it leaves, and with what.

A block is followed symbolically. After an ``if`` each variable is merged, so that what follows is translated once; that
a block was left is a condition, which is false or true for most.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import replace

from goedels_poetry.kernel.terms import FALSE, TRUE, Term, app, not_, or_
from goedels_poetry.python.translate import loops, mappings, mutation, patterns
from goedels_poetry.python.translate.build import INEXACT, cond
from goedels_poetry.python.translate.contracts import OutsideFragment, outside
from goedels_poetry.python.translate.frame import After, Flow, Frame, Value
from goedels_poetry.python.translate.indices import element
from goedels_poetry.python.translate.liveness import live, reads
from goedels_poetry.python.translate.module import NONE, Type
from goedels_poetry.python.translate.operators import operate, unpacked


class Block:
    """Follows the statements of one function whose result is of type ``result``."""

    def __init__(self, result: Type, fresh: bool = False) -> None:
        self.result, self.fresh = result, fresh  # fresh: what is returned must be no part of an object

    def run(self, statements: Sequence[ast.stmt], flow: Flow, after: After) -> None:
        """Follow statements from a point that is reached. Raises OutsideFragment: something is not covered."""
        for i, node in enumerate(statements):
            rest = tuple(statements[i + 1 :])
            left = flow.left
            if left is TRUE:
                return
            if left is not FALSE:
                self._go_on(statements[i:], flow, after)
                return
            flow.frame.registry.spend()
            here = replace(after, end=live(rest, after.end, after.broken, after.continued), tail=False)
            if after.tail and patterns.returns_from_loop(node) and self._with_rest(node, rest, flow, after):
                return
            if after.tail and not rest:
                here = replace(here, tail=True)
            try:
                self.statement(node, flow, here)
            except OutsideFragment as why:
                if why.line is None:
                    outside(why.message, node, why.construct)
                raise

    def _with_rest(self, node: ast.stmt, rest: tuple[ast.stmt, ...], flow: Flow, after: After) -> bool:
        """A loop that may return is translated together with all that follows it; so is an ``if`` around one."""
        if isinstance(node, ast.For | ast.While):
            loops.loop(self, node, flow, after, rest)
            return True
        if isinstance(node, ast.If):
            self._if(node, flow, after, rest)
            return True
        return False

    def _go_on(self, statements: Sequence[ast.stmt], flow: Flow, after: After) -> None:
        """Follow what is reached only when the block has not been left."""
        left = flow.left
        inner = Flow(flow.frame.branch())
        self.run(statements, inner, after)
        flow.frame.join(left, None, inner.frame)
        kept = or_([flow.broke, flow.continued])
        if kept is FALSE:
            flow.frame.env = inner.frame.env
        else:
            flow.frame.env = self.merged(kept, flow.frame, inner.frame, statements[0])
        flow.value = self._merged_result(flow.returned, flow, inner, statements[0])
        flow.returned = cond(left, flow.returned, inner.returned)
        flow.broke = cond(left, flow.broke, inner.broke)
        flow.continued = cond(left, flow.continued, inner.continued)

    def _merged_result(self, condition: Term, a: Flow, b: Flow, node: ast.AST) -> Value | None:
        if a.value is None or a.returned is FALSE:
            return b.value
        if b.value is None or b.returned is FALSE:
            return a.value
        return a.frame.merge(condition, a.value, b.value, node, "the result")

    def merged(self, condition: Term, a: Frame, b: Frame, node: ast.AST) -> dict[str, Value]:
        """The variables after one branch or the other."""
        env: dict[str, Value] = {}
        for name in (*a.env, *(n for n in b.env if n not in a.env)):
            x, y = a.env.get(name), b.env.get(name)
            if x is not None and y is not None:
                if x is y or (x.wide or x) is (y.wide or y):
                    env[name] = x if x is y else x.wide or x
                elif "gone" in (x.kind.kind, y.kind.kind):
                    env[name] = x if x.kind.kind == "gone" else y
                else:
                    env[name] = a.merge(condition, x, y, node, f"`{name}`")
            else:
                one = x or y
                assert one is not None
                is_set = condition if x is not None else not_(condition)
                env[name] = replace(one, bound=cond(is_set, one.bound, FALSE))
        return env

    def finish(self, flow: Flow, node: ast.AST) -> None:
        """The function ends here: what has not been left gives None."""
        if flow.left is TRUE:
            return
        inner = Flow(flow.frame.branch())
        if self.result.kind in ("none", "optional"):
            none = Value(NONE, app("None.", (), inner.frame.registry.sort(NONE)))
            inner.value, inner.returned = inner.frame.coerce(none, self.result, node), TRUE
        else:
            self.fail(inner, INEXACT)  # None, which is not of the type that is promised
        flow.frame.join(flow.left, None, inner.frame)
        flow.value = self._merged_result(flow.returned, flow, inner, node)
        flow.returned = TRUE

    # -------------------------------------------------------------------------------------- statements

    def statement(self, node: ast.stmt, flow: Flow, after: After) -> None:
        """Follow one statement."""
        frame = flow.frame
        header = next((getattr(node, name) for name in ("test", "iter", "subject") if hasattr(node, name)), node)
        self._check_changes(header)
        match node:
            case ast.Pass():
                return
            case ast.Expr():
                self._expression(node, flow)
            case ast.Return():
                self._return(node, flow)
            case ast.Assign():
                self._assign(node, frame)
            case ast.AnnAssign():
                self._annotated(node, frame)
            case ast.AugAssign():
                self._augmented(node, frame)
            case ast.If():
                self._if(node, flow, after, ())
            case ast.For() | ast.While():
                loops.loop(self, node, flow, after, None)
            case ast.Try():
                patterns.attempt(self, node, flow, after)
            case ast.Match():
                patterns.match(self, node, flow, after)
            case ast.Delete():
                for target in node.targets:
                    mutation.delete(frame, target, node)
            case ast.Assert():
                self._assert(node, flow)
            case ast.Raise():
                self._raise(node, flow)
            case ast.Break():
                flow.broke = TRUE
            case ast.Continue():
                flow.continued = TRUE
            case _:
                outside(f"`{type(node).__name__}` is not covered", node)

    def fail(self, flow: Flow, exception: str) -> None:
        """The block is left by an exception for sure."""
        flow.frame.check(FALSE, exception)
        flow.returned, flow.value = TRUE, None

    def _expression(self, node: ast.Expr, flow: Flow) -> None:
        value = node.value
        if isinstance(value, ast.Constant):
            return
        stated = loops.hint(flow.frame, value) if isinstance(value, ast.Call) else None
        if stated is not None:
            self._assert(ast.copy_location(ast.Assert(stated.checked), node), flow)
            return
        if not (isinstance(value, ast.Call) and mutation.change(flow.frame, value)):
            flow.frame.value(value)

    def _return(self, node: ast.Return, flow: Flow) -> None:
        constant = ast.copy_location(ast.Constant(None), node)
        value = flow.frame.value(node.value or constant)
        if self.fresh and flow.frame.shares(value.kind) and not flow.frame.is_own(value):
            outside("what is returned may be part of the object: return a copy, such as list(...)", node, "aliasing")
        flow.value = flow.frame.coerce(value, self.result, node, "the result")
        flow.returned = TRUE

    def _check_changes(self, node: ast.AST) -> None:
        """A statement that pops from a list mentions that list in no other way."""
        popped: dict[str, int] = {}
        for part in ast.walk(node):
            receiver = part.func.value if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute) else None
            if isinstance(part, ast.Call) and isinstance(receiver, ast.Name) and _is_pop(part):
                popped[receiver.id] = popped.get(receiver.id, 0) + 1
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not _is_pop(node.value):
            receiver = node.value.func.value if isinstance(node.value.func, ast.Attribute) else None
            if isinstance(receiver, ast.Name) and receiver.id in popped:
                popped[receiver.id] += 1  # xs.append(xs.pop()): what is added is there before the list is changed
        for name, count in popped.items():
            if sum(1 for p in ast.walk(node) if isinstance(p, ast.Name) and p.id == name) != count:
                outside("a list is changed by an expression that mentions it elsewhere", node, "mutation")

    def _assign(self, node: ast.Assign, frame: Frame) -> None:
        first = node.targets[0]
        if getattr(node, "taken", False) and isinstance(first, ast.Name):  # a field of `self`, see `methods`
            frame.env[first.id] = replace(frame.value(node.value), owned=True)
            return
        if getattr(node, "moved", False) and isinstance(first, ast.Name) and isinstance(node.value, ast.Name):
            value = frame.value(node.value)
            frame.env[first.id] = replace(value, owned=frame.env[node.value.id].owned)
            return
        if len(node.targets) == 1 and isinstance(first, ast.Tuple) and isinstance(node.value, ast.Tuple):
            starred = any(isinstance(e, ast.Starred) for e in (*first.elts, *node.value.elts))
            pairs = list(zip(first.elts, node.value.elts, strict=False))
            if len(first.elts) == len(node.value.elts) == len(pairs) and not starred:
                values = [self._evaluated(frame, e) for _, e in pairs]
                for (target, _), value in zip(pairs, values, strict=True):
                    self._store(frame, target, value, node)
                return
        value = self._evaluated(frame, node.value)
        if len(node.targets) > 1:
            value = replace(value, owned=False)
        for target in node.targets:
            self._store(frame, target, value, node)

    def _evaluated(self, frame: Frame, node: ast.expr) -> Value:
        value = frame.value(node)
        if frame.shares(value.kind) and not value.owned:
            frame.share(node)
        return value

    def _store(self, frame: Frame, target: ast.expr, value: Value, node: ast.stmt) -> None:
        if isinstance(target, ast.Name):
            frame.env[target.id] = value
        elif isinstance(target, ast.Tuple | ast.List):
            if any(isinstance(t, ast.Starred) for t in target.elts):
                self._starred(frame, target.elts, value, node)
                return
            for name, part in zip(target.elts, unpacked(frame, value, len(target.elts), node), strict=True):
                self._store(frame, name, part, node)
        elif isinstance(target, ast.Subscript) and isinstance(target.value, ast.Name):
            self._put(frame, target, value, node)
        else:
            outside("an assignment to this is not covered", target, "assignment")

    def _starred(self, frame: Frame, targets: list[ast.expr], value: Value, node: ast.stmt) -> None:
        """``first, *rest = xs``."""
        value = frame.known(frame.present(value, "TypeError"))
        star = targets[-1]
        if value.kind.kind != "list" or not isinstance(star, ast.Starred):
            outside("a starred target that is not the last", node, "Starred")
        assert isinstance(star, ast.Starred)
        library = frame.library(value.kind.args[0])
        rest, parts = value.term, []
        for _ in targets[:-1]:
            frame.check(not_(library.is_nil(rest)), "ValueError")
            parts.append(Value(value.kind.args[0], library.head(rest)))
            rest = library.tail(rest)
        for target, part in zip(targets, [*parts, Value(value.kind, rest, owned=True)], strict=True):
            self._store(frame, target.value if isinstance(target, ast.Starred) else target, part, node)

    def _put(self, frame: Frame, target: ast.Subscript, value: Value, node: ast.stmt) -> None:
        assert isinstance(target.value, ast.Name)
        if isinstance(target.slice, ast.Slice):
            outside("an assignment to a slice", target, "slice assignment")
        if target.value.id in reads(target.slice):
            outside("a list is changed by an expression that mentions it elsewhere", node, "mutation")
        if target.value.id in frame.env:
            frame.check(frame.env[target.value.id].bound, "UnboundLocalError")
        index = frame.value(target.slice)
        if target.value.id in frame.env and frame.env[target.value.id].kind.kind == "dict":
            whole = mutation.owned(frame, target.value, node, "dict")
            frame.env[target.value.id] = mappings.put(frame, whole, index, value, node)
            return
        xs = mutation.owned(frame, target.value, node)
        at = frame.coerce(index, _INT, node)
        _, change = element(frame, at, xs)
        value = frame.coerce(value, xs.kind.args[0], node, "the element")
        frame.env[target.value.id] = replace(xs, term=change(value.term))

    def _annotated(self, node: ast.AnnAssign, frame: Frame) -> None:
        if not isinstance(node.target, ast.Name):
            outside("an annotation of this", node, "AnnAssign")
        assert isinstance(node.target, ast.Name)
        kind = frame.registry.module.annotations.read(node.annotation, node)
        if node.value is None:
            return
        value = self._evaluated(frame, node.value)
        frame.env[node.target.id] = frame.coerce(value, kind, node, f"`{node.target.id}`")

    def _augmented(self, node: ast.AugAssign, frame: Frame) -> None:
        if isinstance(node.target, ast.Name):
            old = frame.value(ast.copy_location(ast.Name(node.target.id, ast.Load()), node.target))
            if old.kind.kind == "list" or (old.kind.kind == "optional" and old.kind.args[0].kind == "list"):
                self._augmented_list(node, node.target, frame)
                return
            if old.kind.kind in ("set", "dict"):  # in place: whoever else has it sees the change
                mutation.owned(frame, node.target, node, old.kind.kind)
                old = replace(frame.env[node.target.id], bound=TRUE)
                changed = operate(frame, node.op, old, frame.value(node.value), node)
                frame.env[node.target.id] = replace(changed, owned=True)
                return
            value = frame.value(node.value)
            if value.kind.kind == "list":
                outside("a list is added to something else", node, "types")
            frame.env[node.target.id] = replace(operate(frame, node.op, old, value, node), owned=False)
        elif isinstance(node.target, ast.Subscript) and isinstance(node.target.value, ast.Name):
            if isinstance(node.target.slice, ast.Slice):
                outside("an assignment to a slice", node, "slice assignment")
            if node.target.value.id in reads(node.target.slice):
                outside("a list is changed by an expression that mentions it elsewhere", node, "mutation")
            if node.target.value.id in frame.env and frame.env[node.target.value.id].kind.kind == "dict":
                self._augmented_entry(node, node.target, node.target.value, frame)
                return
            xs = mutation.owned(frame, node.target.value, node)
            index = frame.coerce(frame.value(node.target.slice), _INT, node)
            old, change = element(frame, index, xs)
            if frame.shares(old.kind):
                outside("a list in a list is changed", node, "aliasing")
            value = operate(frame, node.op, old, frame.value(node.value), node)
            value = frame.coerce(value, xs.kind.args[0], node)
            frame.env[node.target.value.id] = replace(xs, term=change(value.term))
        else:
            outside("an assignment to this is not covered", node, "assignment")

    def _augmented_entry(self, node: ast.AugAssign, target: ast.Subscript, name: ast.Name, frame: Frame) -> None:
        """``d[key] += value``."""
        whole = mutation.owned(frame, name, node, "dict")
        key = frame.value(target.slice)
        old = mappings.element(frame, whole, key, node)
        if frame.shares(old.kind):
            outside("a list in a dict is changed", node, "aliasing")
        if name.id in reads(node.value):
            outside("a dict is changed by an expression that mentions it elsewhere", node, "mutation")
        value = operate(frame, node.op, old, frame.value(node.value), node)
        frame.env[name.id] = mappings.put(frame, whole, key, value, node)

    def _augmented_list(self, node: ast.AugAssign, target: ast.Name, frame: Frame) -> None:
        if isinstance(node.op, ast.Add):
            value = frame.rules.listed(frame, node.value)
            if value.kind.kind == "list" and frame.shares(value.kind.args[0]):
                frame.share(node.value)
            mutation.extend(frame, target, value, node)
        else:
            old = mutation.owned(frame, target, node)
            frame.env[target.id] = operate(frame, node.op, old, frame.value(node.value), node)

    def _assert(self, node: ast.Assert, flow: Flow) -> None:
        test = flow.frame.condition(node.test)
        if node.msg is not None:
            inner = flow.frame.part("it may not be evaluated")
            patterns.message(inner, node.msg)
            flow.frame.join(test, None, inner)
        if test is FALSE:
            self.fail(flow, "AssertionError")
        else:
            flow.frame.check(test, "AssertionError")
            flow.frame.narrow(node.test, True)

    def _raise(self, node: ast.Raise, flow: Flow) -> None:
        raised, count = node.exc, 0
        cause = node.cause
        if isinstance(cause, ast.Name):  # the exception that is handled: what is raised is told by its class alone
            known = flow.frame.env.get(cause.id)
            cause = None if known is patterns.GONE else cause
        if raised is None or not (cause is None or (isinstance(cause, ast.Constant) and cause.value is None)):
            outside("this form of `raise` is not covered", node)
        assert raised is not None
        if isinstance(raised, ast.Call):
            for part in raised.args:
                patterns.message(flow.frame, part)
            if raised.keywords:
                outside("an exception with keywords", node)
            count, raised = len(raised.args), raised.func
        name = ast.unparse(raised)
        local = name.split(".")[0]
        module = flow.frame.registry.module
        found = None if local in flow.frame.local else module.exception(name)
        if found is None:
            outside(f"what `{name}` is here is not followed", node, "raise")
        if count > 1 and module.is_subclass(found, "OSError"):
            outside(f"`{name}` with several arguments: the first one chooses the class", node, "raise")
        self.fail(flow, found)

    # ----------------------------------------------------------------------------------------- branches

    def _if(self, node: ast.If, flow: Flow, after: After, rest: tuple[ast.stmt, ...]) -> None:
        test = flow.frame.condition(node.test)
        flows = []
        for body in (node.body, node.orelse):
            inner = Flow(flow.frame.branch())
            dead = test is (FALSE if body is node.body else TRUE)
            if not dead:
                inner.frame.narrow(node.test, body is node.body)
                self.run([*body, *rest], inner, after)
            flows.append(inner)
        if test is TRUE or test is FALSE:
            self.take(flow, flows[0] if test is TRUE else flows[1])
        else:
            self.fork(test, flow, flows[0], flows[1], node)

    def take(self, flow: Flow, inner: Flow) -> None:
        """Go on after the one branch that is taken for sure."""
        flow.frame.join(TRUE, inner.frame)
        flow.frame.env = inner.frame.env
        flow.returned, flow.value, flow.broke, flow.continued = (
            inner.returned,
            inner.value,
            inner.broke,
            inner.continued,
        )

    def fork(self, test: Term, flow: Flow, a: Flow, b: Flow, node: ast.AST) -> None:
        """Go on after one branch or the other."""
        flow.frame.join(test, a.frame, b.frame)
        if a.returned is TRUE or b.returned is TRUE:
            flow.frame.env = b.frame.env if a.returned is TRUE else a.frame.env
        else:
            flow.frame.env = self.merged(test, a.frame, b.frame, node)
        flow.value = self._merged_result(test, a, b, node)
        flow.returned = cond(test, a.returned, b.returned)
        flow.broke = cond(test, a.broke, b.broke)
        flow.continued = cond(test, a.continued, b.continued)


def _is_pop(node: ast.Call) -> bool:
    return isinstance(node.func, ast.Attribute) and node.func.attr in ("pop", "setdefault")


_INT = Type("int")
