"""A comparison of two runs as a page: no script at all."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from goedels_poetry.trace.compare import Comparison, Goals, Side
from goedels_poetry.trace.page.html import document
from goedels_poetry.trace.terminal import printable


def render_comparison(comparison: Comparison) -> str:
    """The page; every text is shown and none is markup."""
    a, b = comparison.a, comparison.b
    parts = [
        _table(("", f"A  {a.run_id}", f"B  {b.run_id}"), [(name, *values) for name, *values in rows(a, b)]),
        *(_listed(title, goals) for title, goals in lists(comparison)),
        _parting(comparison),
    ]
    warning = "" if comparison.same_theorem else "<p class=obstacle>The two runs are about different theorems.</p>"
    heading = f"<h1>{_text(a.statement or a.name)}</h1>" + (
        "" if a.statement == b.statement else f"<h1>{_text(b.statement or b.name)}</h1>"
    )
    body = f'<div class="goal comparison">{heading}{warning}{"".join(parts)}</div>'
    return document(f"{a.run_id} and {b.run_id}", body)


def rows(a: Side, b: Side) -> list[tuple[str, str, str]]:
    """(what, of A, of B): verdicts, figures that are not zero in both, strategies."""
    found = [("name", a.name, b.name), ("verdict", a.verdict, b.verdict)]
    found.append(("trust level", a.trust_level or "", b.trust_level or ""))
    found.append(("reason", a.reason, b.reason))
    found += [(name, f"{a.figures[name]:,g}", f"{b.figures[name]:,g}") for name in a.figures]
    for name in sorted({*a.strategies, *b.strategies}):
        counts = (str(side.strategies.get(name, 0)) for side in (a, b))
        found.append((f"sketches by {name}", *counts))  # type: ignore[arg-type]  # two of them
    return [row for row in found if {row[1], row[2]} - {"", "0"}]


def lists(comparison: Comparison) -> list[tuple[str, Goals]]:
    """Titles and goals of what one run has and the other has not; without empty ones."""
    every = [
        ("proved in A, open in B", comparison.proved_in_a_open_in_b),
        ("proved in B, open in A", comparison.proved_in_b_open_in_a),
        ("proved in A only; no such goal in B", comparison.proved_in_a_only),
        ("proved in B only; no such goal in A", comparison.proved_in_b_only),
    ]
    return [(title, goals) for title, goals in every if goals.count]


def parting_lines(comparison: Comparison) -> list[str]:
    """Where the runs part, in up to three lines."""
    parting = comparison.parting
    if parting is None:
        return ["both runs took the same steps"]
    lines = [f"first difference: goal {parting.node}  {parting.statement}"]
    for name, step in (("A", parting.a), ("B", parting.b)):
        reason = f" ({step['reason']})" if step and step["reason"] else ""
        told = f"#{step['seq']} {step['agent']}: {step['outcome']}{reason}" if step else "no further step"
        lines.append(f"  {name}: {told}")
    return lines


def _parting(comparison: Comparison) -> str:
    first, *others = parting_lines(comparison)
    items = "".join(f"<p class=formula>{_text(line)}</p>" for line in others)
    return f"<section><h3>where they part</h3><p class=formula>{_text(first)}</p>{items}</section>"


def _table(head: Iterable[str], body: Iterable[Iterable[str]]) -> str:
    heads = "".join(f"<th>{_text(cell)}</th>" for cell in head)
    lines = "".join(f"<tr>{''.join(f'<td>{_text(cell)}</td>' for cell in row)}</tr>" for row in body)
    return f"<div class=scroll><table><thead><tr>{heads}</tr></thead><tbody>{lines}</tbody></table></div>"


def _listed(title: str, goals: Goals) -> str:
    more = goals.count - len(goals.statements)
    items = "".join(f"<li class=formula>{_text(statement)}</li>" for statement in goals.statements)
    rest = f"<p class=dim>and {more} more</p>" if more else ""
    return f"<section><h3>{_text(title)} ({goals.count})</h3><ul>{items}</ul>{rest}</section>"


def _text(text: str) -> str:
    """On one line, nothing invisible, nothing that HTML could take for markup."""
    return escape(printable(" ".join(text.split())))
