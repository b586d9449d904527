"""A change is read in any form, finds its place in a text that has moved on, and is applied whole or not at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from goedels_poetry.errors import InvalidInput
from goedels_poetry.python.changes import NotApplicable, apply, plain, read_proposal, unified

TEXT = '''"""Boxes."""
import math


def area(width, height):
    return width * height


class Box:
    def size(self):
        # how big
        if self.empty:
            return 0
        return len(self.items)


def round_box(r):
    return math.pi * r * r
'''
GUARDED = TEXT.replace("    return width * height", "    assert width > 0\n    return width * height")


def search(old: str, new: str) -> str:
    return f"<<<<<<< SEARCH\n{old}\n=======\n{new}\n>>>>>>> REPLACE\n"


def changed(change: str, text: str = TEXT, *, pieces: bool = False, file: str = "shop/boxes.py") -> str:
    return apply(text, read_proposal(change, plain(text), file, pieces=pieces)).text


@pytest.mark.parametrize(
    "change",
    [
        "--- a/shop/boxes.py\n+++ b/shop/boxes.py\n@@ -5,2 +5,3 @@\n def area(width, height):\n+    assert width > 0\n"
        "     return width * height\n",
        "--- boxes.py\n+++ boxes.py\n@@ -50,2 +50,3 @@\n def area(width, height):\n+    assert width > 0\n"
        "     return width * height\n",
        "@@ def area\n def area(width, height):\n+    assert width > 0\n     return width * height\n",
        "*** Begin Patch\n*** Update File: shop/boxes.py\n@@\n def area(width, height):\n+    assert width > 0\n"
        "     return width * height\n*** End Patch\n",
        # counts that are wrong, a line of context without its blank, white space at the ends of lines
        "@@ -5,9 +5,9 @@\n def area(width, height):   \n+    assert width > 0\n     return width * height\n",
        # context that has changed since
        "@@ -3,5 +3,6 @@\n \n # a comment that is gone\n def area(width, height):\n+    assert width > 0\n"
        "     return width * height\n",
        search("    return width * height", "    assert width > 0\n    return width * height"),
        # indented otherwise, and laid out otherwise
        search("return width * height", "assert width > 0\nreturn width * height"),
        search("    return (width\n        *height)", "    assert width > 0\n    return width * height"),
        GUARDED,
        GUARDED.replace("\n", "\r\n"),
    ],
)
def test_the_same_change_in_many_forms(change: str) -> None:
    assert changed(change) == GUARDED
    assert changed(change, TEXT.replace("\n", "\r\n")) == GUARDED.replace("\n", "\r\n")


TABS = TEXT.replace("    ", "\t")
BOTH = "@@ def area\n def area(width, height):\n+    if width < 0:\n+        width = 0\n     return width * height\n"


@pytest.mark.parametrize("step", ["\t", "  ", "        "])
def test_a_change_with_tabs_is_one_with_spaces_and_the_other_way_round(step: str) -> None:
    spaced = TEXT.replace("    ret", "    if width < 0:\n        width = 0\n    ret", 1)
    tabbed = spaced.replace("    ", "\t")
    assert changed(BOTH, TABS) == tabbed
    assert changed(BOTH.replace("    ", step), TABS) == tabbed
    assert changed(BOTH.replace("    ", "\t"), TEXT.replace("    ", step)) == spaced.replace("    ", step)
    new = "def area(width, height):\n    if width < 0:\n        width = 0\n    return width * height\n"
    assert changed(new, TABS, pieces=True) == tabbed


def test_lines_that_stand_twice_are_taken_where_the_change_says_or_not_at_all() -> None:
    text = "def a():\n    x = 1\n    return x\n\n\ndef b():\n    x = 1\n    return x\n"
    said = "@@ -7,1 +7,1 @@\n-    x = 1\n+    x = 2\n"
    assert changed(said, text) == text[: text.rindex("1")] + "2" + text[text.rindex("1") + 1 :]
    named = "@@ def b():\n-    x = 1\n+    x = 2\n"
    assert changed(named, text) == changed(said, text)
    with pytest.raises(NotApplicable, match="has no place"):
        changed("@@\n-    x = 1\n+    x = 2\n", text)


@pytest.mark.parametrize(
    "change", ["", "   \n", "ok", "Please fix it.", "{'a': 1}", "--- a/other.py\n+++ b/other.py\n@@ -1 +1 @@\n-x\n+y\n"]
)
def test_what_is_no_change_is_refused(change: str) -> None:
    with pytest.raises(InvalidInput):
        changed(change)


def test_mixed_line_ends_and_a_byte_order_mark_stay() -> None:
    text = "\ufeffa = 1\r\nb = 2\nc = 3\r\n"
    assert changed("@@\n-b = 2\n+b = 5\n", text) == "\ufeffa = 1\r\nb = 5\r\nc = 3\r\n"
    assert changed("@@\n-c = 3\n+c = 4\n", "c = 3") == "c = 4"


NEW = st.sampled_from(["n = 3", "", "m()"])


@given(st.lists(st.sampled_from(["x = 1", "", "    y()", "def f():", "# z", "x = 2"]), max_size=12), st.data())
def test_the_difference_of_two_texts_leads_from_one_to_the_other(lines: list[str], data: st.DataObject) -> None:
    before = "".join(f"{line}\n" for line in lines)
    other = list(lines)
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(other)))
        other[place : place + data.draw(st.integers(0, 2))] = data.draw(st.lists(NEW, max_size=2))
    after = "".join(f"{line}\n" for line in other)
    before, after = (text[:-1] if data.draw(st.booleans()) else text for text in (before, after))
    if before != after:
        difference = unified(before, after, "f.py")
        assert apply(before, read_proposal(difference, before, "f.py")).text == after
