"""The function in a reply, whatever it is wrapped in; what is none costs the attempt with a reason."""

from __future__ import annotations

import pytest

from goedels_poetry.models.replies import UnusableReply
from goedels_poetry.models.requests import Reply
from goedels_poetry.search.code.writer import MAX_CANDIDATE, function_in
from goedels_poetry.search.tasks.code import CodeTask

TASK = CodeTask("The double of x.", "def double(x: int) -> int", examples=(("double(2)", "4"),))
PLAIN = "def double(x: int) -> int:\n    return 2 * x"


def found(text: str, task: CodeTask = TASK, finish: str = "stop") -> str:
    return function_in(Reply(text, finish=finish), task)


def called(source: str, *arguments: object, name: str = "double") -> object:
    """What the function gives: these texts are ours."""
    names: dict[str, object] = {"__name__": "candidate"}
    exec(compile(source, "candidate", "exec"), names)
    function = names[name]
    assert callable(function)
    return function(*arguments)


@pytest.mark.parametrize(
    "reply",
    [
        f"```python\n{PLAIN}\n```",
        f"Here you are:\n\n```py\n{PLAIN}\n```\nIt doubles x.",
        f"```\n{PLAIN}\n```",
        f"~~~~python\n{PLAIN}\n~~~~",
        f"{PLAIN}\n",
        f"<think>def double(x): return 3 * x</think>\n```python\n{PLAIN}\n```",
        f"<think>\n```python\ndef double(x):\n    return x\n```\n</think>\n```python\n{PLAIN}\n```",
        "1. So:\n\n   ```python\n   def double(x: int) -> int:\n       return 2 * x\n   ```",
        f"```python\ndef double(x):\n    return x + 1  # a draft\n```\nNo, better:\n```python\n{PLAIN}\n```",
        f"```python\n{PLAIN}\n```\nYou may try it:\n```python\nprint(double(21))\n```",
        f"```python\n{PLAIN}\n```\n```\n42\n```",
        f"```python\n{PLAIN}\n\nassert double(2) == 5\nprint(double(2))\n```",
        f"```python\n{PLAIN}\n\nif __name__ == '__main__':\n    import sys\n    sys.exit(double(1))\n```",
        "```python\nclass Solution:\n    def double(self, x: int) -> int:\n        return 2 * x\n```",
        "```python\nclass Solution:\n    @staticmethod\n    def double(x):\n        return 2 * x\n```",
        "```python\r\ndef double(x):\r\n    return 2 * x\r\n```",
        f"```python\n{PLAIN}",  # nobody closed it, and the server says that the reply is whole
        "```python\ndouble = lambda x: 2 * x\n```",
    ],
)
def test_a_function_is_found_in_whatever_form_it_comes(reply: str) -> None:
    assert called(found(reply), 21) == 42


@pytest.mark.parametrize(
    ("reply", "finish", "reason"),
    [
        ("", "stop", "no Python"),
        ("I cannot do that.", "stop", "no Python"),
        ("from what I can see, import taxes are high", "stop", "no Python"),
        ("```python\ndef triple(x, y):\n    return 3 * x\n```", "stop", "no block defines the function double"),
        ("```python\ndef test_double(x):\n    assert double(x)\n```", "stop", "no block defines"),
        ("```python\ndef double(x):\n    return 2 *\n```", "stop", "not Python: .*line 2"),
        ("```python\ndef double(x):\n    return (2 *", "length", "cut off"),
        (f"```python\n{PLAIN}", "length", "cut off"),
        (PLAIN, "length", "cut off"),
        ("```python\n" + "(" * 3000 + "\n```", "stop", "not Python|cannot be read"),
        ("```python\n" + "-" * 200_000 + "1\n```", "stop", "not Python|cannot be read|no block"),
        (f"```python\n{PLAIN}\n" + "# filling\n" * 4000 + "```", "stop", f"longer than {MAX_CANDIDATE}"),
        ("y" * 1_000_000, "stop", "longer than"),
        ("```python\ndef double(x):\n    return '\0'\n```", "stop", "not Python|cannot be read"),
    ],
)
def test_what_is_no_function_is_refused_with_the_reason(reply: str, finish: str, reason: str) -> None:
    with pytest.raises(UnusableReply, match=reason):
        found(reply, finish=finish)
