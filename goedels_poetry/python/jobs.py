"""What runs in a worker process when a Python file is read: its contracts, and the theorem that they are.

What the file says of a proof becomes lemmas about the translation: each is proved, or left out. An invariant is Hoare's
rule for its loop ("An Axiomatic Basis for Computer Programming", 1969) as a statement about the function that the loop
has become. Further lemmas are the contracts of functions that are called or named by ``uses``, and each condition of
the contract, so that what was proved before, assertions included, is known to those that follow.
"""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any

from goedels_poetry.kernel.printer import show, show_sort, show_symbol
from goedels_poetry.kernel.terms import (
    BOOL,
    INT,
    TRUE,
    Kind,
    Sort,
    Term,
    and_,
    app,
    forall,
    implies,
    integer,
    is_app,
    not_,
    or_,
    rebuild,
    substitute,
    subterms,
    tester,
)
from goedels_poetry.protocol.trials import UNTRANSLATED
from goedels_poetry.python.testing.checks import checks_of
from goedels_poetry.python.testing.literals import python_arguments
from goedels_poetry.python.translate.build import RETURNS, cond, equal, minus, plus
from goedels_poetry.python.translate.contracts import OutsideFragment, PythonFault
from goedels_poetry.python.translate.frame import Retry
from goedels_poetry.python.translate.functions import Translated
from goedels_poetry.python.translate.loops import hint
from goedels_poetry.python.translate.program import Program, read_program, with_contracts
from goedels_poetry.python.translate.registry import Defined, HintedLoop, legal, readable
from goedels_poetry.python.translate.script import Change, unfolded
from goedels_poetry.python.translate.translate import Translation, arguments_of, theorem_of, translate
from goedels_poetry.smt.jobs import symbolic

Json = dict[str, Any]

NO_CONTRACT = "no function of the file has a contract"
HINT = "decorate one with @requires(...) and @ensures(...) from goedels_poetry.contracts, deal or icontract"


def functions(payload: Json) -> Json:
    """The functions of ``source`` that have a contract, in order; none for a text that `read` refuses."""
    try:
        return {"functions": list(with_contracts(read_program(payload["source"])))}
    except PythonFault:
        return {"functions": []}


def read(payload: Json) -> Json:
    """The theorem about one function of a file.

    Args:
        payload: ``source``; ``function``, "" for the only one with a contract.

    Returns:
        ``ok``; then ``checks``, ``lines`` of what is ensured, ``statement``, ``warnings``, ``smt`` ("" where there is
        no translation, and ``outside`` says why) with ``theory``, ``key`` and ``empty`` as `read` of SMT. Not ok:
        ``message``, ``line``, ``column``, ``hint``.
    """
    try:
        program = read_program(payload["source"])
        name = _which(program, payload["function"])
        if (unread := program.functions[name].fault) is not None:
            raise unread
    except PythonFault as fault:
        return {"ok": False, "message": fault.message, "line": fault.line, "column": fault.column, "hint": fault.hint}
    function = program.functions[name]
    contract = function.contract
    said = [f"requires {clause.text}" for clause in contract.requires]
    said += [f"ensures {clause.text}" for clause in contract.ensures]
    said += [f"may raise {r.exception}" + (f" where {r.when.text}" if r.when else "") for r in contract.raises]
    found = {
        "ok": True,
        "checks": checks_of(program, name).to_json(),
        "statement": f"{name}({', '.join(p.name for p in function.parameters)}): {'; '.join(said)}",
        "lines": {f"ensures {clause.text}": clause.line for clause in contract.ensures},
        "warnings": [],
        "outside": "",
        "theory": "python",
        "key": hashlib.sha256(f"{name}\n{payload['source']}".encode()).hexdigest()[:20],
        "empty": False,
        "smt": "",
        "hints": [],
        "seconds": 0.0,
    }
    try:
        translation = translate(program, name)
        text = translation.text
    except OutsideFragment as why:
        place = f"line {why.line}: " if why.line is not None else ""
        outside = f"{place}{why.message}"
        return {**found, "outside": outside, "warnings": [f"{UNTRANSLATED}{outside}"]}
    theorem = symbolic.read({"theorem": text})
    if not theorem["ok"]:
        return {**found, "outside": f"its translation cannot be read: {theorem['message']}"}
    kept = {name: theorem[name] for name in ("theory", "key", "empty", "seconds")}
    return {**found, **kept, "smt": text, "hints": hints_of(translation)}


