"""Do the words of question and sentences fit the form of goal and premises: negations and quantifiers?

Words are a weak witness (antonyms, idioms), so these tests warn and never fail, and keep silent in doubt.
"""

from __future__ import annotations

from collections.abc import Iterable

from goedels_poetry.kernel.terms import Kind, Term, is_app, subterms
from goedels_poetry.questions.confidence.case import (
    MAX_NODES,
    Case,
    conjuncts,
    connective,
    disjuncts,
    negated,
    negates,
    quantified,
    wholly_mentioned,
    without_double_negations,
)
from goedels_poetry.questions.confidence.english import Reading, readings
from goedels_poetry.questions.confidence.score import FormalizationTest
from goedels_poetry.questions.confidence.vocabulary import (
    asked,
    denies,
    interrogative,
    may_negate,
    negations,
    negative_name,
    stem,
    words,
)
from goedels_poetry.questions.entailment.program import LogicPremise

_MAX_SHOWN = 12
_COMPARISONS = frozenset({"=", "<", "<=", ">", ">=", "distinct"})


def polarity(case: Case) -> FormalizationTest:
    """The goal must be negative when the question is, and only then."""
    if len(case.program.goals) != 1:
        return FormalizationTest("polarity", "skipped", "there are several goals")
    goal, statement = case.program.goals[0].formula, asked(case.question)
    count = negations(statement)
    if count and interrogative(statement):
        return FormalizationTest("polarity", "skipped", "a negated question can be meant either way")
    wrong = _mismatch(case, [goal], statement)
    if wrong:
        return FormalizationTest("polarity", "warning", f"{wrong}: {statement[:200]}")
    return FormalizationTest("polarity", "passed", "goal and question agree in what they negate")


def premise_polarity(case: Case) -> FormalizationTest:
    """The same for premises and the sentences that they render."""
    groups: dict[int, list[LogicPremise]] = {}
    for premise in case.program.premises:
        if len(premise.sentences) == 1 and case.sentence(premise.sentences[0]) is not None:
            groups.setdefault(premise.sentences[0], []).append(premise)
    if not groups:
        return FormalizationTest("premise polarity", "skipped", "no premise renders one sentence")
    wrong = []
    for number, premises in sorted(groups.items()):
        if _mismatch(case, [premise.formula for premise in premises], case.sentences[number - 1]):
            wrong += [premise.name for premise in premises]
    if not wrong:
        return FormalizationTest("premise polarity", "passed", "premises negate where their sentences do")
    words_ = f"negations differ from those of the sentence: {', '.join(wrong[:_MAX_SHOWN])}"
    return FormalizationTest("premise polarity", "warning", words_, tuple(wrong[:_MAX_SHOWN]))


def quantifier_words(case: Case) -> FormalizationTest:
    """``all`` and ``some`` in a sentence, or in the question, and the quantifiers of what renders it."""
    rendered = [
        (premise.name, premise.formula, case.sentences[premise.sentences[0] - 1])
        for premise in case.program.premises
        if len(premise.sentences) == 1 and case.sentence(premise.sentences[0]) is not None
    ]
    if len(case.program.goals) == 1:
        rendered.append((case.program.goals[0].name, case.program.goals[0].formula, asked(case.question)))
    wrong = [name for name, formula, sentence in rendered if _swapped(case, formula, sentence)]
    if not wrong:
        return FormalizationTest("quantifier words", "passed", "quantifiers fit the words")
    words_ = f"quantifiers do not fit `all` or `some` in the words: {', '.join(wrong[:_MAX_SHOWN])}"
    return FormalizationTest("quantifier words", "warning", words_, tuple(wrong[:_MAX_SHOWN]))


def guards(case: Case) -> FormalizationTest:
    """``exists`` over an implication and ``forall`` over a conjunction of conditions are nearly always slips."""
    formulas = [(premise.name, premise.formula) for premise in case.program.premises]
    formulas += [(goal.name, goal.formula) for goal in case.program.goals]
    wrong = [name for name, formula in formulas if _unguarded(case, formula)]
    if not wrong:
        return FormalizationTest("guards", "passed", "quantifiers are guarded")
    words_ = f"`exists` over `=>`, or `forall` over `and`: {', '.join(wrong[:_MAX_SHOWN])}"
    return FormalizationTest("guards", "warning", words_, tuple(wrong[:_MAX_SHOWN]))


