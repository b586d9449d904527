"""What the verification of a change says: the goal, what broke, got better, is doubtful, could not be checked."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

Json = dict[str, Any]

REACHED, MISSED, OPEN = "reached", "not reached", "cannot be checked"
"""What may be said of the goal."""
MOST = 12
"""Lines of one list that are shown."""


@dataclass(frozen=True, slots=True)
class ChangeReport:
    """The verification of one state of the file against what it was before any change. JSON-able."""

    goal: str = OPEN
    """`REACHED`, `MISSED` or `OPEN`."""
    goal_words: tuple[str, ...] = ()
    """What the goal came to, one line for each thing that was looked at."""
    broken: tuple[str, ...] = ()
    """What worked before the change and does not now."""
    better: tuple[str, ...] = ()
    """What did not work before, and does now."""
    doubts: tuple[str, ...] = ()
    """What looks wrong and may be meant: a person or a model has to say."""
    remarks: tuple[str, ...] = ()
    """What else the change does: forms, equivalences, differences that are to be expected."""
    unchecked: tuple[str, ...] = ()
    """What could not be checked, and why."""
    failures: tuple[str, ...] = ()
    """The ends of the failures that there are now, for whoever mends them."""
    tests_passed: int = 0
    tests_before: int = 0
    """Tests that pass now, and that passed before."""
    failed_application: str = ""
    """Why the change could not be applied at all; then nothing else is known."""

    @property
    def is_applied(self) -> bool:
        """Whether there was anything to verify."""
        return not self.failed_application

    @property
    def breaks(self) -> bool:
        """Whether it may not be kept."""
        return bool(self.broken) or not self.is_applied

    @property
    def is_clean(self) -> bool:
        """Whether nothing is amiss: the goal is reached, nothing broke, and nothing is doubtful."""
        return self.goal == REACHED and not self.broken and not self.doubts and self.is_applied

    @property
    def is_tested(self) -> bool:
        """Whether the verdict may be ``tested``: the error was seen and is gone, and nothing broke."""
        return self.goal == REACHED and not self.breaks

    @property
    def reason(self) -> str:
        """One line for people."""
        if not self.is_applied:
            return self.failed_application
        said = {REACHED: "the goal is reached", MISSED: "the goal is not reached", OPEN: "the goal cannot be checked"}
        parts = [said[self.goal]]
        if self.goal != REACHED and self.goal_words:
            parts[0] += f" ({self.goal_words[0]})"
        parts.append(f"broken: {self.broken[0]}" if self.broken else "nothing broke")
        parts += [f"{len(self.broken) - 1} more"] if len(self.broken) > 1 else []
        parts += [f"doubtful: {self.doubts[0]}"] if self.doubts else []
        return "; ".join(parts)

    @property
    def words(self) -> str:
        """The whole report for prompts and people."""
        if not self.is_applied:
            return f"The change could not be applied: {self.failed_application}"
        lines = [f"Goal: {self.goal}."]
        lines += [f"- {line}" for line in self.goal_words]
        for title, items in (
            ("What worked before the change and is broken now", self.broken),
            ("What is better than before", self.better),
            ("What is doubtful", self.doubts),
            ("What could not be checked", self.unchecked),
            ("Remarks", self.remarks),
        ):
            if items:
                lines += ["", f"{title}:", *(f"- {item}" for item in items[:MOST])]
                lines += [f"- and {len(items) - MOST} more"] if len(items) > MOST else []
        if not self.broken:
            lines += ["", f"Nothing that worked before is broken ({self.tests_before} tests passed before)."]
        for text in self.failures[:4]:
            lines += ["", "```", text, "```"]
        return "\n".join(lines)

    def to_json(self) -> Json:
        """As JSON values."""
        return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(self).items()}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> ChangeReport:
        """The inverse of :meth:`to_json`."""
        known: Json = {f.name: data[f.name] for f in fields(cls) if f.name in data}
        known |= {name: tuple(value) for name, value in known.items() if isinstance(value, list)}
        return cls(**known)
