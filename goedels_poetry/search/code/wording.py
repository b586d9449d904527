"""A task in words for a model: what is wanted, how it is checked, what must not be tried again and why."""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from goedels_poetry.search.code.strategies import Forbidden, left_of
from goedels_poetry.search.tasks.code import CodeTask
from goedels_poetry.search.tasks.code_moves import MODEL

MOST_EXAMPLES = 40
MAX_SECTION = 12_000
MAX_BANS = 30
MOST_ATTEMPTS, MAX_REASON = 6, 300
"""Of a prompt: characters of the tests; number of examples, bans and attempts; characters of a reason."""


def query_of(task: CodeTask) -> str:
    """What is wanted and how it is checked."""
    parts = [task.task.strip(), f"The signature is exactly:\n\n```python\n{task.signature}: ...\n```"]
    if task.examples:
        shown = [example_text(call, expected) for call, expected in task.examples[:MOST_EXAMPLES]]
        parts.append("It is checked with these examples:\n\n" + _fenced(shown))
    parts += _contract(task)
    if task.tests:
        parts.append("It is checked with these tests:\n\n" + _fenced(task.tests))
    if task.properties:
        parts.append("It is checked with these properties (Hypothesis):\n\n" + _fenced(task.properties))
    parts.append(
        f"One call has {task.seconds:g} s of processor time and {task.memory_mb} MB, and CPython's usual limit on "
        "recursion (about 1,000 calls deep)."
    )
    return "\n\n".join(parts)


def example_text(call: str, expected: str) -> str:
    """An example; the name of an exception stands for raising it, and would read as a value."""
    return f"{call}  # raises {expected}" if is_exception(expected) else f"{call} == {expected}"


def is_exception(text: str) -> bool:
    """Whether it is the name of an exception, which stands for raising it."""
    kind = getattr(builtins, text, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)


def _contract(task: CodeTask) -> list[str]:
    lines = [f"- requires {text} (other inputs are never tried)" for text in task.requires]
    lines += [f"- ensures {text}" for text in task.ensures]
    lines += [f"- may raise {name}{f' where {when}' if when else ''}, and nothing else" for name, when in task.raises]
    if not lines:
        return []
    return ["On every input it keeps this contract (`result` is what it returns):\n\n" + "\n".join(lines)]


def _fenced(texts: Iterable[str]) -> str:
    text = "\n".join(texts)
    if len(text) > MAX_SECTION:
        text = f"{text[:MAX_SECTION]}\n# and further ones"
    return f"```python\n{text}\n```"


def context_of(task: CodeTask) -> str:
    """The code that stands before the function; "" where there is none."""
    if not task.context.strip():
        return ""
    return f"This code stands before your function; use it, do not repeat it:\n\n```python\n{task.context.strip()}\n```"


def forbidden_words(forbidden: Sequence[Forbidden]) -> str:
    """What must not be used, and why; "" where everything is allowed."""
    if not forbidden:
        return ""
    lines = "\n".join(each.words for each in forbidden[-MAX_BANS:])
    return (
        f"DO NOT USE these strategies:\n{lines}\n"
        "Your function is classified by its syntax tree, whatever its names and layout are, and refused without being "
        f"run when it uses one of them. You must choose a fundamentally different approach. {left_words(forbidden)}"
    ).rstrip()


def left_words(forbidden: Sequence[Forbidden]) -> str:
    """The strategies that are not banned, "" where there are none."""
    left = ", ".join(left_of(forbidden))
    return f"These strategies are left: {left}." if left else ""


def evidence_words(function: str, evidence: Sequence[Mapping[str, Any]]) -> str:
    """Inputs on which earlier candidates failed; "" where there are none."""
    calls = list(dict.fromkeys(call_text(function, each) for each in evidence))[:MOST_EXAMPLES]
    if not calls:
        return ""
    listed = "\n".join(f"- {call}" for call in calls)
    return f"Earlier attempts failed on these inputs, which are tried first on every new one:\n{listed}"


def history_words(past: Sequence[Mapping[str, Any]]) -> str:
    """What came of the latest attempts; "" where there are none."""
    lines = [
        f"- {entry.get('fingerprint') or 'no strategy'}: {str(entry.get('reason', ''))[:MAX_REASON]}"
        for entry in past[-MOST_ATTEMPTS:]
        if entry.get("by") == MODEL
    ]
    return "Earlier attempts, oldest first:\n" + "\n".join(lines) if lines else ""


def call_text(function: str, arguments: Mapping[str, Any]) -> str:
    """``f(n=3, xs=[])``, cut when it is long."""
    given = ", ".join(f"{name}={value}" for name, value in arguments.items())
    return f"{function}({given if len(given) <= 300 else given[:300] + '…'})"
