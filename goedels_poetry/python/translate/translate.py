"""A function and its contract as a theorem: an SMT-LIB 2 script of definitions and one thing to prove.

The theorem: for all arguments of the declared types in the domain, evaluation ends, the function returns, every
``ensures`` holds of what it returns (and can be evaluated); or it raises an exception that a ``raises`` allows. Where a
function that it calls has a contract, the theorem has a part for that: contracts are checked at run time, and a call
that broke one would raise a violation. Not part of it are the limits of CPython on recursion depth, memory, time and
the digits of numbers.

That evaluation ends is part of what has to be proved wherever it is not seen from the form of a loop: the function
``f!ok`` (``f!loop!ok`` of a loop) calls itself wherever the computation does, so nothing shows it of an input on which
the recursion has no end. A script has definitions and the theorem, and never an assertion.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import dataclass, field

from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.terms import (
    FALSE,
    TRUE,
    Term,
    allow_recursion,
    and_,
    app,
    forall,
    implies,
    not_,
    or_,
    var,
)
from goedels_poetry.python.translate.build import Effects, cond, equal
from goedels_poetry.python.translate.classes import alias_members, class_kind, is_table, read_class, read_objects
from goedels_poetry.python.translate.contracts import ContractNames, OutsideFragment, PythonFault, Raises, outside
from goedels_poetry.python.translate.frame import NeedsClasses
from goedels_poetry.python.translate.functions import Functions, Translated
from goedels_poetry.python.translate.importing import Importing, is_type_checking, refuse_reaching
from goedels_poetry.python.translate.module import (
    Annotations,
    Module,
    Type,
    bindings,
    is_constant_expression,
)
from goedels_poetry.python.translate.program import Program, encoding_of
from goedels_poetry.python.translate.registry import Registry, legal, readable
from goedels_poetry.python.translate.script import mentioned, script

# From a file to the meaning of its names; refused where importing it may change what names mean

_OF_NO_MEANING = frozenset(
    {"__all__", "__author__", "__copyright__", "__date__", "__doc__", "__license__", "__version__"}
)
"""Names with underscores that a module may bind: nothing goes by them when it runs."""


def read_module(program: Program) -> Module:
    """The meaning of a module's names.

    Raises:
        OutsideFragment: the module runs code when it is imported, or can change what names mean.
    """
    counts = bindings(program.tree)
    _refuse_encoding(program)
    refuse_reaching(program.tree)
    for name in counts:
        if name.startswith("__") and name.endswith("__") and name not in _OF_NO_MEANING:
            outside(f"the module binds `{name}`, by which names can get another meaning", program.tree, name)
    module = Module(program, ContractNames.of(program.tree), counts, Annotations({}, {}, frozenset(counts)))
    reading = _Reading(module)
    for node in program.tree.body:
        reading.statement(node)
    Importing(module).block(program.tree.body)
    typing, aliases = reading.typing, reading.aliases
    named: dict[str, Type | ast.expr] = {}
    once = [n for n in module.classes if counts[n] == 1]
    module.objects = {n: c for n, c in program.classes.items() if c.refused is None}
    for name in module.objects:
        named[name] = Type("class", (), name)
    for name in (n for n in once if n not in module.objects):
        kind = class_kind(module.classes[name], module)
        if kind is not None:
            named[name] = Type(kind, (), name)
    for name, value in aliases:
        members = alias_members(value, named, typing) if counts[name] == 1 else None
        if members is not None:
            union = Type("union", members, name)
            for m in members:
                if module.union_of(m.name):
                    outside(f"`{m.name}` is in two unions", value, "union")
            named[name] = module.unions[name] = union
        elif counts[name] == 1 and name not in module.constants:
            named[name] = value
    module.annotations = Annotations(named, typing, frozenset(counts))
    read_objects(module, named)
    for name in once:
        if isinstance(named.get(name), Type) and name not in module.objects:
            read_class(module.classes[name], module)
    for fields in module.fields.values():
        for f in fields:
            if f.kind.kind == "class" and module.union_of(f.kind.name):
                outside(
                    f"a field of type `{f.kind}`, which is a member of a union", module.classes[f.kind.name], "union"
                )
    return module


def _refuse_encoding(program: Program) -> None:
    """Refuse a text that says of its file what makes it another program for CPython than the one that is read here."""
    data = program.source.encode("utf-8", "surrogatepass")
    try:
        encoding = encoding_of(data)
        same = data.decode(encoding) == program.source
    except (SyntaxError, LookupError, ValueError):
        encoding, same = "something else", False
    if not same:
        outside(f"the file says that it is encoded in {encoding}: save it in UTF-8", program.tree, "encoding")


# ------------------------------------------------------------------------------------------- top level


@dataclass
class _Reading:
    """What the statements of a module bind, one by one."""

    module: Module
    typing: dict[str, str] = field(default_factory=dict)
    aliases: list[tuple[str, ast.expr]] = field(default_factory=list)

    def statement(self, node: ast.stmt) -> None:
        """What a statement at the level of the module binds; see `Importing` for what it may be."""
        module = self.module
        if isinstance(node, ast.Import):
            for alias in node.names:
                module.imports[alias.asname or alias.name.split(".")[0]] = (
                    alias.name if alias.asname else alias.name.split(".")[0]
                )
                if alias.name == "typing" and module.counts[alias.asname or "typing"] == 1:
                    self.typing[alias.asname or "typing"] = ""
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                module.imports[alias.asname or alias.name] = f"{node.module}.{alias.name}"
            self._typing(node)
        elif isinstance(node, ast.ClassDef):
            module.classes[node.name] = node
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            self._assignment(node)
        elif isinstance(node, ast.If) and is_type_checking(node.test, module):
            for part in node.body:  # names of `typing` mean what they say though this is never run
                if isinstance(part, ast.ImportFrom):
                    self._typing(part)

    def _typing(self, node: ast.ImportFrom) -> None:
        """Names of ``typing``, as annotations mean them."""
        for alias in node.names:
            local = alias.asname or alias.name
            if node.module in ("typing", "typing_extensions") and self.module.counts.get(local) == 1:
                self.typing[local] = alias.name

    def _assignment(self, node: ast.Assign | ast.AnnAssign) -> None:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        if len(targets) != 1 or not isinstance(targets[0], ast.Name) or node.value is None:
            return
        name, value = targets[0].id, node.value
        if self.module.counts.get(name) != 1:
            return
        annotation = node.annotation if isinstance(node, ast.AnnAssign) else None
        if isinstance(annotation, ast.Name | ast.Attribute) and ast.unparse(annotation).endswith(
            ("TypeAlias", "Final")
        ):
            annotation = None
        if is_constant_expression(value, self.module):
            self.module.constants[name] = (value, annotation)
        elif is_table(value):
            self.module.tables[name] = value
        if not (isinstance(value, ast.Constant) and not isinstance(value.value, str)):
            self.aliases.append((name, value))


MAX_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class Translation:
    """``text`` is the script; ``parameters`` are those of the theorem, with their types, ``arguments`` what they are in
    the script, and ``names`` the variables of these. ``module`` and ``registry`` say what classes and sorts stand for.
    ``goal``: what is proved, before anything is unfolded; ``lemmas``: contracts that functions use, which are no part
    of it."""

    text: str
    function: str
    parameters: tuple[tuple[str, Type], ...]
    names: tuple[str, ...]
    result: Type
    functions: Functions
    goal: Term
    lemmas: tuple[Term, ...]
    arguments: tuple[Term, ...]

    @property
    def module(self) -> Module:
        """The meaning of names."""
        return self.functions.registry.module

    @property
    def registry(self) -> Registry:
        """What the script defines."""
        return self.functions.registry


def translate(program: Program, function: str) -> Translation:
    """The theorem that a function keeps its contract.

    Raises:
        OutsideFragment: something in the function, in what it calls or in its contract is not covered.
        PythonFault: there is no such function.
    """
    if function not in program.functions:
        raise PythonFault(f"there is no function `{function}`", hint=f"there are: {', '.join(program.functions)}")
    allow_recursion()
    try:
        return _translated(program, function)
    except RecursionError as error:
        raise OutsideFragment("this is nested too deep to be translated", construct="size") from error


def _translated(program: Program, function: str) -> Translation:
    try:
        return _told(program, function, bool(program.functions[function].contract.raises))
    except NeedsClasses:
        return _told(program, function, True)


def _told(program: Program, function: str, classes: bool) -> Translation:
    """``classes``: whether exceptions are told apart."""
    module = read_module(program)
    effects = Effects({} if classes else None)
    registry = Registry(module, effects)
    functions = Functions(registry)
    node = program.functions[function].node
    registry.states = bool(program.functions[function].owner)
    known = functions.require(function, node)
    variables, arguments = _opened(functions, known, program.functions)
    theorem = forall(variables, theorem_of(functions, known, arguments))
    goal = and_([*_callees(functions, known), theorem])
    lemmas = tuple(_used(functions, node))
    if registry.digits and registry.catches:
        outside("a text of an integer where a ValueError is caught: of very many digits there is none", node, "str")
    text = script(registry, goal, f"{program.functions[function].name}: its contract", also=lemmas)
    if len(text) > MAX_TEXT:
        raise OutsideFragment(f"the translation has more than {MAX_TEXT:,} characters", construct="size")
    try:
        parse_problem(text)
    except KernelError as error:
        raise OutsideFragment(f"the translation is no script that can be read: {error}", construct="size") from error
    parameters = tuple((p.name, k) for p, k in zip(known.function.parameters, known.kinds, strict=True))
    names = tuple(v.name for v in variables)
    return Translation(text, function, parameters, names, known.result, functions, goal, lemmas, tuple(arguments))


def arguments_of(functions: Functions, known: Translated, taken: Iterable[str], prefix: str = "") -> list[Term]:
    """Variables for the parameters of a function."""
    registry = functions.registry
    pairs = zip(known.function.parameters, known.kinds, strict=True)
    return list(readable([registry.fresh(prefix + p.name, registry.sort(k)) for p, k in pairs], map(legal, taken)))


def _opened(
    functions: Functions, known: Translated, taken: Iterable[str], prefix: str = ""
) -> tuple[list[Term], list[Term]]:
    """Variables, and what the parameters of a function are of them: an object is the record of its fields."""
    registry, plain = functions.registry, arguments_of(functions, known, taken, prefix)
    variables: list[Term] = []
    arguments: list[Term] = []
    for argument, kind in zip(plain, known.kinds, strict=True):
        if (
            kind.kind == "class"
            and kind.name in registry.module.objects
            and registry.module.union_of(kind.name) is None
        ):
            fields = registry.module.fields[kind.name]
            own = [var(f"{argument.name}.{legal(f.name)}", registry.sort(f.kind)) for f in fields]
            variables += own
            arguments.append(registry.construct(kind, own))
        else:
            variables.append(argument)
            arguments.append(argument)
    return variables, arguments


def _used(functions: Functions, node: ast.AST) -> Iterable[Term]:
    """The contracts that the functions name as lemmas: definitions are theirs, too, and no theorem rests on them."""
    done: set[str] = set()
    while waiting := {n for f in functions.known.values() for n in f.function.contract.uses} - done:
        for name in sorted(waiting):
            done.add(name)
            lemma = functions.require(name, node)
            arguments = arguments_of(functions, lemma, (), f"{name}.")
            yield forall(arguments, theorem_of(functions, lemma, arguments))


def _callees(functions: Functions, main: Translated) -> list[Term]:
    """What a violation at run time would break, of each function with a contract that the theorem rests on.

    Then no call raises a violation: each one that is made in the domain returns what its function promises.
    """
    kept: dict[str, Term] = {}
    while waiting := [f for f in functions.known.values() if f is not main and f.function.name not in kept]:
        for callee in waiting:
            name, contract = callee.function.name, callee.function.contract
            kept[name] = TRUE
            if contract.ensures or contract.limited:
                variables, arguments = _opened(functions, callee, (), f"{name}.")
                kept[name] = forall(variables, theorem_of(functions, callee, arguments, called=True))
    return [theorem for theorem in kept.values() if theorem is not TRUE]


def theorem_of(functions: Functions, known: Translated, arguments: list[Term], called: bool = False) -> Term:
    """The contract; ``called``: only what is checked around a call, where the function may raise or not end."""
    registry, effects = functions.registry, functions.registry.effects
    contract = known.function.contract
    domain = functions.accepted(known, arguments)
    name = legal(known.function.name)
    result = app(name, arguments, registry.sort(known.result))
    ensures = and_([functions.clause(known, c, arguments, result) for c in contract.ensures])
    if not known.fails:
        return implies(domain, ensures)
    outcome = app(f"{name}!ok", arguments, effects.sort)
    if called and not contract.limited:
        return implies(and_([domain, effects.returns(outcome)]), ensures)
    if effects.classes is None:
        if called:
            raise NeedsClasses
        return implies(domain, and_([outcome, ensures]))
    met = mentioned(registry, outcome)
    allowed = or_(
        and_([equal(outcome, effects.raised(raised)), _allowed(functions, known, raised, arguments)])
        for raised in _raised(effects, met)
    )
    if called:  # a call that is not followed, or has no end, is a failure of who calls
        allowed = or_([allowed, not_(or_(effects.is_outcome(f"raises.{r}", outcome) for r in _raised(effects, met)))])
    return implies(domain, cond(effects.returns(outcome), ensures, allowed))


def _raised(effects: Effects, met: frozenset[str]) -> list[str]:
    return [raised for raised in effects.classes or () if f"raises.{raised}" in met]


def _allowed(functions: Functions, known: Translated, raised: str, arguments: list[Term]) -> Term:
    """That some ``raises`` allows this exception here."""
    module = functions.registry.module
    tests: list[Term] = []
    for clause in known.function.contract.raises:
        if _covers(module, clause, raised):
            tests.append(TRUE if clause.when is None else functions.clause(known, clause.when, arguments))
    return or_(tests) if tests else FALSE


def _covers(module: Module, clause: Raises, raised: str) -> bool:
    name = module.exception(clause.exception)
    if name is None:
        raise OutsideFragment(f"what exception `{clause.exception}` is here is not followed", construct="raises")
    return "." not in raised and module.is_subclass(raised, name)
