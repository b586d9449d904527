"""Methods as functions of the record that an object is, with the contract of the method and of its class. Trusted code.

See `objects`. In ``__init__`` the methods that it calls are written out, as no record is there before all fields are.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from goedels_poetry.python.translate.contracts import (
    RESULT,
    Clause,
    Contract,
    OutsideFragment,
    PythonFault,
    is_old,
    old,
    outside,
)
from goedels_poetry.python.translate.objects import (
    CHANGEABLE,
    Class,
    Member,
    changed_in,
    member_calls,
    of_self,
    own_name,
    words_of,
)

WHOLE, VIEW = "!", "?"
"""Ends of a class's name that make a record of its fields: one that is given away, and one that only a call sees."""


@dataclass(frozen=True, slots=True)
class Lowered:
    """A method as a function. ``kind``: pure, changes (it gives the record beside the result), init or static;
    ``is_theorem``: its contract is one."""

    name: str
    owner: str
    kind: str
    node: ast.FunctionDef
    contract: Contract
    line: int
    is_theorem: bool = False
    refused: OutsideFragment | None = None
    fault: PythonFault | None = None


def lowered(classes: Mapping[str, Class]) -> Iterator[Lowered]:
    """The methods of all classes as functions, inherited ones for each class anew."""
    for one in classes.values():
        abstract = any(_is_abstract(m) for m in one.members.values())
        for key, member in one.members.items():
            yield from _of_member(one, key, member, classes, abstract)


def view_name(one: Class, key: str) -> str:
    """The function that a condition means by a method: it demands no invariant, which may be this condition."""
    return f"{one.name}.{key}.view" if _assumes(one, one.members[key]) else f"{one.name}.{key}"


def _assumes(one: Class, member: Member) -> bool:
    plain = member.is_public and member.kind not in ("static", "class") and member.name != "__init__"
    return plain and (bool(one.invariants) or _is_validated(one))


def _is_validated(one: Class) -> bool:
    """Whether an object has only fields that ``__post_init__`` accepts."""
    return one.data and one.frozen and "__post_init__" in one.members


def _is_abstract(member: Member) -> bool:
    return any(ast.unparse(d).endswith("abstractmethod") for d in member.node.decorator_list)


def _kind(one: Class, key: str, member: Member) -> str:
    if member.kind in ("static", "class"):
        return "static"
    return "init" if key == "__init__" else "changes" if key in one.changing else "pure"


def _of_member(one: Class, key: str, member: Member, classes: Mapping[str, Class], abstract: bool) -> Iterator[Lowered]:
    name, kind, own = f"{one.name}.{key}", _kind(one, key, member), member.contract
    head, refused, wanted = _head(name, member, kind, one), one.refused, True
    theorem = view = own
    try:
        own = inherited(one, key, classes)
        theorem, view = _contracts(one, member, own, kind, classes)
        kept = member.is_public and bool(one.invariants) and kind in ("changes", "init")
        wanted = kept or (bool(own.requires or own.ensures or own.raises) and not member.made)
        if refused is None:
            head.body = _Body(one, member, kind, classes).run()
    except OutsideFragment as why:
        refused = refused or why
    base = classes[member.owner]
    same = base.invariants == one.invariants and all(one.members[k] is m for k, m in base.members.items())
    wanted = (wanted or (member.fault is not None and base is one)) and not abstract and not (same and base is not one)
    made = Lowered(name, one.name, kind, head, theorem, member.node.lineno, wanted, refused, member.fault)
    yield made
    if view_name(one, key) != name:
        other = _head(view_name(one, key), member, kind, one)
        other.body = head.body
        yield replace(made, name=other.name, node=other, contract=view, is_theorem=False)
    for above in one.above[1:]:
        higher = classes[above].members.get(key)
        if higher is not None and higher.owner == above and higher is not member and kind != "init":
            yield _above(one, key, higher, classes)


