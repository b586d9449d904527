"""Loops as recursion over what they change.

For each variable that is live after a loop there is a function of the loop's states that gives its last value, and one
for effects. A loop that may return is translated with all that follows it: its function gives the result.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, replace

from goedels_poetry.kernel.terms import BOOL, FALSE, TRUE, Kind, Sort, Term, and_, app
from goedels_poetry.python.translate.build import assume, cond
from goedels_poetry.python.translate.contracts import HINTS, outside
from goedels_poetry.python.translate.frame import After, Blocks, Flow, Frame, Value
from goedels_poetry.python.translate.indices import counted, over_elements
from goedels_poetry.python.translate.iteration import Iteration, iteration, times
from goedels_poetry.python.translate.liveness import assigned, live, loop_live
from goedels_poetry.python.translate.mappings import VIEWS
from goedels_poetry.python.translate.module import CHANGEABLE, Type, is_unknown
from goedels_poetry.python.translate.operators import bind
from goedels_poetry.python.translate.recursion import close, only_recursion
from goedels_poetry.python.translate.registry import SELF, HintedLoop

ROUNDS = 8
"""How often the body of a loop is followed until the types of its variables stay."""


@dataclass
class _State:
    """A variable that the loop changes: what it is when the loop begins, and at the head of each round."""

    name: str
    first: Value
    here: Value
    flag: Term | None  # whether it is bound, where that changes

    @property
    def terms(self) -> list[Term]:
        """The variables of the function."""
        return [self.here.term] + ([] if self.flag is None else [self.flag])


@dataclass
class _Round:
    """One round followed: what there was before, the flow after it, and the test."""

    states: list[_State]
    over: Iteration | None
    test: Term
    before: Frame  # after the test, before the body
    flow: Flow
    head: Frame  # where the body begins
    test_effect: Term
    body_effect: Term


def loop(block: Blocks, node: ast.For | ast.While, flow: Flow, after: After, rest: tuple[ast.stmt, ...] | None) -> None:
    """Follow a loop; with ``rest``, what follows it, to the end of the function."""
    following = after.end if rest is None else live(rest, after.end, after.broken, after.continued)
    indices = counted(flow.frame, node) if isinstance(node, ast.While) else node
    if indices is not None and isinstance(indices.target, ast.Name):
        seen = following | live(node.orelse, after.end, after.broken, after.continued)
        node = (None if indices.target.id in seen else over_elements(flow.frame, indices)) or node
    _Loop(block, node, flow, after, rest).run()


@dataclass(frozen=True, slots=True)
class Stated:
    """What ``invariant(...)`` or ``decreases(...)`` says; ``checked``: what has to hold when it runs."""

    kind: str
    said: ast.expr
    checked: ast.expr


def hint(frame: Frame, node: ast.Call) -> Stated | None:
    """A call as what it states of a loop or a recursion; None for another call.

    Raises:
        OutsideFragment: not one condition, or something that may be called instead.
    """
    root = next((n.id for n in ast.walk(node.func) if isinstance(n, ast.Name)), "")
    kind = None if root in frame.local or root in frame.env else frame.registry.module.contracts.kind(node.func)
    if kind is None or kind not in HINTS:
        return None
    if len(node.args) != 1 or node.keywords or isinstance(node.args[0], ast.Starred):
        outside(f"`{kind}` takes one argument", node)
    said = node.args[0]
    if isinstance(said, ast.Lambda) and not any(isinstance(part, ast.arg) for part in ast.walk(said.args)):
        said = said.body
    if frame.part("it is only looked at").value(said).kind.kind not in ("int", "bool", "str", "list", "none"):
        outside(f"`{kind}` of this", node)
    zero = ast.copy_location(ast.Constant(0), said)
    never_negative = ast.copy_location(ast.Compare(said, [ast.GtE()], [zero]), said)
    return Stated(kind, said, never_negative if kind == "decreases" else said)


class _Loop:
    """One loop. ``end``: names live after it; ``head``: at its head; ``changed``: those that it binds or changes."""

    def __init__(
        self, block: Blocks, node: ast.For | ast.While, flow: Flow, after: After, rest: tuple[ast.stmt, ...] | None
    ) -> None:
        self.block, self.node, self.flow, self.after, self.rest = block, node, flow, after, rest
        self.frame: Frame = flow.frame
        self.registry = self.frame.registry
        end = after.end if rest is None else live(rest, after.end, after.broken, after.continued)
        self.end: frozenset[str] = end
        self.head, _ = loop_live(node, end, after.broken, after.continued)
        targets = [node.target] if isinstance(node, ast.For) else []
        self.changed = assigned([*node.body, *targets])
        self.base = f"{self.frame.name}!loop{node.lineno if self.frame.loops > 1 else ''}"

    def run(self) -> None:
        node, frame = self.node, self.frame
        over = None
        if isinstance(node, ast.For):
            unused = not {n.id for n in ast.walk(node.target) if isinstance(n, ast.Name)} & (
                self.end | live(node.body, self.head, self.end, self.head)
            )
            over = times(frame, node.iter) if unused else None
            over = over or iteration(frame, node.iter)
        if isinstance(node, ast.For):
            self._refuse_mutation(node)
        wanted = sorted((self.head | self.end) & self.changed)
        firsts: dict[str, Value] = {}
        self.lost: set[str] = set()  # what these are at the head of a round is not followed
        for name in wanted:
            found = frame.env.get(name)
            if found is not None and found.kind.kind == "gone":
                self.lost.add(name)
            elif found is not None:
                firsts[name] = found
        for _ in range(ROUNDS):
            round_ = self._round(over, firsts)
            changed = self._next_firsts(round_, firsts, wanted)
            if changed is None:
                self._finish(round_)
                return
            firsts = changed
        outside("the types of the variables of this loop do not settle", node, "types")

    def _refuse_mutation(self, node: ast.For) -> None:
        """The list that is gone over must not change in the body, or while the loop may go on."""
        for name in _gone_over(node.iter) & _mutated(node.body):
            found = self.frame.env.get(name)
            if found is not None and found.kind.kind in CHANGEABLE:
                outside(f"the {found.kind.kind} that a loop goes over is changed inside", node, "mutation")

    # ------------------------------------------------------------------------------------------- rounds

    def _round(self, over: Iteration | None, firsts: dict[str, Value]) -> _Round:
        """Follow one round from states that are variables."""
        inner = self.frame.branch()
        states: list[_State] = []
        for name, first in firsts.items():
            term = self.registry.fresh(name, self.registry.sort(first.kind) if not _open(first) else BOOL)
            flag = None if first.bound is TRUE else self.registry.fresh(f"{name}.is.set", BOOL)
            here = replace(first, term=term, wide=None, bound=TRUE if flag is None else flag)
            if _open(first):
                here = replace(first, bound=here.bound)
            inner.env[name] = here
            states.append(_State(name, first, here, flag))
        for name in self.changed - firsts.keys():
            inner.env.pop(name, None)
        inner.env.update(dict.fromkeys(self.lost, Value(Type("gone"), TRUE)))
        test = TRUE
        if isinstance(self.node, ast.While):
            checked = inner.part("the loop may end") if not inner.fixed else inner
            test = checked.condition(self.node.test)
            test_effect = checked.effect
        else:
            assert over is not None
            test, test_effect = over.more, self.registry.effects.unit
        body_frame = inner.branch()
        if isinstance(self.node, ast.While):
            body_frame.narrow(self.node.test, True)
        if over is not None:
            assert isinstance(self.node, ast.For)
            bind(body_frame, self.node.target, over.item)
        head = body_frame.branch()
        body_flow = Flow(body_frame)
        inside = After(self.head, self.end, self.head)
        self.block.run(self.node.body, body_flow, inside)
        return _Round(states, over, test, inner, body_flow, head, test_effect, body_flow.frame.effect)

    def _next_firsts(self, round_: _Round, firsts: dict[str, Value], wanted: list[str]) -> dict[str, Value] | None:
        """What the states have to be at first for the next round to find what this one assumed; None: as they are."""
        flow = round_.flow
        after: dict[str, Value] = flow.frame.env
        dead = flow.returned is TRUE
        result = dict(firsts)
        stays = True
        for name in wanted:
            new = after.get(name)
            if new is None or dead or name in self.lost:
                continue
            if new.kind.kind == "gone":
                self.lost.add(name)
                result.pop(name, None)
                stays = False
                continue
            old = firsts.get(name)
            if old is None:
                if is_unknown(new.kind):
                    self.frame.known(new)
                result[name] = Value(new.kind, self.registry.default(new.kind), FALSE)
                stays = False
                continue
            kind = self.frame.unify(old.kind, new.kind, self.node, f"`{name}`")
            first = old
            if kind != old.kind:
                first = self.frame.coerce(old, kind, self.node, f"`{name}`")
            first = replace(
                first,
                owned=old.owned and (new.owned or kind.kind not in CHANGEABLE),
                natural=old.natural and new.natural and kind.kind == "int",
                exact=old.exact and new.exact and kind.kind == "int",
            )
            if first != old:
                stays, result[name] = False, first
        return None if stays else result

    # ------------------------------------------------------------------------------------------- result

    def _finish(self, r: _Round) -> None:
        flow = r.flow
        for s in r.states:
            if _open(s.first) and s.first.kind.kind != "gone":
                self.frame.known(s.first)
        self.frame.share_as(flow.frame)
        r.before.share_as(flow.frame)
        variables = [t for s in r.states for t in s.terms]
        entry = [t for s in r.states for t in self._first_terms(s)]
        self.r, self.inner = r, flow
        again = [t for s in r.states for t in self._next_terms(s, flow.frame)]
        if r.over is not None:
            variables += r.over.states
            entry += r.over.entry
            again += r.over.step
        self.variables, self.entry, self.again = variables, entry, again
        self.functions: set[str] = set()  # that run through its states
        self.effects: list[Term] = []
        self.ends: dict[Term, Term] = {}
        at_end = Flow(self._at(r.before.env))
        at_break = Flow(self._at(flow.frame.env))
        if self.rest is not None:
            if r.test is not TRUE:
                self.block.run([*self.node.orelse, *self.rest], at_end, self.after)
                self.block.finish(at_end, self.node)
            if flow.broke is not FALSE:
                self.block.run(self.rest, at_break, self.after)
                self.block.finish(at_break, self.node)
            self._whole(at_end, at_break)
        elif self.node.orelse:
            self._split(at_end, at_break)
        else:
            self._apart(at_end, at_break)
        self._note_hints()

    def _note_hints(self) -> None:
        """Keep what the body says of the loop at its head."""
        said: list[str] = []
        conditions: list[Term] = []
        measure: Term | None = None
        for node in self.node.body:
            call = node.value if isinstance(node, ast.Expr) else None
            stated = hint(self.r.head, call) if isinstance(call, ast.Call) else None
            if stated is None:
                break
            here = self.r.head.part("it is only looked at")
            said.append(ast.unparse(node))
            if stated.kind == "decreases":
                measure = here.value(stated.said).term
            else:
                conditions += [here.condition(stated.said), self.registry.effects.returns(here.effect)]
        if said:
            functions = {n: self.registry.kept[n] for n in self.functions if n in self.registry.kept}
            self.registry.loops.append(
                HintedLoop(
                    self.frame.name,
                    self.node.lineno,
                    "; ".join(said),
                    tuple(self.variables),
                    tuple(self.entry),
                    self.r.test,
                    tuple(self.again),
                    and_(conditions),
                    measure,
                    functions,
                    () if self.r.over is None else self.r.over.states,
                    tuple(c for c in self.effects if c.name in functions),
                    {v: c for v, c in self.ends.items() if c.name in functions and self.inner.broke is FALSE},
                )
            )

    def _at(self, env: dict[str, Value]) -> Frame:
        frame = self.frame.branch()
        frame.env = {**{n: v for n, v in self.frame.env.items() if n not in self.changed}, **env}
        return frame

    def _first_terms(self, state: _State) -> list[Term]:
        return [state.first.term] + ([] if state.flag is None else [state.first.bound])

    def _next_terms(self, state: _State, frame: Frame) -> list[Term]:
        new = frame.env.get(state.name)
        if new is None or new.kind.kind == "gone" or self.r.flow.returned is TRUE:
            return state.terms
        term = self.frame.coerce(new, state.here.kind, self.node).term
        return [term] + ([] if state.flag is None else [new.bound])

    def _close(self, word: str, sort: Sort, end: Term, at_break: Term, returned: Term) -> Term:
        """A function of the states: ``end`` when there is no more, ``at_break`` and ``returned`` where it is left."""
        flow = self.inner
        again = app(SELF, self.again, sort)
        here = cond(flow.returned, returned, cond(flow.broke, at_break, again))
        base = f"{self.base}!{word}" if word else self.base
        return self._closed(base, sort, cond(self.r.test, here, end), False)

    def _closed(self, base: str, sort: Sort, body: Term, ending: bool) -> Term:
        made = close(self.frame, base, self.variables, self.entry, sort, body, ending)
        if made.kind is Kind.APP:
            self.functions.add(made.name)
        return made

    def _effect(self, end: Term, at_break: Term) -> Term:
        """What the loop does besides: nothing, when nothing in it can fail and it is seen to end."""
        effects, flow, r = self.registry.effects, self.inner, self.r
        body_effect = assume(r.body_effect, r.test, True) if r.test.args else r.body_effect
        quiet = all(e is effects.unit for e in (r.test_effect, body_effect, end, at_break))
        if quiet and r.over is not None:
            return effects.unit
        again = app(SELF, self.again, effects.sort)
        here = cond(flow.returned, effects.unit, cond(flow.broke, at_break, again))
        body = effects.then(r.test_effect, effects.branch(r.test, effects.then(body_effect, here), end))
        if r.over is not None and only_recursion(body, SELF, effects.unit):
            return effects.unit  # what is gone over has an end
        made = self._closed(f"{self.base}!ok", effects.sort, body, True)
        self.effects.append(made)
        return made

    def _whole(self, at_end: Flow, at_break: Flow) -> None:
        """The loop with all that follows: it gives the result."""
        flow, outer = self.inner, self.flow
        effects = self.registry.effects
        unit = effects.unit
        effect = self._effect(at_end.frame.effect, at_break.frame.effect if flow.broke is not FALSE else unit)
        values = [f.value for f in (flow, at_end, at_break) if f.value is not None]
        outer.frame.effect = effects.then(outer.frame.effect, effect)
        outer.returned = TRUE
        outer.value = None
        if values:
            kind: Type = self.block.result
            default = values[0].term
            terms = [default if f.value is None else f.value.term for f in (at_end, at_break, flow)]
            term = self._close("", self.registry.sort(kind), terms[0], terms[1], terms[2])
            outer.value = Value(kind, term)

    def _apart(self, at_end: Flow, at_break: Flow) -> None:
        """The loop on its own: functions for the variables that are live after it."""
        flow, outer = self.inner, self.flow
        effects = self.registry.effects
        outer.frame.effect = effects.then(outer.frame.effect, self._effect(effects.unit, effects.unit))
        if flow.returned is not FALSE:
            outer.returned = self._close("returns", BOOL, FALSE, FALSE, TRUE)
            if flow.value is not None:
                kind = self.block.result
                default = self.registry.default(kind)
                outer.value = Value(kind, self._close("result", default.sort, default, default, flow.value.term))
        outer.frame.env = self._after_loop(at_end, at_break)

    def _after_loop(self, at_end: Flow, at_break: Flow) -> dict[str, Value]:
        env = dict(self.frame.env)
        single = len(self.end & self.changed) == 1
        for name in sorted(self.changed):
            if name not in self.end:
                env[name] = Value(Type("gone"), TRUE)
                continue
            last = at_end.frame.env.get(name)
            if last is None:
                last_break = at_break.frame.env.get(name) if self.inner.broke is not FALSE else None
                if last_break is None:
                    env.pop(name, None)
                    continue
                env[name] = Value(Type("gone"), TRUE)
                continue
            kind = last.kind
            if kind.kind == "gone":
                env[name] = last
                continue
            if is_unknown(kind):
                self.frame.known(last)
            broken = at_break.frame.env.get(name, last)
            if broken.kind.kind == "gone":
                env[name] = broken
                continue
            left = self.inner.broke is not FALSE
            if left:
                joint = self.frame.unify(kind, broken.kind, self.node, f"`{name}`")
                last, kind = self.frame.coerce(last, joint, self.node), joint
                broken = self.frame.coerce(broken, joint, self.node)
            sort = self.registry.sort(kind)
            term = self._close("" if single else name, sort, last.term, broken.term, last.term)
            self.ends.update({s.here.term: term for s in self.r.states if s.name == name})
            bound = TRUE
            if last.bound is not TRUE or (left and broken.bound is not TRUE):
                bound = self._close(f"{name}.is.set", BOOL, last.bound, broken.bound, TRUE)
            env[name] = Value(
                kind,
                term,
                bound,
                owned=last.owned and (not left or broken.owned),
                natural=last.natural and (not left or broken.natural),
                exact=last.exact and (not left or broken.exact),
            )
        return env

    def _split(self, at_end: Flow, at_break: Flow) -> None:
        """A loop with ``else`` in the middle: whether it was left by a break is a function of its own."""
        if self.inner.returned is not FALSE:
            outside("a loop that may return, with an else, inside of something", self.node, "for ... else")
        self.end |= live(self.node.orelse, self.end, self.after.broken, self.after.continued)
        if self.inner.broke is FALSE:
            self._apart(at_end, at_break)
            self.block.run(self.node.orelse, self.flow, self.after)
            return
        broke = self._close("breaks", BOOL, FALSE, TRUE, FALSE)
        self._apart(at_end, at_break)
        a, b = Flow(self.flow.frame.branch()), Flow(self.flow.frame.branch())
        self.block.run(self.node.orelse, b, self.after)
        self.block.fork(broke, self.flow, a, b, self.node)


def _open(value: Value) -> bool:
    return is_unknown(value.kind) or value.kind.kind == "gone"


def _gone_over(node: ast.expr) -> frozenset[str]:
    """Names of lists that an iteration may read while it goes on."""
    if isinstance(node, ast.Name):
        return frozenset({node.id})
    parts: list[ast.expr] = []
    lazy = ("enumerate", "zip", "reversed")
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in lazy:
        parts = node.args
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEWS:
        parts = [node.func.value]
    elif isinstance(node, ast.IfExp):
        parts = [node.body, node.orelse]
    elif isinstance(node, ast.BoolOp):
        parts = node.values
    return frozenset().union(*map(_gone_over, parts))


def _mutated(body: list[ast.stmt]) -> frozenset[str]:
    """Names whose lists are changed in place."""
    found: set[str] = set()
    for node in body:
        for part in ast.walk(node):
            if isinstance(part, ast.Call) and isinstance(part.func, ast.Attribute):
                if isinstance(part.func.value, ast.Name):
                    found.add(part.func.value.id)
            elif isinstance(part, ast.Subscript) and not isinstance(part.ctx, ast.Load):
                if isinstance(part.value, ast.Name):
                    found.add(part.value.id)
            elif isinstance(part, ast.AugAssign) and isinstance(part.target, ast.Name):
                found.add(part.target.id)
    return frozenset(found)