def arguments(payload: Json) -> Json:
    """The ``values`` that a solver found for a ``function`` of ``source``, as ``arguments``; {} where they are none."""
    translation = translate(read_program(payload["source"]), payload["function"])
    values = payload["values"]
    try:
        return {"arguments": python_arguments(translation, values.get("values", values))}
    except (KeyError, ValueError):
        return {"arguments": {}}


def _which(program: Program, function: str) -> str:
    names = with_contracts(program)
    if function:
        if function not in program.functions:
            raise PythonFault(f"there is no function {function} at the top of the file", 1, 1, _listed(names))
        if function not in names:
            raise PythonFault(f"{function} has no contract", program.functions[function].line, 1, HINT)
        return function
    if not names:
        raise PythonFault(NO_CONTRACT, 1, 1, HINT)
    if len(names) > 1:
        raise PythonFault("several functions have contracts", 1, 1, f"name one: FILE:{names[0]}")
    return names[0]


def _listed(names: tuple[str, ...]) -> str:
    return f"functions with contracts: {', '.join(names)}" if names else HINT


def hints_of(translation: Translation) -> list[Json]:
    """The lemmas, each after those that its proof may need.

    Each has its closed ``formula`` over the symbols of the script, what it ``says`` with the line (0: nothing is
    reported of it), and may have functions ``along`` which an induction goes, ``at`` which arguments, a ``measure``
    over its variables, the state after a round (``again``, by variable), and what keeps an invariant: ``kept``. None is
    ``stated`` where nobody wrote one: contracts of functions that are called are worth a try, after others.
    """
    functions = translation.functions
    _, kept, expand = unfolded(functions.registry, translation.goal, translation.lemmas)
    main = functions.known[translation.function]
    others = [f for f in reversed(functions.known.values()) if f is not main]
    found = [
        hint for f in others if f.function.contract.ensures for hint in _of_function(translation, f, kept, expand, True)
    ]
    found += _of_function(translation, main, kept, expand, bool(found))
    laws = list(_laws_of_dicts(kept))
    if laws:
        found = [law for law in laws if law["formula"]] + found
    if any("kept" in hint for hint in found):
        wanted = " ".join(text for hint in found for text in hint.get("kept", ()))
        found = [law for law in _laws(kept, wanted) if law["formula"]] + found
    return list({hint["formula"]: hint for hint in found}.values())


def _of_function(
    translation: Translation, known: Translated, kept: Mapping[str, Defined], expand: Change, whole: bool
) -> list[Json]:
    """``whole``: whether the conditions of the contract are lemmas even if nothing is said in the body."""
    functions, name = translation.functions, known.function.name
    arguments = arguments_of(functions, known, functions.registry.module.program.functions)
    stated = theorem_of(functions, known, arguments)
    domain, conclusion = stated.args if is_app(stated, "=>") and len(stated.args) == 2 else (TRUE, stated)
    domain, parts = expand(domain), _parts(expand(conclusion))
    at = dict(zip(known.params, arguments, strict=True))
    found: list[Json] = []
    own = [loop for loop in functions.registry.loops if loop.function == known.function.name]
    for loop in sorted(own, key=lambda loop: -loop.line):
        around = [other for other in own if other.line < loop.line and _free(loop) & set(other.states)]
        if _free(loop) <= {*loop.states, *known.params}.union(*(other.states for other in around)):
            found += _of_loop(loop, at, around, domain, parts, expand)
    measure = _measure(translation, known, arguments)
    said = measure or any(isinstance(n, ast.Assert) for n in ast.walk(known.function.node))
    by_person = bool(found or said or functions.known[translation.function].function.contract.uses)
    if found or whole or said:
        for part in (p for p in parts if p not in _conjuncts(domain)):
            lemma = {"formula": show(forall(arguments, implies(domain, part))), "says": f"the contract of {name}"}
            line = 0 if name == translation.function else known.function.line  # that this is not proved is said anyway
            along = [n for n in (f"{legal(name)}!ok", legal(name)) if n in kept]
            rule = {"along": along, "at": [show(v) for v in arguments]} if along else {}
            rest = {"line": line, "stated": by_person, **({"measure": show(measure)} if measure else {})}
            found.append({**lemma, **rule, **rest})
    return found


