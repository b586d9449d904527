"""What a person says about how to prove a goal: attributes of ``(prove (! formula ...))``, read as a model's reply is.

A hint that cannot be meant is refused where it stands; one that does not help costs nothing but its attempt.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from goedels_poetry.kernel.faults import SchemeError
from goedels_poetry.kernel.inductions import IntInduction, RecursionInduction, StructuralInduction
from goedels_poetry.kernel.printer import show
from goedels_poetry.kernel.problem import Problem
from goedels_poetry.kernel.reading.elaborate import Elaborator, Scope
from goedels_poetry.kernel.reading.hints import nearest
from goedels_poetry.kernel.reading.reader import HINTS, Atom, Group, Lexeme, SExpr, Source, attributes, decode
from goedels_poetry.kernel.reading.symbols import Symbols
from goedels_poetry.kernel.schemas import CaseSplit
from goedels_poetry.kernel.sequent import Sequent, sequent_of
from goedels_poetry.kernel.terms import BOOL, INT, Sort
from goedels_poetry.protocol.lines import as_invalid_input
from goedels_poetry.protocol.trials import HINT
from goedels_poetry.smt.jobs.payloads import NO_HINT
from goedels_poetry.smt.jobs.proposals import Idea, PlacedInstance, idea_to_sketch, read_placed
from goedels_poetry.smt.jobs.reading import BadProposal, Json, shown_variables
from goedels_poetry.smt.jobs.rules import Rule, read_rule
from goedels_poetry.smt.notation.goals import goal_commands
from goedels_poetry.smt.rewriting.plan import key_of


@dataclass
class _Hints:
    """The attributes of one goal, read against its problem."""

    source: Source
    problem: Problem
    goal: Sequent
    earlier: Mapping[str, Sequent]
    """Goals before this one, by name."""
    given: dict[str, SExpr] = field(default_factory=dict)

    def names(self, key: str) -> list[str]:
        """The names at a key: goals before this one, and premises."""
        known = [*self.earlier, *(p.name for p in self.problem.premises)]
        return (
            self._known(_items(self.given[key]), known, "goal before this one and no premise")
            if key in self.given
            else []
        )

    def _known(self, items: Iterable[SExpr], known: Iterable[str], what: str) -> list[str]:
        """The names that ``items`` are, all of them ``known``; ``what`` an unknown one is not."""
        names = [name for name in known if "!" not in name]
        for item in items:
            name = _symbol(item) or "(...)"
            if name not in known:
                hint = nearest(name, names) or f"there are {', '.join(names) or 'none'}"
                self.source.fail(f"`{name}` is no {what}", item, hint)
        return [_symbol(item) for item in items]

    def term(self, expr: SExpr, sort: Sort | None = None) -> str:
        """A term over the goal's variables, as replies have it."""
        scope = Scope({v.name: v for v in self.goal.vars}, renaming=False)
        return show(Elaborator(Symbols.of(self.problem.signature, self.source)).closed(expr, scope, sort))

    def rule(self) -> Rule | None:
        """The induction with the case splits inside of it, or the splits alone."""
        induct, measure = self.given.get(":induct"), self.given.get(":measure")
        if induct is not None and measure is not None:
            self.source.fail("two inductions", measure, "leave out :induct or :measure")
        rule = None
        if measure is not None:
            rule = self._read({"induction": {"measure": self.term(measure, INT)}}, measure)
        elif induct is not None:
            rule = self._read({"induction": self._induction(induct)}, induct)
        rule = self._generalizing(rule)
        if (cases := self.given.get(":cases")) is None:
            return rule
        several = isinstance(cases, Group) and isinstance(next(iter(cases.items), None), Group)
        splits = self._read({"cases": [self._split(c) for c in (_items(cases) if several else [cases])]}, cases)
        if rule is None:
            return splits
        inside = (splits.scheme, *splits.inside)
        if not all(isinstance(s, CaseSplit) for s in inside):
            self.source.fail("only formulas split the cases of an induction", cases, "write a formula such as (= x y)")
        return replace(rule, inside=inside)

    def _split(self, case: SExpr) -> str:
        variable = next((v for v in self.goal.vars if v.name == _symbol(case)), None)
        if variable is not None and self.problem.signature.datatype(variable.sort) is not None:
            return show(variable)
        return self.term(case, BOOL)

    def _induction(self, value: SExpr) -> Json:
        items = _items(value)
        first = _symbol(items[0]) if items else ""
        variables = [v.name for v in self.goal.vars]
        if first not in variables and self.problem.signature.definition(first) is not None:
            definition = self.problem.signature.definition(first)
            sorts = [p.sort for p in definition.params] if definition is not None else []
            if len(items) - 1 not in (0, len(sorts)):
                self.source.fail(f"{first} takes {len(sorts)} arguments", value, f"write ({first} terms) or ({first})")
            return {"along": first, "at": [self.term(t, s) for t, s in zip(items[1:], sorts, strict=False)]}
        what = f"variable of the goal ({shown_variables(self.goal.vars)}) and no recursive function"
        return {"on": self._known(items or [value], variables, what)}

    def _generalizing(self, rule: Rule | None) -> Rule | None:
        """The rule with a hypothesis for all values of the variables named, and of no others."""
        value = self.given.get(":generalizing")
        if value is None:
            return rule
        if rule is None or not isinstance(rule.scheme, StructuralInduction | IntInduction | RecursionInduction):
            return self.source.fail(":generalizing without an induction", value, "add :induct (x)")
        known = [v.name for v in self.goal.vars if v.name != getattr(rule.scheme, "on", "")]
        names = self._known(_items(value), known, "further variable of the goal")
        scheme = replace(rule.scheme, general=tuple(v.name for v in self.goal.vars if v.name in names))
        return replace(rule, scheme=scheme)

    def _read(self, reply: Json, at: SExpr) -> Rule:
        try:
            rule = read_rule(self.problem, self.goal, reply, [])
        except (BadProposal, SchemeError) as fault:
            self.source.fail(str(fault), at)
        assert rule is not None
        return rule

    def instances(self) -> tuple[PlacedInstance, ...]:
        """Of goals before this one, premises, definitions, and ``hypothesis``: at terms, in order."""
        value = self.given.get(":instance")
        if value is None:
            return ()
        if not isinstance(value, Group) or not all(isinstance(i, Group) and i.items for i in value.items):
            self.source.fail("instances were expected here", value, "write :instance ((name term ...) ...)")
        return tuple(placed for item in value.items if isinstance(item, Group) for placed in self._instance(item))

    def _instance(self, item: Group) -> tuple[PlacedInstance, ...]:
        name = _symbol(item.items[0])
        facts, entry = list(self.earlier.values()), {"name": name, "at": [self.term(t) for t in item.items[1:]]}
        premises = [p.name for p in self.problem.premises]
        if name in self.earlier:
            entry |= {"of": "fact", "name": f"F{list(self.earlier).index(name) + 1}"}
        elif name in premises:
            entry["of"] = "premise"
        elif self.problem.signature.definition(name) is not None:
            entry["of"] = "definition"
        elif name == "hypothesis":
            if self.given.keys().isdisjoint({":induct", ":measure"}):
                self.source.fail("no induction gives a hypothesis", item.items[0], "add :induct (x)")
            entry |= {"of": "hypothesis", "name": ""}
        else:
            known = [*self.earlier, *premises, *(d.name for d in self.problem.signature.definitions), "hypothesis"]
            self._known(item.items[:1], known, "goal before this one, premise or definition")
        try:
            return read_placed(self.problem, self.goal, facts, [], [], {"instances": [entry]})
        except BadProposal as fault:
            message = str(fault).removeprefix("instances[0]").removeprefix(".at").removeprefix(": ")
            message = message.removesuffix("; or write them by name")
            self.source.fail(message.replace(str(entry["name"]), name) if name in self.earlier else message, item)


