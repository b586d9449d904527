"""Three small pictures as SVG text: no display and no library is needed, and the same numbers give the same bytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.sax.saxutils import escape

from goedels_poetry.evaluation.metrics import Metrics, Share

WIDTH = 720
_LEFT, _RIGHT, _TOP, _ROW = 190, 130, 48, 34
"""Room for names, for numbers, for the title; height of a row. Pixels."""
_NAME = 22
"""Characters of a name that are shown."""
_BAR, _INK, _GRID = "#4477aa", "#222222", "#dddddd"
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44")
"""Told apart by people who do not see all colours, too (P. Tol's "bright")."""

Curve = Sequence[tuple[float, float]]


def accuracy_plot(shares: Mapping[str, Share], title: str = "Accuracy over all questions, 95 % interval") -> str:
    """Bars from 0 to 100 %, each with its interval."""
    parts = _rows_axis(len(shares), title)
    for row, (name, share) in enumerate(shares.items()):
        middle = _TOP + _ROW * row + _ROW / 2
        parts.append(_label(name, middle))
        if share.value is None:
            parts.append(_text(_LEFT + 6, middle + 4, "nothing asked"))
            continue
        low, high = _at(share.low), _at(share.high)
        parts += [
            _rect(_LEFT, middle - 9, _at(share.value) - _LEFT, 18),
            _line(low, middle, high, middle, _INK),
            _line(low, middle - 5, low, middle + 5, _INK),
            _line(high, middle - 5, high, middle + 5, _INK),
            _text(WIDTH - _RIGHT + 10, middle + 4, f"{100 * share.value:.1f} % of {share.of}"),
        ]
    return _svg(_TOP + _ROW * len(shares) + 30, parts, title)


def coverage_plot(curves: Mapping[str, Curve]) -> str:
    """Selective accuracy against coverage, one line a data set; the most confident answers stand on the left."""
    title = "Accuracy of the answers given, by how many questions are answered"
    height, top, bottom = 416, 68, 356
    right = WIDTH - 200

    def x(value: float) -> float:
        return 60 + (right - 60) * value

    def y(value: float) -> float:
        return bottom - (bottom - top) * value

    parts = []
    for step in range(6):
        value = step / 5
        parts += [_line(x(value), y(0), x(value), y(1), _GRID), _line(x(0), y(value), x(1), y(value), _GRID)]
        parts += [_text(x(value), bottom + 18, f"{100 * value:.0f}", "middle")]
        parts += [_text(52, y(value) + 4, f"{100 * value:.0f}", "end")]
    parts.append(_text((60 + right) / 2, bottom + 40, "coverage, % of the questions", "middle"))
    parts.append(_text(52, top - 14, "right, %", "end"))
    for number, (name, points) in enumerate(curves.items()):
        colour = _COLOURS[number % len(_COLOURS)]
        dash = "" if number < len(_COLOURS) else ' stroke-dasharray="6 3"'
        placed = [(x(coverage), y(accuracy)) for coverage, accuracy in points]
        if len(placed) > 1:
            path = " ".join(f"{px:.1f},{py:.1f}" for px, py in placed)
            parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2"{dash}/>')
        parts += [f'<circle cx="{px:.1f}" cy="{py:.1f}" r="4" fill="{colour}"/>' for px, py in placed]
        parts.append(f'<circle cx="{right + 24}" cy="{top + 20 * number}" r="5" fill="{colour}"/>')
        parts.append(_text(right + 36, top + 20 * number + 4, _short(name)))
    return _svg(max(height, top + 20 * len(curves) + 20), parts, title)


def cost_plot(datasets: Mapping[str, Metrics]) -> str:
    """What each of them costs: US dollars where prices are known, else tokens, else seconds; a tick at the median."""
    unit, format_ = "seconds", "{:.1f} s"
    if any(found.money.total for found in datasets.values()):
        unit, format_ = "money", "$ {:.4f}"
    elif any(found.tokens.total for found in datasets.values()):
        unit, format_ = "tokens", "{:,.0f} tokens"
    spreads = {name: getattr(found, unit) for name, found in datasets.items()}
    most = max((max(each.mean, each.median) for each in spreads.values()), default=0.0) or 1.0
    label = {"money": "US dollars", "tokens": "Tokens", "seconds": "Seconds"}[unit]
    title = f"{label} of each: mean (bar) and median (tick)"
    parts = []
    for row, (name, each) in enumerate(spreads.items()):
        middle = _TOP + _ROW * row + _ROW / 2
        tick = _at(each.median / most)
        parts += [
            _label(name, middle),
            _rect(_LEFT, middle - 9, _at(each.mean / most) - _LEFT, 18),
            _line(tick, middle - 12, tick, middle + 12, _INK),
            _text(WIDTH - _RIGHT + 10, middle + 4, format_.format(each.mean)),
        ]
    return _svg(_TOP + _ROW * len(spreads) + 20, parts, title)


def _rows_axis(rows: int, title: str) -> list[str]:
    parts = []
    for step in range(6):
        place = _at(step / 5)
        parts.append(_line(place, _TOP, place, _TOP + _ROW * rows, _GRID))
        parts.append(_text(place, _TOP + _ROW * rows + 18, f"{20 * step} %", "middle"))
    return parts


def _at(value: float) -> float:
    return _LEFT + (WIDTH - _LEFT - _RIGHT) * value


def _label(name: str, middle: float) -> str:
    return _text(_LEFT - 8, middle + 4, _short(name), "end")


def _short(name: str) -> str:
    name = " ".join(name.split())
    return name if len(name) <= _NAME else f"{name[: _NAME - 1]}…"


def _text(x: float, y: float, label: str, anchor: str = "start") -> str:
    # What XML cannot hold at all (control characters, halves of surrogate pairs) becomes a question mark.
    label = "".join(c if c.isprintable() else "?" for c in label)
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(label)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, colour: str) -> str:
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}"/>'


def _rect(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x:.1f}" y="{y:.1f}" width="{width:.1f}" height="{height:.1f}" fill="{_BAR}"/>'


def _svg(height: float, parts: Sequence[str], title: str) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" font-family="sans-serif" font-size="13" fill="{_INK}" role="img">'
    )
    heading = f'<text x="14" y="24" font-size="16">{escape(title)}</text>'
    body = [head, f"<title>{escape(title)}</title>", '<rect width="100%" height="100%" fill="white"/>', heading, *parts]
    return "\n".join([*body, "</svg>", ""])
