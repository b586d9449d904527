"""A graph of labelled boxes as Mermaid or Graphviz."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

SHAPES = {"box": ('["', '"]', "box"), "end": ('(("', '"))', "ellipse"), "idea": ('[/"', '"/]', "parallelogram")}
"""By shape: what stands before and after a label in Mermaid, and the name that Graphviz has."""


@dataclass(frozen=True, slots=True)
class Box:
    """A node; its name is a word."""

    name: str
    lines: Sequence[str]
    shape: str = "box"
    fill: str = ""
    """A colour; "" for that of all."""


@dataclass(frozen=True, slots=True)
class Arrow:
    """An edge between two names."""

    start: str
    end: str
    lines: Sequence[str] = ()
    dashed: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """Boxes and arrows, downwards or to the right; the comments are not drawn."""

    boxes: Sequence[Box]
    arrows: Sequence[Arrow]
    to_the_right: bool = False
    comments: Sequence[str] = field(default_factory=tuple)

    def mermaid(self) -> str:
        """As a Mermaid flowchart."""
        lines = [f"%% {' '.join(each.split())}" for each in self.comments]
        lines.append(f"flowchart {'LR' if self.to_the_right else 'TD'}")
        fills = {fill: f"c{number}" for number, fill in enumerate(dict.fromkeys(box.fill for box in self.boxes))}
        for box in self.boxes:
            before, after, _ = SHAPES[box.shape]
            style = f":::{fills[box.fill]}" if box.fill else ""
            lines.append(f"    {box.name}{before}{'<br/>'.join(map(_quiet, box.lines))}{after}{style}")
        for arrow in self.arrows:
            label = f'|"{"<br/>".join(map(_quiet, arrow.lines))}"|' if arrow.lines else ""
            lines.append(f"    {arrow.start} {'-.->' if arrow.dashed else '-->'}{label} {arrow.end}")
        lines += [f"    classDef {name} fill:{fill},stroke:#555" for fill, name in fills.items() if fill]
        return "\n".join(lines) + "\n"

    def dot(self) -> str:
        """As a Graphviz digraph."""
        lines = ["digraph proof {", *(f"    // {' '.join(each.split())}" for each in self.comments)]
        lines += [
            f"    rankdir={'LR' if self.to_the_right else 'TB'}; nodesep=0.2; ranksep=0.4;",
            '    node [style="rounded,filled", fillcolor="#f4f6fa", fontname="sans-serif", fontsize=11];',
            '    edge [fontname="sans-serif", fontsize=10, color="#666666"];',
        ]
        for box in self.boxes:
            fill = f', fillcolor="{box.fill}"' if box.fill else ""
            lines.append(f'    {box.name} [label="{_lines(box.lines)}", shape={SHAPES[box.shape][2]}{fill}];')
        for arrow in self.arrows:
            style = ", style=dashed" if arrow.dashed else ""
            lines.append(f'    {arrow.start} -> {arrow.end} [label="{_lines(arrow.lines)}"{style}];')
        return "\n".join([*lines, "}"]) + "\n"


def _quiet(line: str) -> str:
    """Mermaid reads ``#code;`` entities; everything that it could take for syntax becomes one."""
    return "".join(c if c.isalnum() or c in " .,:_=+-/*" else f"#{ord(c)};" for c in line)


def _lines(lines: Sequence[str]) -> str:
    return "\\n".join(line.replace("\\", "\\\\").replace('"', '\\"') for line in lines)
