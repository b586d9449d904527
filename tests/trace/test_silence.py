"""Where no live view can be drawn, a search that says nothing for a while is seen to go on."""

from __future__ import annotations

import io
import time

from goedels_poetry.store.results import Event
from goedels_poetry.trace.lines import SILENCE, Lines, Silent


class Slow(io.StringIO):
    """Text for somebody who waits."""

    def wait_for(self, words: str) -> str:
        end = time.monotonic() + 60
        while words not in self.getvalue() and time.monotonic() < end:
            time.sleep(0.002)
        assert words in self.getvalue()
        return self.getvalue()


def test_a_line_says_that_the_search_goes_on_and_after_what() -> None:
    out = Slow()
    with Lines(out, several=False, every=0.01) as lines:
        assert "still at work\n" in out.wait_for("still at work")
        lines.event("t.smt2", Event(1, 0.0, "sketcher", "0.0_0001", "sketched", {}, ""))
        out.wait_for("still at work, after sketcher: sketched on goal 0.0_0001")
    said = out.getvalue()
    time.sleep(0.03)
    assert out.getvalue() == said, "nothing more once it is over"


def test_nothing_is_said_between_results_and_nothing_when_it_was_to_be_quiet() -> None:
    out, quiet = Slow(), Slow()
    with Silent(quiet), Lines(out, several=False, every=0.01) as lines:
        out.wait_for("still at work")
        with lines.paused():
            time.sleep(0.02)  # a line that was being written when the pause began
            said = out.getvalue()
            time.sleep(0.05)
            assert out.getvalue() == said
    assert quiet.getvalue() == ""
    assert SILENCE >= 10, "a line at a time, not a stream of them"


def test_a_reader_who_has_gone_ends_nothing() -> None:
    class Gone(io.StringIO):
        def write(self, text: str) -> int:
            raise BrokenPipeError

    with Lines(Gone(), several=False, every=0.005):
        time.sleep(0.05)
