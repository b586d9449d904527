"""Pictures of a report as SVG text: no display and no library is needed, and the same numbers give the same bytes.

There are two kinds: rows of bars, and lines over an axis.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from xml.sax.saxutils import escape

from goedels_poetry.evaluation.figures import Curve, Metrics, PassAt, Share

WIDTH = 720
MOST = 18
"""Lines or data sets of a picture that can be told apart."""
_NAME = 22
"""Characters of a name that are shown."""
_BARS = (190, 590)
"""From where to where bars go. Pixels, as all that follows."""
_TOP, _ROW = 48, 34
_FIELD = (60, 520, 68, 356)
"""Left, right, top and bottom of the field of lines."""
_INK, _GRID = "#222222", "#dddddd"
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44")
"""Told apart by people who do not see all colours, too (P. Tol's "bright")."""
_UNITS = {"seconds": "seconds", "calls": "model calls", "tokens": "tokens", "money": "US dollars"}

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class _Row:
    """A name, the parts of its bar one after another, marks on it, and what is written to its right; 0 to 1."""

    name: str
    parts: Sequence[float]
    text: str
    marks: Sequence[float] = ()
    interval: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class _Line:
    """Points of the field, 0 to 1 each, and the band around them."""

    points: Points
    band: Sequence[tuple[float, float, float]] = ()
    """(x, low, high)."""
    dots: bool = True


def accuracy_plot(shares: Mapping[str, Share], title: str = "Accuracy over all questions, 95 % interval") -> str:
    """Bars from 0 to 100 %, each with its interval."""
    rows = [
        _Row(name, (), "nothing asked")
        if share.value is None
        else _Row(name, (share.value,), f"{100 * share.value:.1f} % of {share.of}", (), (share.low, share.high))
        for name, share in shares.items()
    ]
    return _bars(rows, title, [(step / 5, f"{20 * step} %") for step in range(6)])


def cost_plot(datasets: Mapping[str, Metrics]) -> str:
    """What each of them costs: US dollars where prices are known, else tokens, else seconds; a tick at the median."""
    unit, format_ = "seconds", "{:.1f} s"
    if any(found.money.total for found in datasets.values()):
        unit, format_ = "money", "$ {:.4f}"
    elif any(found.tokens.total for found in datasets.values()):
        unit, format_ = "tokens", "{:,.0f} tokens"
    spreads = {name: getattr(found, unit) for name, found in datasets.items()}
    most = max((max(each.mean, each.median) for each in spreads.values()), default=0.0) or 1.0
    rows = [
        _Row(name, (each.mean / most,), format_.format(each.mean), (each.median / most,))
        for name, each in spreads.items()
    ]
    label = _UNITS[unit] if unit == "money" else _UNITS[unit].capitalize()
    return _bars(rows, f"{label} of each: mean (bar) and median (tick)")


def kinds_plot(title: str, datasets: Mapping[str, Mapping[str, int]]) -> str:
    """Counts by kind, most frequent on top; the parts of a bar are the data sets."""
    total: Counter[str] = Counter()
    for counts in datasets.values():
        total.update(counts)
    most = max(total.values(), default=0) or 1
    rows = [
        _Row(kind, [counts.get(kind, 0) / most for counts in datasets.values()], f"{number}")
        for kind, number in total.most_common()
    ]
    return _bars(rows, title, legend=list(datasets) if len(datasets) > 1 else ())


def coverage_plot(curves: Mapping[str, Points]) -> str:
    """Selective accuracy against coverage, one line a data set; the most confident answers stand on the left."""
    title = "Accuracy of the answers given, by how many questions are answered"
    ticks = [(step / 5, f"{20 * step}") for step in range(6)]
    lines = {name: _Line(points) for name, points in curves.items()}
    return _lines(lines, title, "coverage, % of the questions", ticks, "right, %")


def curve_plot(unit: str, curves: Mapping[str, Curve]) -> str:
    """Success against budget as steps, one line for each data set or run; the budget on a logarithmic axis.

    Some success has to have cost something. What costs nothing stands at the left edge, where there is no zero.
    """
    spent = [cost for curve in curves.values() for cost in curve.costs if cost > 0]
    low, high = math.log10(min(spent) / 2), math.log10(max(spent) * 2)

    def x(budget: float) -> float:
        return (math.log10(budget) - low) / (high - low)

    def line(curve: Curve) -> _Line:
        level = sum(cost <= 0 for cost in curve.costs) / curve.trials if curve.trials else 0.0
        steps = [(0.0, level)]
        for budget, share in curve.points:
            if budget > 0:
                steps += [(x(budget), level), (x(budget), share)]
                level = share
        return _Line([*steps, (1.0, level)], dots=False)

    ticks = [(x(10.0**power), f"{10.0**power:g}") for power in range(math.ceil(low), math.floor(high) + 1)]
    drawn = {name: line(curve) for name, curve in curves.items()}
    return _lines(drawn, f"Success against {_UNITS[unit]}", f"{_UNITS[unit]} for one theorem", ticks, "solved, %")


def pass_plot(passes: Mapping[str, PassAt]) -> str:
    """pass@k against k, with intervals."""
    most = max((k for each in passes.values() for k in each.at), default=1)

    def line(each: PassAt) -> _Line:
        known = [(k / most, share) for k, share in sorted(each.at.items()) if share is not None]
        return _Line([(x, s.value or 0.0) for x, s in known], [(x, s.low, s.high) for x, s in known])

    ks = sorted({k for each in passes.values() for k in each.at})
    ticks = [(k / most, str(k)) for k in ks]
    return _lines({name: line(each) for name, each in passes.items()}, "pass@k, with 95 % intervals", "k", ticks, "%")


def proof_plots(
    curves: Mapping[str, Mapping[str, Curve]],
    passes: Mapping[str, PassAt],
    endings: Mapping[str, Mapping[str, int]],
    mistakes: Mapping[str, Mapping[str, int]],
) -> dict[str, str]:
    """Pictures of a benchmark of proofs by file name, those that there is something to draw of.

    Args:
        curves: unit -> data set -> curve.
        passes: data set -> pass@k.
        endings, mistakes: data set -> kind -> how often.
    """
    found = {
        f"success-{unit}.svg": curve_plot(unit, by_set)
        for unit, by_set in curves.items()
        if any(cost > 0 for curve in by_set.values() for cost in curve.costs)  # else there is no axis to draw it on
    }
    if any(len(each.at) > 1 for each in passes.values()):
        found["pass.svg"] = pass_plot(passes)
    for name, title, counts in (("endings", "How runs ended", endings), ("mistakes", "Attempts that failed", mistakes)):
        if any(counts.values()):
            found[f"{name}.svg"] = kinds_plot(title, counts)
    return found


# -- the two kinds ----------------------------------------------------------------------------------------------------


def _bars(rows: Sequence[_Row], title: str, ticks: Iterable[tuple[float, str]] = (), legend: Sequence[str] = ()) -> str:
    left, right = _BARS
    bottom = _TOP + _ROW * len(rows)

    def at(value: float) -> float:
        return left + (right - left) * value

    parts = []
    for value, label in ticks:
        parts += [_line(at(value), _TOP, at(value), bottom, _GRID), _text(at(value), bottom + 18, label, "middle")]
    for number, row in enumerate(rows):
        middle = _TOP + _ROW * number + _ROW / 2
        parts.append(_text(left - 8, middle + 4, _short(row.name), "end"))
        start = 0.0
        for place, part in enumerate(row.parts[:MOST]):
            box = f'x="{at(start):.1f}" y="{middle - 9:.1f}" width="{at(part) - left:.1f}" height="18.0"'
            parts.append(f'<rect {box} fill="{_COLOURS[place % len(_COLOURS)]}"/>')
            start += part
        parts += [_line(at(mark), middle - 12, at(mark), middle + 12, _INK) for mark in row.marks]
        if row.interval is not None:
            low, high = map(at, row.interval)
            parts.append(_line(low, middle, high, middle, _INK))
            parts += [_line(end, middle - 5, end, middle + 5, _INK) for end in (low, high)]
        parts.append(_text(right + 10 if row.parts else left + 6, middle + 4, row.text))
    parts += _legend(legend, _BARS[0], bottom + 20)
    return _svg(bottom + 30 + 20 * len(legend[:MOST]), parts, title)


def _lines(lines: Mapping[str, _Line], title: str, below: str, ticks: Iterable[tuple[float, str]], beside: str) -> str:
    left, right, top, bottom = _FIELD

    def place(x: float, y: float) -> tuple[float, float]:
        return left + (right - left) * x, bottom - (bottom - top) * y

    parts = []
    for x, label in ticks:
        parts += [_line(*place(x, 0), *place(x, 1), _GRID), _text(place(x, 0)[0], bottom + 18, label, "middle")]
    for step in range(6):
        y = step / 5
        parts += [_line(*place(0, y), *place(1, y), _GRID), _text(52, place(0, y)[1] + 4, f"{20 * step}", "end")]
    parts += [_text((left + right) / 2, bottom + 40, below, "middle"), _text(52, top - 14, beside, "end")]
    shown = dict(list(lines.items())[:MOST])
    for number, each in enumerate(shown.values()):
        colour, dash = _COLOURS[number % len(_COLOURS)], ("", "6 3", "2 3")[number // len(_COLOURS)]
        edge = [place(x, high) for x, _, high in each.band] + [place(x, low) for x, low, _ in reversed(each.band)]
        parts += [f'<polygon points="{_path(edge)}" fill="{colour}" opacity="0.12"/>'] if edge else []
        dots = [place(x, y) for x, y in each.points]
        if len(dots) > 1:
            style = f' stroke-dasharray="{dash}"' if dash else ""
            parts.append(f'<polyline points="{_path(dots)}" fill="none" stroke="{colour}" stroke-width="2"{style}/>')
        parts += [_dot(x, y, colour) for x, y in dots if each.dots]
    parts += _legend(list(shown), right + 24, top)
    return _svg(max(416, top + 20 * len(shown) + 20), parts, title)


def _legend(names: Sequence[str], left: float, top: float) -> list[str]:
    parts = []
    for number, name in enumerate(names[:MOST]):
        parts.append(_dot(left, top + 20 * number, _COLOURS[number % len(_COLOURS)]))
        parts.append(_text(left + 12, top + 20 * number + 4, _short(name)))
    return parts


def _short(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _path(points: Points) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in points)


def _dot(x: float, y: float, colour: str) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}"/>'


def _text(x: float, y: float, label: str, anchor: str = "start") -> str:
    # What XML cannot hold at all (control characters, halves of surrogate pairs) becomes a question mark.
    label = "".join(c if c.isprintable() else "?" for c in label)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(label)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" font-family="sans-serif" font-size="13" fill="{_INK}" role="img">'
    )
    heading = f'<text x="14" y="24" font-size="16">{escape(title)}</text>'
    body = [head, f"<title>{escape(title)}</title>", '<rect width="100%" height="100%" fill="white"/>', heading, *parts]
    return "\n".join([*body, "</svg>", ""])