def _of_loop(
    loop: HintedLoop, at: dict[Term, Term], around: list[HintedLoop], domain: Term, parts: list[Term], expand: Change
) -> Iterator[Json]:
    """Of each condition: it holds from each state on that satisfies the invariant.

    Of a loop that only another one runs: at its end the invariant holds, and the loop does not fail.
    """
    outer = [v for other in around for v in other.states if v not in at]
    names = readable([*outer, *loop.states], [v.name for v in at.values()])
    here = {**at, **dict(zip([*outer, *loop.states], names, strict=True))}
    states = names[len(outer) :]

    def placed(term: Term) -> Term:
        return substitute(expand(term), here)

    variables = list(here.values())
    outside = [t for other in around for t in (*_conjuncts(other.invariant), *_counted(other), other.more)]
    frame = [t for t in outside if not t.free & set(loop.states)]
    before = and_([domain, *map(placed, (*frame, loop.invariant, *_counted(loop)))])
    moved = dict(zip(loop.states, loop.again, strict=True))
    kept = [substitute(t, moved) for t in (*_conjuncts(loop.invariant), *_counted(loop))]
    rest = {
        "line": loop.line,
        "says": loop.text,
        "along": list(loop.functions),
        "again": {v.name: show(placed(t)) for v, t in zip(states, loop.again, strict=True)},
        "kept": [show(forall(variables, implies(and_([before, placed(loop.more)]), placed(t)))) for t in kept],
        **({"measure": show(placed(loop.measure))} if loop.measure is not None else {}),
    }
    found = []
    for part in parts:
        calls = {t for t in subterms(part) if t.kind is Kind.APP and t.name in loop.functions}
        if calls:
            found.append(_replaced(part, {call: _from(loop, call, states) for call in calls}))
    ends = map(placed, _at_the_end(loop)) if not found else ()
    for conclusion in (*found, *(t for t in ends if any(part.name in loop.functions for part in subterms(t)))):
        yield {"formula": show(forall(variables, implies(before, conclusion))), **rest}


def _from(loop: HintedLoop, call: Term, states: tuple[Term, ...]) -> Term:
    kept = loop.functions[call.name]
    return rebuild(call, (*(states[i] for i in kept), *call.args[len(kept) :]))


def _at_the_end(loop: HintedLoop) -> Iterator[Term]:
    """That the loop does not fail, and what is known after it, where that can be said."""
    last: dict[Term, Term] = {}
    for state, after in zip(loop.states, loop.again, strict=True):
        if state in loop.ends:
            last[state] = _from(loop, loop.ends[state], loop.states)
        elif (bound := _bound(loop, state, after)) is not None:
            last[state] = cond(loop.more, bound, state)
        elif after is not state:
            last[state] = state
    for call in loop.effects:
        ended = _from(loop, call, loop.states)
        yield ended if ended.sort is BOOL else tester(RETURNS, ended)
    lost = {s for s, t in last.items() if t is s}
    for fact in (*_conjuncts(loop.invariant), not_(loop.more)):
        if not fact.free & lost:
            yield substitute(fact, last)


def _bound(loop: HintedLoop, state: Term, after: Term) -> Term | None:
    """Where a counter that grows by 1 ends: at the bound of the test, or where it is if there is no round."""
    test = loop.more
    counts = after is plus(state, integer(1)) and is_app(test, "<") and test.args[0] is state
    return test.args[1] if counts and not test.args[1].free & set(loop.states) else None


def _counted(loop: HintedLoop) -> Iterator[Term]:
    """What the counter of a range satisfies: it is at its first number, or there was a round at the one before."""
    for state, first, after in zip(loop.states, loop.entry, loop.again, strict=True):
        if state in loop.counters and state.sort is INT and is_app(after, "+") and after.args[0] is state:
            before = minus(state, after.args[1])
            yield app(">=", (state, first), TRUE.sort)
            yield or_([equal(state, first), substitute(loop.more, {state: before})])