def _mismatch(case: Case, formulas: list[Term], sentence: str) -> str:
    """What speaks against formulas as a rendering of a sentence, as far as negation goes; "" when nothing does."""
    if any(formula.size > MAX_NODES for formula in formulas):
        return ""
    names = frozenset().union(*map(case.names, formulas))
    if any(map(negative_name, names)):
        return ""
    formulas = [without_double_negations(formula) for formula in formulas]
    count = negations(sentence)
    written = sum(map(_negations, formulas))
    if count % 2 and not any(map(negates, formulas)):  # two in words may undo each other, as in "not untrue"
        # Names that are no words of the sentence may be antonyms of its words: then there is nothing to negate.
        content = frozenset(stem(word) for word in words(sentence))
        plain = all(wholly_mentioned(name, content) for name in names)
        return "it is negated in words, and not in the formula" if plain and not _ordered(formulas) else ""
    if not _speaks_of_what_is_denied(case, formulas, sentence):
        return ""  # "the window was open" of `not closed`: an opposite is written as a negation, and has other words
    if not count and written and not may_negate(sentence):
        return "the formula negates, and the words do not"
    if any(map(negated, formulas)) and not denies(sentence):
        return "the formula is negated as a whole, and the words are not"
    return ""


def _speaks_of_what_is_denied(case: Case, formulas: list[Term], sentence: str) -> bool:
    """Whether something that is negated is called so in the sentence, or is more than one statement."""
    content = frozenset(stem(word) for word in words(sentence))
    denied = [part.args[0] for formula in formulas for part in subterms(formula) if is_app(part, "not")]
    own = case.program.signature.names
    return any(atom.name not in own or wholly_mentioned(atom.name, content) for atom in denied)


def _negations(formula: Term) -> int:
    """How many negations there are of something else than an equation or an order of values."""
    return sum(
        1
        for part in subterms(formula)
        if is_app(part, "not") and (connective(part.args[0]) or part.args[0].name not in _COMPARISONS)
    )


def _ordered(formulas: Iterable[Term]) -> bool:
    """Whether anything is compared by size: ``not older`` is ``<=``."""
    return any(part.name in _COMPARISONS - {"=", "distinct"} for formula in formulas for part in subterms(formula))


def _swapped(case: Case, formula: Term, sentence: str) -> bool:
    """Whether a formula is wholly existential where the sentence speaks of all, or the other way round."""
    blocks = list(quantified(formula))
    universal, existential = any(b.universal for b in blocks), any(not b.universal for b in blocks)
    told = readings(sentence)
    if universal == existential or not told:
        return False
    if Reading.SOME in told:
        return universal
    if universal or (negations(sentence) and formula.kind is not Kind.EXISTS):
        return False
    if formula.kind is not Kind.EXISTS:
        return Reading.ALL in told
    return bool(told - {Reading.HEDGED}) or _of_a_kind(case, formula)


def _of_a_kind(case: Case, formula: Term) -> bool:
    """Whether an ``exists`` speaks of two properties of something, and of nobody by name: it could be a rule."""
    constants = {name for name, (args, _) in case.program.signature.functions.items() if not args}
    block = next(quantified(formula))
    parts = [term for term, _ in conjuncts(block.body, True) or () if not term.free.isdisjoint(_bound(block.term))]
    return len(parts) > 1 and constants.isdisjoint(case.names(formula))


def _unguarded(case: Case, formula: Term) -> bool:
    for block in quantified(formula):
        if not block.universal:
            found = disjuncts(block.body, block.positive)
            if found and any(sign for _, sign in found) and any(not sign and _own(case, t) for t, sign in found):
                return True
        else:
            found = conjuncts(block.body, block.positive)
            bare = [
                t for t, sign in found or () if sign and _own(case, t) and not t.free.isdisjoint(_bound(block.term))
            ]
            if found and len(found) > 1 and bare:
                return True
    return False


def _own(case: Case, term: Term) -> bool:
    """Whether it is a predicate of the program applied to something."""
    return term.kind is Kind.APP and bool(term.args) and term.name in case.program.signature.names


def _bound(term: Term) -> frozenset[Term]:
    bound: set[Term] = set()
    kind = term.kind
    while term.kind is kind:
        bound.update(term.binders)
        term = term.body
    return frozenset(bound)
