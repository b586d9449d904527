"""What a rejected sketch leaves open, in words from which one can go on: the simplest case first, only whole ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from goedels_poetry.kernel.printer import show, show_sort
from goedels_poetry.kernel.problem import Signature
from goedels_poetry.kernel.sequent import Sequent
from goedels_poetry.kernel.terms import Kind
from goedels_poetry.smt.context.prover import ProverContext
from goedels_poetry.smt.notation.readable import show_readable
from goedels_poetry.smt.refutation.counterexample import show_assignment
from goedels_poetry.smt.rewriting.plan import Plan

MAX_CASES = 3
MAX_REPORT = 5_000
MAX_REASON = 380
"""Characters of the line that stands for a report: what is longer stands in the report alone."""
TESTS = 150


@dataclass(slots=True)
class Finding:
    """How the lemmas of a sketch and the goal itself ended."""

    lemmas: list[tuple[str, Sequent, str]] = field(default_factory=list)
    """What each lemma is called, itself, and how it ended."""
    notes: tuple[str, ...] = ()


def open_cases(plan: Plan) -> Iterator[Sequent]:
    """What of a plan is not closed, as deep as it goes."""
    if not plan.complete:
        if plan.children:
            for child in plan.children:
                yield from open_cases(child)
        else:
            yield plan.sequent


def missing(context: ProverContext, sequent: Sequent, partial: Plan | None, found: Finding) -> tuple[str, str]:
    """Why the lemmas do not give the goal: in one line, and as a report."""
    given = "with these lemmas the goal" if found.lemmas else "the goal"
    cases = sorted(open_cases(partial), key=lambda case: case.size) if partial is not None else []
    if partial is None or not cases:
        line = f"{given} does not follow, neither directly nor by one induction"
        parts = [line + "."]
    else:
        line = f"{given} does not follow: by {partial.strategy} these cases stay open"
        parts = [f"{line}{' (the simplest first)' if len(cases) > 1 else ''}:"]
        parts += [_case(context, number, case) for number, case in enumerate(cases[:MAX_CASES], 1)]
        if len(cases) > MAX_CASES:
            parts.append(f"and {len(cases) - MAX_CASES} more cases.")
        first = show_readable(cases[0].formula, context.signature)
        more = f" (and {len(cases) - 1} more)" if len(cases) > 1 else ""
        line = f"{line}: {first}{more}" if len(line) + len(first) < MAX_REASON else line
    if found.lemmas:
        parts.append("The lemmas:")
        parts += [f"- {what}: {ended}" for what, _, ended in found.lemmas]
    parts += [f"Note: {note}" for note in found.notes]
    return line, _bounded(parts)


def _case(context: ProverContext, number: int, case: Sequent) -> str:
    """One open case: variables, hypotheses, conclusion, and what was tried on it."""
    lines = [f"{number}. for {_variables(case)}" if case.vars else f"{number}."]
    for hypothesis in case.hyps:
        label = "induction hypothesis" if hypothesis.kind is Kind.FORALL else "given"
        lines.append(f"   {label}: {show_readable(hypothesis, context.signature)}")
    lines.append(f"   to show: {show_readable(case.concl, context.signature)}")
    lines.append(f"   {_ended(context, case)}")
    return "\n".join(lines)


def _ended(context: ProverContext, case: Sequent) -> str:
    """What is known of a case: false at values, or how it was tested and tried."""
    values = context.refutes(case, TESTS)
    if values is not None:
        at = ", ".join(f"{n} = {text}" for n, text in show_assignment(context.signature, values)["values"].items())
        return f"it is false for {at}: another rule or a stronger hypothesis is needed, no lemma will do"
    quantified = any(h.kind is Kind.FORALL for h in case.hyps)
    tried = "no solver closed it with all lemmas, the definitions and the hypotheses"
    if quantified:
        return f"{tried}; the hypothesis may be wanted at terms that do not stand there: name them in `instances`"
    return f"{tried}; no counterexample was found"


def _variables(case: Sequent) -> str:
    return ", ".join(f"{show(v)}: {show_sort(v.sort)}" for v in case.vars)


def _bounded(parts: list[str]) -> str:
    """The parts in lines, whole ones only."""
    kept: list[str] = []
    length = 0
    for part in parts:
        length += len(part) + 1
        if length > MAX_REPORT and kept:
            kept.append("(the rest is left out, for it is too long)")
            break
        kept.append(part)
    return "\n".join(kept)


def called(position: int, name: str, lemma: Sequent, signature: Signature) -> str:
    """A lemma as a report names it."""
    title = f"lemma {name}" if name else f"lemma {position + 1}"
    text = show_readable(lemma.formula, signature)
    return f"{title} {text}" if len(text) <= MAX_REASON else title


def how(plan: Plan) -> str:
    """How a lemma was proved."""
    if not plan.children:
        return "proved by one query"
    on = plan.detail.rstrip(" /")  # terms, and after a stroke the variables that the hypothesis holds for
    return f"proved by {plan.strategy}{' on ' + on if on else ''}"