def _items(value: SExpr) -> list[SExpr]:
    return value.items if isinstance(value, Group) else [value]


def _symbol(expr: SExpr) -> str:
    return expr.text if isinstance(expr, Atom) and expr.kind is Lexeme.SYMBOL else ""


@as_invalid_input()
def read_hint(text: str, problem: Problem) -> Json:
    """What the attributes of the last goal say.

    ``hide``: names of goals before it and of premises that its search does without; ``named``: those it speaks of;
    ``sketch``: what is tried first, or None; ``using``: keys of the goals that it may use then, or None for all.

    Raises:
        InvalidInput: something of it cannot be meant; with its place.
    """
    commands = goal_commands(text)
    source = Source(decode(text))
    pairs = attributes(source, commands[-1].items[1])[1] if commands else []
    names = problem.signature.names
    earlier = {g.name: sequent_of(g.formula, names) for g in problem.goals[:-1]}
    hints = _Hints(source, problem, sequent_of(problem.goal, names), earlier)
    for key, value in pairs:
        if key.text in hints.given:
            source.fail(f"two {key.text}", key, "join them")
        if key.text in HINTS:
            hints.given[key.text] = value
        elif key.text != ":named" and (meant := nearest(key.text, HINTS)):
            source.fail(f"unknown attribute {key.text}", key, meant)
    if not hints.given:
        return NO_HINT
    hide, using = hints.names(":hide"), hints.names(":using")
    for name in using:
        if name in hide:
            source.fail(f"`{name}` is used and hidden", hints.given[":hide"], "leave one of them out")
    keys = [key_of(earlier[name]) for name in using if name in earlier]
    idea = Idea((), hints.rule(), False, hints.instances())
    named = [*using, *(_symbol(_items(item)[0]) for item in _items(hints.given.get(":instance", Group(0))))]
    said = {"hide": hide, "using": keys if ":using" in hints.given else None, "named": named, "sketch": None}
    if hints.given.keys() == {":hide"}:
        return said
    sketch = idea_to_sketch(idea)
    digest = hashlib.sha256(json.dumps([sketch["fingerprint"], said["using"]]).encode()).hexdigest()[:16]
    sketch |= {"strategy": HINT, "fingerprint": f"{HINT}:{digest}", "deterministic": True, "using": said["using"]}
    return {**said, "sketch": sketch}