def _measure(translation: Translation, known: Translated, arguments: list[Term]) -> Term | None:
    """What gets smaller with each call, as the first statement says; None where it says nothing."""
    frame = translation.functions.clause_frame(known, arguments)
    for node in known.function.node.body:
        call = node.value if isinstance(node, ast.Expr) else None
        try:
            stated = hint(frame, call) if isinstance(call, ast.Call) else None
            if stated is not None and stated.kind == "decreases":
                return frame.value(stated.said).term
        except (OutsideFragment, Retry):  # it speaks of more than the parameters
            return None
        if not isinstance(call, ast.Constant | ast.Call):
            break
    return None


def _free(loop: HintedLoop) -> frozenset[Term]:
    return frozenset().union(*(t.free for t in (loop.invariant, loop.more, *loop.entry, *loop.again)))


def _parts(term: Term) -> list[Term]:
    """The conditions of a contract; where exceptions are told apart, first that none is raised but those allowed."""
    if not is_app(term, "ite"):
        return _conjuncts(term)
    returns, ensured, allowed = term.args
    return [or_([returns, allowed]), *(implies(returns, part) for part in _conjuncts(ensured))]


def _conjuncts(term: Term) -> list[Term]:
    return [part for a in term.args for part in _conjuncts(a)] if is_app(term, "and") else [term]


def _replaced(term: Term, replacements: dict[Term, Term]) -> Term:
    done = replacements.get(term)
    if done is not None or not term.args:
        return term if done is None else done
    return rebuild(term, tuple([_replaced(a, replacements) for a in term.args]))


# What loops over lists rest on: laws of slices and of what grows at its end, of the functions that the script has

_LISTS = (
    "(forall ((xs~ {L})) (<= 0 ({len} xs~)))",
    "(forall ((xs~ {L}) (ys~ {L})) (= ({len} ({append} xs~ ys~)) (+ ({len} xs~) ({len} ys~))))",
    "(forall ((xs~ {L}) (n~ Int)) (=> (<= ({len} xs~) n~) (= ({take} xs~ n~) xs~)))",
    "(forall ((xs~ {L}) (n~ Int)) (=> (and (<= 0 n~) (<= n~ ({len} xs~))) (= ({len} ({take} xs~ n~)) n~)))",
    "(forall ((xs~ {L}) (ys~ {L}) (i~ Int))"
    " (=> (and (<= 0 i~) (< i~ ({len} xs~))) (= ({nth} ({append} xs~ ys~) i~) ({nth} xs~ i~))))",
    "(forall ((xs~ {L}) (y~ {E}) (i~ Int)) (=> (= i~ ({len} xs~)) (= ({nth} ({append} xs~ ({cons} y~ {nil})) i~) y~)))",
    "(forall ((xs~ {L}) (ys~ {L}) (n~ Int))"
    " (=> (<= n~ ({len} xs~)) (= ({take} ({append} xs~ ys~) n~) ({take} xs~ n~))))",
)
_FOLDS = {
    "append": "(forall ((xs~ {L}) (ys~ {L}) {ps})"
    " (= ({f} ({append} xs~ ys~) {p}) ({join} ({f} xs~ {p}) ({f} ys~ {p}))))",
    "take": "(forall ((xs~ {L}) (i~ Int) {ps}) (=> (and (<= 0 i~) (< i~ ({len} xs~)))"
    " (= ({f} ({take} xs~ (+ i~ 1)) {p}) ({join} ({f} ({take} xs~ i~) {p}) ({f} ({cons} ({nth} xs~ i~) {nil}) {p})))))",
}


def _laws(kept: Mapping[str, Defined], wanted: str) -> Iterator[Json]:
    """``wanted``: the text of what is to be proved; laws of folds are of calls that stand there."""
    lists = {d.params[0].sort: name.partition(".")[2] for name, d in kept.items() if name.startswith("len.")}
    words: dict[Sort, dict[str, str]] = {}
    for sort, word in lists.items():
        own = {n: f"{n}.{word}" for n in _OF_LISTS if f"{n}.{word}" in kept}
        element = kept[own["nth"]].sort if "nth" in own else INT
        own |= {"nil": f"nil.{word}", "cons": f"cons.{word}"}
        words[sort] = {n: show_symbol(t) for n, t in own.items()} | {"L": show_sort(sort), "E": show_sort(element)}
        yield from (_law(law, words[sort]) for law in _LISTS)
    for definition in kept.values():
        first, *others = definition.params
        joins = {"Bool": ("and", "or"), "Int": ("+",)}.get(definition.sort.name, ())
        given = {"f": show_symbol(definition.name), "p": " ".join(map(show, others))}
        given["ps"] = " ".join(f"({show(v)} {show_sort(v.sort)})" for v in others)
        for join in joins if definition.name.partition(".")[0] not in _OF_LISTS else ():
            own = words.get(first.sort, {})
            for name in own.keys() & _FOLDS.keys():
                if f"({given['f']} ({own[name]} " in wanted:
                    yield _law(_FOLDS[name], {**own, **given, "join": join})


