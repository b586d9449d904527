"""Pictures of a benchmark of proofs, by matplotlib (the extra ``bench``): the same numbers give the same bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from goedels_poetry.evaluation.compare import PassAt
from goedels_poetry.evaluation.curves import Curve

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HOW_TO_GET = "pictures are drawn where matplotlib is installed: pip install 'goedels-poetry-prover[bench]'"
MOST_CHARACTERS = 40
"""Of a name in a legend, which would take the room of the picture."""
_COLOURS = ("#4477aa", "#ee6677", "#228833", "#aa3377", "#66ccee", "#ccbb44")
"""Told apart by people who do not see all colours, too (P. Tol's "bright")."""
_LABELS = {
    "seconds": "seconds for one theorem",
    "calls": "model calls for one theorem",
    "tokens": "tokens for one theorem",
    "money": "US dollars for one theorem",
}
_STYLE: Any = {  # matplotlib types its keys one by one
    "svg.hashsalt": "goedels-poetry",  # ids would differ from run to run
    "svg.fonttype": "none",
    "font.size": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
}


def available() -> bool:
    """Whether there is something to draw with."""
    return find_spec("matplotlib") is not None


def curve_chart(unit: str, curves: Mapping[str, Curve]) -> str:
    """Success against budget as steps, one line for each data set or run; the budget on a logarithmic axis.

    Some success has to have cost something.
    """

    def draw(axes: Axes) -> None:
        dearest = max((cost for curve in curves.values() for cost in curve.costs), default=1.0)
        spent = [cost for curve in curves.values() for cost in curve.costs if cost > 0]
        least = min(spent)
        for number, (name, curve) in enumerate(curves.items()):
            free = sum(cost <= 0 for cost in curve.costs) / curve.trials if curve.trials else 0.0
            points = [(budget, share) for budget, share in curve.points if budget > 0]
            # What costs nothing stands at the left edge, where a logarithmic axis has no zero.
            x = [least / 2, *(budget for budget, _ in points), dearest * 2]
            y = [free, *(share for _, share in points)]
            axes.step(x, [100 * share for share in (*y, y[-1])], where="post", label=name, **_line(number))
        axes.set_xscale("log")
        axes.set_xlabel(_LABELS[unit])
        axes.set_ylabel("solved, % of the trials")
        axes.set_ylim(0, 102)
        axes.legend(loc="lower right", frameon=False)

    return _svg(draw, f"Success against {unit if unit != 'calls' else 'model calls'}")


def pass_chart(passes: Mapping[str, PassAt]) -> str:
    """pass@k against k, with intervals."""

    def draw(axes: Axes) -> None:
        for number, (name, each) in enumerate(passes.items()):
            known = [
                (k, share) for k, share in sorted(each.at.items()) if share is not None and share.value is not None
            ]
            ks = [k for k, _ in known]
            axes.plot(ks, [100 * (s.value or 0.0) for _, s in known], marker="o", label=name, **_line(number))
            low, high = [100 * s.low for _, s in known], [100 * s.high for _, s in known]
            axes.fill_between(ks, low, high, color=_COLOURS[number % len(_COLOURS)], alpha=0.12, linewidth=0)
        axes.set_xlabel("k")
        axes.set_ylabel("pass@k, %")
        axes.set_ylim(0, 102)
        axes.legend(loc="lower right", frameon=False)

    return _svg(draw, "pass@k, with 95 % intervals")


def kinds_chart(title: str, datasets: Mapping[str, Mapping[str, int]]) -> str:
    """Counts by kind as bars beside each other, most frequent on top."""
    total: dict[str, int] = {}
    for counts in datasets.values():
        for kind, number in counts.items():
            total[kind] = total.get(kind, 0) + number
    kinds = sorted(total, key=lambda kind: total[kind])

    def draw(axes: Axes) -> None:
        left = [0.0] * len(kinds)
        for number, (name, counts) in enumerate(datasets.items()):
            widths = [float(counts.get(kind, 0)) for kind in kinds]
            axes.barh(kinds, widths, left=left, color=_COLOURS[number % len(_COLOURS)], label=name)
            left = [a + b for a, b in zip(left, widths, strict=True)]
        for row, end in enumerate(left):
            axes.text(end, row, f" {end:g}", va="center")
        axes.grid(axis="y", visible=False)
        if len(datasets) > 1:
            axes.legend(loc="lower right", frameon=False)

    return _svg(draw, title, height=1.2 + 0.32 * max(2, len(kinds)))


def _line(number: int) -> dict[str, Any]:
    return {"color": _COLOURS[number % len(_COLOURS)], "linestyle": ("-", "--", ":")[number // len(_COLOURS) % 3]}


def _svg(draw: Any, title: str, *, width: float = 7.2, height: float = 4.0) -> str:
    """An SVG that can stand in a page: no XML head, no date."""
    import matplotlib as mpl
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        draw(axes)
        axes.set_title(title.replace("$", r"\$"), loc="left")
        written = io.StringIO()
        figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    text = written.getvalue()
    return re.sub(r"\A.*?(?=<svg)", "", text, flags=re.DOTALL)


def charts(
    curves: Mapping[str, Mapping[str, Curve]],
    passes: Mapping[str, PassAt],
    endings: Mapping[str, Mapping[str, int]],
    mistakes: Mapping[str, Mapping[str, int]],
) -> dict[str, str]:
    """Pictures by file name; {} where there is nothing to draw with.

    Args:
        curves: unit -> data set -> curve.
        passes: data set -> pass@k.
        endings, mistakes: data set -> kind -> how often.
    """
    if not available():
        return {}
    found = {
        f"success-{unit}.svg": curve_chart(unit, _few(by_set))
        for unit, by_set in curves.items()
        if any(cost > 0 for curve in by_set.values() for cost in curve.costs)  # else there is no axis to draw it on
    }
    if any(len(each.at) > 1 for each in passes.values()):
        found["pass.svg"] = pass_chart(_few(passes))
    for name, title, counts in (("endings", "How runs ended", endings), ("mistakes", "Attempts that failed", mistakes)):
        if any(counts.values()):
            found[f"{name}.svg"] = kinds_chart(title, _few(counts))
    return found


def _few(named: Mapping[str, Any], most: int = 18) -> dict[str, Any]:
    """So many as can be told apart, under names that no mark-up is made of."""
    items: Sequence[tuple[str, Any]] = list(named.items())[:most]
    shown: dict[str, Any] = {}
    for name, value in items:
        plain = "".join(c if c.isprintable() else "?" for c in name).lstrip("_") or "-"
        if len(plain) > MOST_CHARACTERS:
            plain = f"{plain[: MOST_CHARACTERS - 1]}…"
        plain = plain.replace("$", r"\$")
        same = sum(each.partition(" (")[0] == plain for each in shown)
        shown[f"{plain} ({same + 1})" if plain in shown else plain] = value
    return shown