def _above(one: Class, key: str, higher: Member, classes: Mapping[str, Class]) -> Lowered:
    """What ``super().m(...)`` calls, for objects of a class."""
    name, kind, contract = f"{one.name}.{key}@{higher.owner}", _kind(one, key, higher), higher.contract
    head, refused = _head(name, higher, kind, one), one.refused
    try:
        contract = replace(contract, ensures=_ensured(contract.ensures, own_name(higher), kind))
        head.body = _Body(one, higher, kind, classes).run() if refused is None else []
    except OutsideFragment as why:
        refused = why
    return Lowered(name, one.name, kind, head, contract, higher.node.lineno, False, refused, higher.fault)


def _head(name: str, member: Member, kind: str, one: Class) -> ast.FunctionDef:
    """A function of ``self``, where there is one, and the other parameters; its body is filled in later."""
    given = copy.deepcopy(member.node.args)
    if member.kind == "class" or kind == "init":
        del (given.posonlyargs or given.args)[0]
    elif member.kind != "static":
        first = (given.posonlyargs or given.args)[0]
        first.annotation = ast.copy_location(ast.Name(one.name, ast.Load()), member.node)
    nothing = ast.copy_location(ast.Constant(None), member.node)
    returns = nothing if kind == "init" or member.kind == "setter" else member.node.returns
    return ast.copy_location(ast.FunctionDef(name, given, [], [], returns), member.node)


# ------------------------------------------------------------------------------------------- contracts


def inherited(one: Class, key: str, classes: Mapping[str, Class]) -> Contract:
    """The contract of a method with that of the method which it overrides: callers that know only that one get along
    (Liskov and Wing, "A Behavioral Notion of Subtyping", 1994).

    Raises:
        OutsideFragment: they have other parameters, or it may raise what the other one may not.
    """
    member = one.members[key]
    own, around = member.contract, classes[member.owner].above[1:]
    above = next((classes[n] for n in around if key in classes[n].members), None)
    base = Contract() if above is None or member.name.startswith("__") else inherited(above, key, classes)
    if above is None or base == Contract():
        return own
    other = above.members[key]
    if [a.arg for a in other.node.args.args] != [a.arg for a in member.node.args.args]:
        outside(f"`{key}` has other parameters than the method that it overrides", member.node, "override")
    if {r.exception for r in own.raises} - {r.exception for r in base.raises}:
        outside(f"`{key}` may raise what the method that it overrides may not", member.node, "override")
    requires, ensures = base.requires, (*own.ensures, *base.ensures)
    if own.requires:
        demanded = [_where(base.requires, replace(c, expression=old(c.expression, c.expression))) for c in own.requires]
        promised = [_where(own.requires, c) for c in own.ensures] + [_where(base.requires, c) for c in base.ensures]
        requires, ensures = (), (*demanded, *promised)
        if base.requires:
            either = ast.BoolOp(ast.Or(), [_all(base.requires), _all(own.requires)])
            requires = (_clause(either, own.requires[0]),)
    raises = own.raises or base.raises
    has_old = own.old or base.old or bool(own.requires)
    return replace(own, requires=requires, ensures=ensures, raises=raises, limited=bool(raises), old=has_old)


def _contracts(
    one: Class, member: Member, contract: Contract, kind: str, classes: Mapping[str, Class]
) -> tuple[Contract, Contract]:
    """What is shown of a method, and what a condition may expect of it."""
    own = own_name(member)
    invariants = [_about(c, own) for c in one.invariants] if own and member.is_public else []
    before = list(invariants) if kind != "init" else []
    valid = [_valid(own, member.node)] if _assumes(one, member) and _is_validated(one) else []
    for argument in member.parameters:
        text = "" if argument.annotation is None else ast.unparse(argument.annotation).strip("'\"")
        if text in classes:
            before += [_about(c, argument.arg) for c in classes[text].invariants]
            valid += [_valid(argument.arg, argument)] if _is_validated(classes[text]) else []
    after = invariants if kind in ("changes", "init") else []
    guarded = _ensured([_where(before, c) for c in contract.ensures], own, kind)
    theorem = replace(
        contract,
        requires=(*valid, *before, *contract.requires),
        ensures=_ensured([*contract.ensures, *after], own, kind),
        kept=len(after) if kind == "changes" else 0,
    )
    return theorem, replace(contract, requires=(*valid, *contract.requires), ensures=guarded)


