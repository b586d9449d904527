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

from collections.abc import Iterable
from dataclasses import dataclass

from goedels_poetry.kernel.faults import KernelError
from goedels_poetry.kernel.reading.parser import parse_problem
from goedels_poetry.kernel.terms import FALSE, TRUE, Term, allow_recursion, and_, app, forall, implies, not_, or_
from goedels_poetry.python.translate.build import Effects, cond, equal
from goedels_poetry.python.translate.contracts import Raises
from goedels_poetry.python.translate.faults import OutsideFragment, PythonFault, outside
from goedels_poetry.python.translate.frame import NeedsClasses
from goedels_poetry.python.translate.functions import Functions, Translated
from goedels_poetry.python.translate.lifting import lifted
from goedels_poetry.python.translate.loading import read_module
from goedels_poetry.python.translate.module import Module
from goedels_poetry.python.translate.program import Program
from goedels_poetry.python.translate.registry import Registry, legal, readable
from goedels_poetry.python.translate.script import mentioned, script
from goedels_poetry.python.translate.types import Type

MAX_TEXT = 200_000


@dataclass(frozen=True, slots=True)
class Translation:
    """``text`` is the script; ``parameters`` are those of the theorem, with their types, and ``names`` what they are
    called in the script. ``module`` and ``registry`` say what classes and sorts stand for."""

    text: str
    function: str
    parameters: tuple[tuple[str, Type], ...]
    names: tuple[str, ...]
    result: Type
    module: Module
    registry: Registry


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
        return _translated(lifted(program), function)
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
    known = functions.require(function, node)
    arguments = _arguments(functions, known, program.functions)
    theorem = forall(arguments, _theorem(functions, known, arguments))
    goal = and_([*_callees(functions, known), theorem])
    if registry.digits and registry.catches:
        outside("a text of an integer where a ValueError is caught: of very many digits there is none", node, "str")
    text = script(registry, goal, f"{program.functions[function].name}: its contract")
    if len(text) > MAX_TEXT:
        raise OutsideFragment(f"the translation has more than {MAX_TEXT:,} characters", construct="size")
    try:
        parse_problem(text)
    except KernelError as error:
        raise OutsideFragment(f"the translation is no script that can be read: {error}", construct="size") from error
    parameters = tuple((p.name, k) for p, k in zip(known.function.parameters, known.kinds, strict=True))
    names = tuple(v.name for v in arguments)
    return Translation(text, function, parameters, names, known.result, module, registry)


def _arguments(functions: Functions, known: Translated, taken: Iterable[str], prefix: str = "") -> list[Term]:
    registry = functions.registry
    pairs = zip(known.function.parameters, known.kinds, strict=True)
    return list(readable([registry.fresh(prefix + p.name, registry.sort(k)) for p, k in pairs], map(legal, taken)))


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
                arguments = _arguments(functions, callee, (), f"{name}.")
                kept[name] = forall(arguments, _theorem(functions, callee, arguments, called=True))
    return [theorem for theorem in kept.values() if theorem is not TRUE]


def _theorem(functions: Functions, known: Translated, arguments: list[Term], called: bool = False) -> Term:
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
