"""Figures as Markdown, for the terminal and the report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from goedels_poetry.evaluation.figures import Compared, Curve, Metrics, PassAt, Share, budgets
from goedels_poetry.evaluation.outcome import PREDICTED, Outcome
from goedels_poetry.evaluation.questions import LABELS

OVERALL = "all"
MAX_CELL = 60
"""Characters of a name in a table: beginning and end of longer ones."""
MAX_LISTED = 200
"""Wrong answers listed in a report; the results file has all."""


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A Markdown table with aligned columns; the first is a name, the others are numbers."""
    cells = [[_cell(cell) for cell in row] for row in (head, *rows)]
    widths = [max(3, *(len(row[column]) for row in cells)) for column in range(len(head))]

    def line(row: Sequence[str]) -> str:
        first, *others = zip(row, widths, strict=True)
        return f"| {' | '.join((first[0].ljust(first[1]), *(cell.rjust(width) for cell, width in others)))} |"

    rule = ["-" * widths[0], *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    return [line(cells[0]), f"| {' | '.join(rule)} |", *map(line, cells[1:])]


def _cell(text: str) -> str:
    text = " ".join(text.split())
    if len(text) > MAX_CELL:
        text = f"{text[: MAX_CELL * 2 // 3]}…{text[len(text) - MAX_CELL // 3 :]}"
    return _escaped(text)


def _escaped(text: str) -> str:
    """On one line, with nothing in it that would break a table, or vanish from a page as a tag."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "\\<")


def percent(value: float | None) -> str:
    """``87.5 %``; a dash of nothing."""
    return "–" if value is None else f"{100 * value:.1f} %"


def with_interval(share: Share) -> str:
    """``87.5 % (73.9–94.5)``."""
    if share.value is None:
        return "–"
    return f"{percent(share.value)} ({100 * share.low:.1f}–{100 * share.high:.1f})"


def _ratio(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def main_table(datasets: Mapping[str, Metrics]) -> list[str]:
    """One line a data set: how right."""
    head = ("data set", "n", "accuracy (95 %)", "coverage", "selective", "precision", "recall", "F1")

    def row(name: str, found: Metrics) -> Sequence[str]:
        number = str(found.questions) if found.samples == 1 else f"{found.questions} × {found.samples}"
        shares = (percent(found.coverage.value), percent(found.selective.value))
        means = map(_ratio, (found.macro_precision, found.macro_recall, found.macro_f1))
        return (name, number, with_interval(found.accuracy), *shares, *means)

    return table(head, (row(*each) for each in datasets.items()))


def outcome_table(datasets: Mapping[str, Metrics]) -> list[str]:
    """One line a data set: what went wrong, and at what price."""
    wrong = ("wrongly true", "wrongly false", "uncertain → unknown", "no answer")

    def wrongly(found: Metrics, said: str) -> str:
        return str(sum(row.get(said, 0) for label, row in found.confusion.items() if label != said))

    def row(name: str, found: Metrics) -> Sequence[str]:
        uncertain = f"{found.uncertain.right:g} of {found.uncertain.of}" if found.uncertain.of else "–"
        failed = str(sum(found.failures.values()))
        costs = (f"{found.calls.total:,.0f}", f"{found.tokens.total:,.0f}", f"{found.money.total:.4f}")
        median = f"{found.seconds.median:.1f}"
        return (name, wrongly(found, "true"), wrongly(found, "false"), uncertain, failed, *costs, median)

    head = ("data set", *wrong, "calls", "tokens", "US $", "s, median")
    return table(head, (row(*each) for each in datasets.items()))


def class_table(found: Metrics) -> list[str]:
    """Precision, recall and F1 of each class."""
    rows = [
        (label, str(score.gold), str(score.said), *map(_ratio, (score.precision, score.recall, score.f1)))
        for label, score in found.classes.items()
        if score.gold or score.said
    ]
    return table(("class", "gold", "answered", "precision", "recall", "F1"), rows)


def confusion_table(found: Metrics) -> list[str]:
    """Gold labels by what was answered."""
    said = [name for name in PREDICTED if any(name in row for row in found.confusion.values())]
    counted = [(label, found.confusion[label]) for label in LABELS if label in found.confusion]
    rows = [(label, *(str(counts.get(name, 0)) for name in said)) for label, counts in counted]
    return table(("gold \\ answered", *said), rows)


def calibration_table(found: Metrics) -> list[str]:
    """Accuracy of the answers true and false by level of confidence."""
    rows = [(level, str(share.of), with_interval(share)) for level, share in found.calibration.items()]
    return table(("confidence", "answered", "right (95 %)"), rows)


_COSTS = {
    "attempts": "attempts",
    "model calls": "calls",
    "tokens": "tokens",
    "US dollars": "money",
    "seconds": "seconds",
}


def cost_table(found: Metrics) -> list[str]:
    """Mean, median and 90 % quantile for each question or theorem, and the sum."""
    spreads = [(title, getattr(found, name)) for title, name in _COSTS.items()]
    rows = [
        (title, *(f"{each:,.4g}" for each in (spread.mean, spread.median, spread.p90)), f"{spread.total:,.6g}")
        for title, spread in spreads
    ]
    return table(("of each", "mean", "median", "p90", "sum"), rows)


def wrong_list(outcomes: Iterable[Outcome]) -> list[str]:
    """Every wrong answer and every failure, one a line."""
    wrong = [one for one in outcomes if not one.correct]
    lines = [
        f"- {_cell(one.dataset)} `{' '.join(one.id.split()).replace('`', '')}`"
        + (f", sample {one.sample + 1}" if one.sample else "")
        + f": {one.predicted}, gold {one.gold}"
        + (f": {_escaped(one.reason[:200])}" if one.reason else "")
        for one in wrong[:MAX_LISTED]
    ]
    return lines + ([f"- and {len(wrong) - MAX_LISTED} more"] if len(wrong) > MAX_LISTED else [])


def compare_table(compared: Compared) -> list[str]:
    """One line a data set: both accuracies, what only one has right, the p-value."""
    every = {**(compared.datasets if len(compared.datasets) > 1 else {}), OVERALL: compared.overall}
    rows = [
        (
            name,
            str(each.pairs),
            *map(with_interval, (each.first, each.second)),
            f"{100 * each.difference:+.1f}",
            *(str(len(ids)) for ids in (each.only_first, each.only_second)),
            f"{each.p:.4f}",
        )
        for name, each in every.items()
    ]
    return table(("data set", "pairs", "first", "second", "points", "only first", "only second", "McNemar p"), rows)


def kinds_table(title: str, datasets: Mapping[str, Mapping[str, int]]) -> list[str]:
    """One line a kind, one column a data set."""
    total: Counter[str] = Counter()
    for counts in datasets.values():
        total.update(counts)
    rows = [(kind, *(str(counts.get(kind, 0)) for counts in datasets.values())) for kind, _ in total.most_common()]
    return table((title, *datasets), rows)


_UNITS = {"seconds": "{:g} s", "calls": "{:,.0f} calls", "tokens": "{:,.0f} tokens", "money": "$ {:g}"}


def curve_table(unit: str, curves: Mapping[str, Curve]) -> list[str]:
    """Solved within a budget: one line a budget, one column a data set."""
    rows = [
        (_UNITS[unit].format(budget), *(with_interval(curve.at(budget)) for curve in curves.values()))
        for budget in budgets(list(curves.values()))
    ]
    return table(("solved within", *curves), rows)


def pass_table(found: Mapping[str, PassAt]) -> list[str]:
    """One line a set of theorems: pass@k for every k."""
    ks = sorted({k for each in found.values() for k in each.at})
    rows = []
    for name, each in found.items():
        few, most = each.samples
        shares = (each.at.get(k) for k in ks)
        cells = ("too few samples" if share is None else with_interval(share) for share in shares)
        rows.append((name, str(each.items), str(few) if few == most else f"{few}–{most}", str(each.solved), *cells))
    return table(("set", "items", "samples", "solved", *(f"pass@{k} (95 %)" for k in ks)), rows)