def _valid(name: str, at: ast.AST) -> Clause:
    """That ``__post_init__`` accepts an object."""
    expression = ast.parse(f"{name}.__post_init__() is None", mode="eval").body
    for part in ast.walk(expression):
        ast.copy_location(part, at)
    return Clause(ast.unparse(expression), expression, expression.lineno, expression.col_offset + 1)


def _clause(expression: ast.expr, at: Clause) -> Clause:
    for part in ast.walk(expression):
        if not hasattr(part, "lineno"):
            ast.copy_location(part, at.expression)
    return replace(at, expression=expression, text=ast.unparse(expression))


def _renamed(expression: ast.expr, before: str, after: str) -> ast.expr:
    expression = copy.deepcopy(expression)
    for part in ast.walk(expression):
        binds = isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id
        name = binds or (part.arg if isinstance(part, ast.arg) else "")
        if name and name in (before, after, RESULT):
            outside(f"`{name}` is bound again inside of a condition", part, "contract")
        if isinstance(part, ast.Name) and part.id == before:
            part.id = after
    return expression


def _about(clause: Clause, name: str) -> Clause:
    """An invariant of ``self`` as one of something else."""
    return _clause(_renamed(clause.expression, "self", name), clause)


def _all(clauses: Sequence[Clause]) -> ast.expr:
    parts = [copy.deepcopy(c.expression) for c in clauses]
    return parts[0] if len(parts) == 1 else ast.copy_location(ast.BoolOp(ast.And(), parts), parts[0])


def _where(before: Sequence[Clause], clause: Clause) -> Clause:
    """A condition on what comes out that counts where others held at entry."""
    if not before:
        return clause
    guard = ast.UnaryOp(ast.Not(), old(_all(before), clause.expression))
    return _clause(ast.BoolOp(ast.Or(), [guard, copy.deepcopy(clause.expression)]), clause)


def _ensured(clauses: Iterable[Clause], own: str, kind: str) -> tuple[Clause, ...]:
    """Conditions on what comes out, over the parameters and the result of the function that a method is."""
    found = []
    for clause in clauses:
        plain = _renamed(clause.expression, own, own)  # says what is bound again
        text = ast.unparse(_renamed(clause.expression, own, RESULT)) if kind == "init" else clause.text
        found.append(replace(clause, expression=_After(own, kind).visit(plain), text=text))
    return tuple(found)


class _After(ast.NodeTransformer):
    def __init__(self, own: str, kind: str) -> None:
        self.own, self.kind = own, kind

    def visit_Call(self, node: ast.Call) -> ast.expr:
        return node.args[0] if is_old(node) else self.generic_visit(node)  # type: ignore[return-value]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        if self.kind == "init" and node.id == RESULT:
            outside("`__init__` has no result", node, "contract")
        if node.id not in (self.own, RESULT) or self.kind not in ("changes", "init"):
            return node
        whole = ast.copy_location(ast.Name(RESULT, ast.Load()), node)
        if self.kind == "init":
            return whole
        at = ast.copy_location(ast.Constant(0 if node.id == self.own else 1), node)
        return ast.copy_location(ast.Subscript(whole, at, ast.Load()), node)


# ---------------------------------------------------------------------------------------------- bodies


