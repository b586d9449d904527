"""What notebooks show of results and goals: small, self-contained HTML without scripts; every text is escaped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

COLOURS = {
    "proved": "#1a7a3c",
    "tested": "#1a7a3c",
    "refuted": "#b3261e",
    "inconsistent": "#b3261e",
    "invalid": "#b3261e",
    "failed": "#b3261e",
}
OTHERWISE = "#8a6100"
"""Of what is still open, one way or another."""
MOST = 50
"""Open goals that are listed; the rest is counted."""
LONG = 4_000
"""Characters of one text."""


def badge(word: str) -> str:
    """A verdict or a status, in its colour."""
    colour = COLOURS.get(word, OTHERWISE)
    style = f"background:{colour};color:#fff;border-radius:3px;padding:1px 7px;font-weight:600"
    return f'<span style="{style}">{escape(word.replace("_", " "))}</span>'


def text(value: Any) -> str:
    """Any text, escaped; control characters and half surrogate pairs become visible, long ones are cut."""
    words = str(value)
    words = f"{words[:LONG]}..." if len(words) > LONG else words
    return escape("".join(c if c.isprintable() or c == "\n" else c.encode("unicode_escape").decode() for c in words))


def details(summary: str, body: str, *, is_open: bool = False) -> str:
    """What can be opened; both are HTML."""
    if not body:
        return f'<div style="margin-left:1.1em">{summary}</div>'
    inner = f'<div style="margin-left:1.1em">{body}</div>'
    return f"<details{' open' if is_open else ''}><summary>{summary}</summary>{inner}</details>"


def result_html(facts: Mapping[str, Any]) -> str:
    """A result, from its JSON form: verdict, reason, counterexample, open goals, figures, where its certificate is."""
    level = f" <b>{text(facts['trust_level'])}</b>" if facts.get("trust_level") else ""
    parts = [f"<div>{badge(str(facts['verdict']))}{level} {text(facts['input'])}</div>"]
    if facts.get("reason"):
        parts.append(f"<div>{text(facts['reason'])}</div>")
    if facts.get("counterexample"):
        parts.append(details("counterexample", _pairs(facts["counterexample"]), is_open=True))
    if facts.get("core"):
        parts.append(details("contradicting premises", _list(facts["core"]), is_open=True))
    goals = facts.get("open_goals") or ()
    if goals:
        lines = [f"{text(goal['node'])}: {text(goal['statement'])} ({text(goal['reason'])})" for goal in goals[:MOST]]
        more = [f"and {len(goals) - MOST} more"] if len(goals) > MOST else []
        parts.append(details(f"{len(goals)} open goals", "".join(f"<div>{line}</div>" for line in [*lines, *more])))
    if facts.get("warnings"):
        parts.append(details(f"{len(facts['warnings'])} warnings", _list(facts["warnings"])))
    if facts.get("certificate"):
        parts.append(f"<div>certificate: <code>{text(facts['certificate'])}</code></div>")
    figures = {name: value for name, value in facts.get("metrics", {}).items() if isinstance(value, int | float)}
    run = f"run {text(facts['run_id'])}" if facts.get("run_id") else "no run"
    parts.append(details(run, _pairs(figures)))
    return f'<div style="line-height:1.5">{"".join(parts)}</div>'


def node_html(node_id: str, status: str, statement: str, facts: Mapping[str, Any]) -> str:
    """A goal: status, statement, and its other fields."""
    return f"<div>{node_line(node_id, status, statement)}{details('fields', _pairs(facts))}</div>"


def node_line(node_id: str, status: str, statement: str, by: str = "", reason: str = "") -> str:
    """A goal in one line of HTML."""
    how = f" <i>by {text(by)}</i>" if by else ""
    why = f" <small>{text(reason)}</small>" if reason else ""
    return f"{badge(status)} <code>{text(node_id)}</code> {text(statement)}{how}{why}"


def _pairs(facts: Any) -> str:
    if not isinstance(facts, Mapping):
        return f"<div>{text(facts)}</div>"
    return "".join(f"<div>{text(name)}: {text(value)}</div>" for name, value in facts.items())


def _list(lines: Sequence[Any]) -> str:
    return "".join(f"<div>{text(line)}</div>" for line in lines)