_OF_LISTS = ("len", "append", "take", "nth")


_DICTS = (
    "(= ({has} j~ ({store} k~ v~ xs~)) (or (= j~ k~) ({has} j~ xs~)))",
    "(= ({at} j~ ({store} k~ v~ xs~)) (ite (= j~ k~) v~ ({at} j~ xs~)))",
    "(= ({len} ({store} k~ v~ xs~)) (+ ({len} xs~) (ite ({has} k~ xs~) 0 1)))",
    "(= ({has} j~ ({drop_key} k~ xs~)) (and (not (= j~ k~)) ({has} j~ xs~)))",
    "(=> (not (= j~ k~)) (= ({at} j~ ({drop_key} k~ xs~)) ({at} j~ xs~)))",
    "(<= ({len} ({drop_key} k~ xs~)) ({len} xs~))",
    "(=> (and ({f} ({values} xs~)) ({f} ({cons} v~ {nil}))) ({f} ({values} ({store} k~ v~ xs~))))",
    "(=> ({f} ({values} xs~)) ({f} ({values} ({drop_key} k~ xs~))))",
    "(=> (and ({f} ({values} xs~)) ({has} k~ xs~)) ({f} ({cons} ({at} k~ xs~) {nil})))",
    "(=> (and ({p} xs~) ({p} ({pcons} ({mk} k~ v~) {pnil}))) ({p} ({store} k~ v~ xs~)))",
    "(=> ({p} xs~) ({p} ({drop_key} k~ xs~)))",
    "(=> (and ({p} xs~) ({has} k~ xs~)) ({p} ({pcons} ({mk} k~ ({at} k~ xs~)) {pnil})))",
)
"""``f`` says something of every value, ``p`` of every pair."""


def _laws_of_dicts(kept: Mapping[str, Defined]) -> Iterator[Json]:
    """What dicts rest on that are changed."""
    for word in [n.partition(".")[2] for n in kept if n.startswith(("store.tuple<", "drop.key.tuple<"))]:
        word = word.removeprefix("key.")
        key, value, whole = (v.sort for v in kept[f"store.{word}"].params) if f"store.{word}" in kept else (None,) * 3
        parts = ("has", "at", "len", "store", "drop.key", "values")
        names = {n.replace(".", "_"): show_symbol(f"{n}.{word}") for n in parts if f"{n}.{word}" in kept}
        if whole is None or key is None or value is None:
            continue
        names |= {n: show_symbol(f"{t}.{word}") for n, t in (("pcons", "cons"), ("pnil", "nil"), ("mk", "mk"))}
        values = kept[f"values.{word}"].sort if f"values.{word}" in kept else None
        if values is not None:
            names |= {n: show_symbol(f"{n}.{values.name[5:-1]}") for n in ("cons", "nil")}
        every = [d for d in kept.values() if d.sort is BOOL and len(d.params) == 1]
        said = [{"f": show_symbol(d.name)} for d in every if d.params[0].sort == values]
        said += [{"p": show_symbol(d.name)} for d in every if d.params[0].sort == whole]
        head = f"((xs~ {show_sort(whole)}) (j~ {show_sort(key)}) (k~ {show_sort(key)}) (v~ {show_sort(value)}))"
        for law in _DICTS:
            for given in said or [{}]:
                yield _law(f"(forall {head} {law})", {**names, **given})


def _law(text: str, names: Mapping[str, str]) -> Json:
    """A law by its text; an empty formula where it is of a function that the script does not have."""
    with suppress(KeyError):
        return {"formula": text.format(**names), "line": 0, "says": "", "on": "xs~", "along": []}
    return {"formula": ""}