class _Body(ast.NodeTransformer):
    """The body of a method as that of a function. ``direct``: there is a variable for each field."""

    def __init__(self, one: Class, member: Member, kind: str, classes: Mapping[str, Class]) -> None:
        self.one, self.member, self.kind, self.classes = one, member, kind, classes
        self.own, self.direct = own_name(member), kind in ("changes", "init")
        given = [*member.node.args.posonlyargs, *member.node.args.args]
        self.cls = given[0].arg if member.kind == "class" and given else ""
        self.guards: list[ast.expr] = []
        self.depth, self.seen = 0, False
        if kind == "changes" and member.is_public and one.invariants and member.contract.raises:
            self._refuse_late_exceptions()
            self.guards = [_about(c, self.own).expression for c in one.invariants]

    def run(self) -> list[ast.stmt]:
        """The statements. Raises OutsideFragment: one that is not followed."""
        member, found = self.member, list[ast.stmt]()
        for part in (n for s in (member.node.args, *member.node.body) for n in ast.walk(s)):
            binds = isinstance(part, ast.Name) and not isinstance(part.ctx, ast.Load) and part.id
            inner = isinstance(part, ast.arg) and part not in member.node.args.args and part.arg
            if {binds, inner} & ({self.own, self.cls} - {""}):
                outside(f"`{self.own or self.cls}` is bound again", part, "self")
        if self.kind == "changes":
            found += self._take(ast.copy_location(ast.Name(self.own, ast.Load()), member.node))
        for name, value in self.one.defaults.items() if self.kind == "init" else ():
            target = self._field(name, member.node, ast.Store())
            found.append(ast.copy_location(ast.Assign([target], copy.deepcopy(value)), member.node))
        found += self.block(member.node.body)
        if self.direct and not isinstance(member.node.body[-1], ast.Return | ast.Raise):
            found += self._returned(ast.copy_location(ast.Return(None), member.node.body[-1]))
        return [ast.fix_missing_locations(s) for s in found]

    def block(self, statements: Sequence[ast.stmt]) -> list[ast.stmt]:
        """Statements, one by one."""
        found: list[ast.stmt] = []
        for block in _blocks(whole := ast.Module(copy.deepcopy(list(statements)), [])):
            block[:] = _one_by_one(block)
        for statement in whole.body:
            made: list[ast.stmt] | ast.stmt = self.visit(statement)
            found += made if isinstance(made, list) else [made]
        for block in _blocks(ast.Module(found, [])):
            for first, second in pairwise(block):
                first.moved = _is_moved(first, second)  # type: ignore[attr-defined]
        return found

    def _field(self, name: str, at: ast.AST, ctx: ast.expr_context | None = None) -> ast.Name:
        return ast.copy_location(ast.Name(f"self.{name}", ctx or ast.Load()), at)

    def _take(self, whole: ast.Name) -> list[ast.stmt]:
        """The fields of a record as variables: nothing else refers to what they hold."""
        found: list[ast.stmt] = []
        for name in self.one.fields:
            part = ast.copy_location(ast.Attribute(copy.deepcopy(whole), name, ast.Load()), whole)
            made = ast.copy_location(ast.Assign([self._field(name, whole, ast.Store())], part), whole)
            made.taken = True  # type: ignore[attr-defined]
            found.append(made)
        return found

    def _whole(self, end: str, at: ast.AST) -> ast.expr:
        name = ast.copy_location(ast.Name(f"{self.one.name}{end}", ast.Load()), at)
        return ast.copy_location(ast.Call(name, [self._field(n, at) for n in self.one.fields], []), at)

    def _super(self, node: ast.expr) -> tuple[str, Member] | None:
        """The function and the method that ``super().m`` means."""
        call = node.value if isinstance(node, ast.Attribute) else None
        if not isinstance(call, ast.Call) or ast.unparse(call) != "super()":
            return None
        assert isinstance(node, ast.Attribute)
        for above in self.classes[self.member.owner].above[1:]:
            found = self.classes[above].members.get(node.attr)
            if found is not None and found.owner == above:
                return f"{self.one.name}.{node.attr}@{above}", found
        return outside(f"`super().{node.attr}` is not followed", node, "super")

    def _change(self, node: ast.AST | None) -> tuple[str, Member] | None:
        """The function and the method of a call that changes ``self``."""
        if not (self.direct and isinstance(node, ast.Call)):
            return None
        name = of_self(node.func, self.own)
        if name in self.one.changing and self.one.members[name].kind == "method":
            return f"{self.one.name}.{name}", self.one.members[name]
        above = self._super(node.func)
        return above if above is not None and above[1].name in self.one.changing else None

    def _called(self, change: tuple[str, Member], call: ast.Call, at: ast.AST) -> list[ast.stmt]:
        """A call that changes ``self``, with its result in ``result'``."""
        name, member = change
        holds = any(a.annotation is not None and words_of(a.annotation) & CHANGEABLE for a in member.parameters)
        given = {
            of_self(n, self.own) for a in (*call.args, *call.keywords) for n in ast.walk(a)
        } & self.one.fields.keys()
        if holds and any(words_of(self.one.fields[f]) & CHANGEABLE for f in given):
            outside("a method of `self` gets what `self` holds", at, "aliasing")
        if self.kind == "init":
            return self._written_out(member, call, at)
        call.args = [self._whole(VIEW, at), *(self.visit(a) for a in call.args)]
        call.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in call.keywords]
        call.func = ast.Name(name, ast.Load())
        both = ast.Tuple([ast.Name("self'", ast.Store()), ast.Name("result'", ast.Store())], ast.Store())
        first = ast.fix_missing_locations(ast.copy_location(ast.Assign([both], call), at))
        return [first, *self._take(ast.copy_location(ast.Name("self'", ast.Load()), at))]

    def _written_out(self, member: Member, call: ast.Call, at: ast.AST) -> list[ast.stmt]:
        """The statements of a method in place of its call, with its contract as assertions."""
        names, last = [a.arg for a in member.parameters], member.node.body[-1]
        inner = [n for n in ast.walk(member.node) if isinstance(n, ast.Return) and n is not last]
        if call.keywords or len(call.args) != len(names) or inner or self.depth > 5:
            outside(f"this call of `{member.name}` in `__init__` is not followed", at, "call")
        if any(is_old(n) for c in member.contract.ensures for n in ast.walk(c.expression)):
            outside(f"`old` in the contract of `{member.name}`, which `__init__` calls", at, "old")
        callee, body = _Body(self.one, member, "init", self.classes), copy.deepcopy(member.node.body)
        callee.depth = self.depth + 1
        if isinstance(last, ast.Return):
            body[-1] = ast.Assign([ast.Name("result'", ast.Store())], last.value or ast.Constant(None))
        shown = [[ast.Assert(copy.deepcopy(c.expression), None) for c in clauses]
                 for clauses in (member.contract.requires, member.contract.ensures)]  # fmt: skip
        body = [ast.fix_missing_locations(ast.copy_location(s, at)) for s in (*shown[0], *body, *shown[1])]
        stored = {n.id for s in body for n in ast.walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        fresh = {n: f"{member.name}'{callee.depth}.{n}" for n in {*names, *stored} - {"result'"}}
        for part in (n for s in body for n in ast.walk(s) if isinstance(n, ast.Name)):
            part.id = fresh.get(part.id, part.id)
        pairs = zip(names, call.args, strict=True)
        start = [ast.Assign([ast.Name(fresh[n], ast.Store())], self.visit(a)) for n, a in pairs]
        return [*(ast.fix_missing_locations(ast.copy_location(s, at)) for s in start), *callee.block(body)]

    def _refuse_late_exceptions(self) -> None:
        """After an allowed exception the invariant holds: such a one is only raised by ``raise``, where it is shown."""
        allowed = {r.exception.rpartition(".")[2] for r in self.member.contract.raises}
        node = self.member.node
        if allowed & {"AssertionError", "Exception", "BaseException"} or any(
            isinstance(n, ast.Try) for n in ast.walk(node)
        ):
            outside("`raises` of any exception, or `try`, where an invariant is kept", node, "raises")
        changes = [n for n in ast.walk(node) if isinstance(n, ast.stmt) and n is not node and self._changes(n)]
        first = min((n.lineno for n in changes if not hasattr(n, "body")), default=node.end_lineno or 0)
        again = {id(p) for n in changes if isinstance(n, ast.For | ast.While) for p in ast.walk(n)}
        raised = {id(n.exc) for n in ast.walk(node) if isinstance(n, ast.Raise)}
        for part in (n for n in ast.walk(node) if isinstance(n, ast.expr) and id(n) not in raised):
            if (part.lineno > first or id(part) in again) and _may_raise(part, allowed):
                outside("an exception that is allowed may be raised after `self` was changed", part, "raises")

    def _changes(self, node: ast.stmt) -> bool:
        direct = any(n and not n.startswith("super.") for n in changed_in(node, self.own))
        return direct or any(n.removeprefix("super.") in self.one.changing for n in member_calls(node, self.own))

    # --------------------------------------------------------------------------------------- statements

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.stmt]:
        change = self._change(node.value)
        return self._called(change, node.value, node) if change else self.generic_visit(node)  # type: ignore[arg-type]

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        change, before = self._change(node.value), list[ast.stmt]()
        if change:
            before = self._called(change, node.value, node)  # type: ignore[arg-type]
            node.value = ast.copy_location(ast.Name("result'", ast.Load()), node)
        key = f"{of_self(node.targets[0], self.own)}.setter"
        if self.direct and len(node.targets) == 1 and key in self.one.members:
            call = ast.Call(ast.Constant(None), [node.value], [])
            return before + self._called((f"{self.one.name}.{key}", self.one.members[key]), call, node)
        return [*before, self.generic_visit(node)]  # type: ignore[list-item]

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        change, before = self._change(node.test), list[ast.stmt]()
        if change:
            before = self._called(change, node.test, node)  # type: ignore[arg-type]
            node.test = ast.copy_location(ast.Name("result'", ast.Load()), node)
        return [*before, self.generic_visit(node)]  # type: ignore[list-item]

    def visit_Return(self, node: ast.Return) -> ast.AST | list[ast.stmt]:
        return self._returned(node) if self.direct else self.generic_visit(node)

    def _returned(self, node: ast.Return) -> list[ast.stmt]:
        value = node.value
        if self.kind == "init":
            if value is not None and not (isinstance(value, ast.Constant) and value.value is None):
                outside("`__init__` returns something", node, "Return")
            return [ast.copy_location(ast.Return(self._whole(WHOLE, node)), node)]
        change, found = self._change(value), list[ast.stmt]()
        name, returns = "result'" if change else "return'", self.member.node.returns
        if change:
            found = self._called(change, value, node)  # type: ignore[arg-type]
        elif value is not None and returns is not None:
            target = ast.copy_location(ast.Name(name, ast.Store()), node)
            found = [ast.copy_location(ast.AnnAssign(target, returns, self.visit(value), 1), node)]
        result = ast.Constant(None) if value is None else ast.Name(name, ast.Load())
        both = ast.Tuple([self._whole(WHOLE, node), ast.copy_location(result, node)], ast.Load())
        return [*found, ast.fix_missing_locations(ast.copy_location(ast.Return(both), node))]

    def visit_Raise(self, node: ast.Raise) -> ast.AST | list[ast.stmt]:
        self.seen = True  # an invariant is no call of the method's own
        shown = [ast.copy_location(ast.Assert(self.visit(copy.deepcopy(g)), None), node) for g in self.guards]
        self.seen = False
        return [*shown, self.generic_visit(node)]  # type: ignore[list-item]

    def visit_Try(self, node: ast.Try) -> ast.AST:
        for part in ast.walk(node):
            if self._change(part) or (self.direct and f"{of_self(part, self.own)}.setter" in self.one.members):
                outside("a method that changes `self` is called where exceptions are caught", part, "Try")
        return self.generic_visit(node)

    # -------------------------------------------------------------------------------------- expressions

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if self._change(node):
            outside("a method that changes `self` is called in the middle of a statement", node, "mutation")
        above = self._super(node.func)
        if above is not None:
            given = self._whole(VIEW, node) if self.direct else ast.copy_location(ast.Name(self.own, ast.Load()), node)
            node.func = ast.copy_location(ast.Name(above[0], ast.Load()), node)
            node.args = [given, *(self.visit(a) for a in node.args)]
            node.keywords = [ast.keyword(k.arg, self.visit(k.value)) for k in node.keywords]
            return node
        if self.cls and isinstance(node.func, ast.Name) and node.func.id == self.cls:
            node.func.id = self.one.name
        return self.generic_visit(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        name = of_self(node, self.own) if self.own else ""
        if self.cls and isinstance(node.value, ast.Name) and node.value.id == self.cls:
            node.value.id = self.one.name
        if not name or not self.direct:
            return self.generic_visit(node)
        if name in self.one.fields:
            if isinstance(node.ctx, ast.Del):
                outside(f"`self.{name}` is deleted", node, "Delete")
            return self._field(name, node, node.ctx)
        member = self.one.members.get(name)
        if (member is None and name not in self.one.constants) or not isinstance(node.ctx, ast.Load):
            outside(f"`self.{name}` is no field that `__init__` makes", node, "attribute")
        made = ast.copy_location(ast.Attribute(self._whole(VIEW, node), name, ast.Load()), node)
        made.seen = self.seen  # type: ignore[attr-defined]
        return made

    def visit_Name(self, node: ast.Name) -> ast.AST:
        if node.id == self.own and self.direct and self.own:
            outside("`self` is given away or compared where it is changed", node, "self")
        if node.id == self.cls and self.cls:
            outside("a class that is given away", node, "classmethod")
        return node


def _blocks(whole: ast.Module) -> list[list[ast.stmt]]:
    found = [getattr(n, field, None) for n in ast.walk(whole) for field in ("body", "orelse", "finalbody")]
    return [block for block in found if isinstance(block, list)]


def _one_by_one(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Statements, where ``a, b = b, []`` is two of them."""
    for node in statements:
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[a, b])], value=ast.Tuple(elts=[x, y])) if _is_empty(y):
                both = ast.Assign([a], x), ast.Assign([b], y)
                yield from (ast.copy_location(s, node) for s in both)
            case _:
                yield node


def _is_empty(node: ast.expr) -> bool:
    return (
        isinstance(node, ast.List | ast.Dict)
        and not list(ast.iter_child_nodes(node))[1:]
        and ast.unparse(node) in ("[]", "{}")
    )


def _is_moved(first: ast.stmt, second: ast.stmt) -> bool:
    """Whether a list goes from one variable to another: its old one is given an empty list at once."""
    match first, second:
        case (
            ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=source)),
            ast.Assign(targets=[ast.Name(id=other)], value=value),
        ) | (
            ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=source)),
            ast.AnnAssign(target=ast.Name(id=other), value=ast.expr() as value),
        ):
            return other == source != target and _is_empty(value)
    return False


def _may_raise(node: ast.expr, allowed: set[str]) -> bool:
    """Whether an expression may raise one of these by itself; ``raise`` is a statement."""
    match node:
        case ast.Subscript():
            return bool(allowed & {"IndexError", "KeyError", "LookupError", "TypeError"})
        case ast.BinOp():
            numbers = (ast.Add, ast.Sub, ast.Mult)
            return not isinstance(node.op, numbers) and bool(
                allowed & {"ZeroDivisionError", "ArithmeticError", "ValueError"}
            )
        case ast.Call(func=ast.Name(id="len" | "abs" | "list" | "sorted" | "sum" | "bool" | "all" | "any")):
            return False
        case ast.Call(func=ast.Attribute(attr="append" | "add" | "discard" | "extend" | "clear" | "get" | "copy")):
            return False
    return isinstance(node, ast.Call)
