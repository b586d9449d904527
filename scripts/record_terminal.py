"""Pictures of the documentation, made by the program itself, in a home folder of its own.

    python scripts/record_terminal.py docs/pictures/prove.svg goedels-poetry prove theorems/smt/reverse_twice.smt2
    python scripts/record_terminal.py docs/pictures/run.png theorems/smt/reverse_twice.smt2

An SVG records what a command prints on a terminal; a PNG is the page of the run of a theorem (needs Chromium).
"""

import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from rich._export_format import CONSOLE_SVG_FORMAT
from rich.console import Console
from rich.text import Text

COLUMNS, SIZE, GOAL = 118, "1280,600", "0.0_0000"
LOCAL = re.sub(r"@font-face \{\{.*?\}\}\s*", "", CONSOLE_SVG_FORMAT, flags=re.DOTALL)
"""The picture asks no server for its letters."""


def run(home: str, *command: str, out: int | None = None) -> None:
    line = [sys.executable, "-m", "goedels_poetry", *command[1:]] if command[0] == "goedels-poetry" else command
    env = os.environ | {"HOME": home, "COLUMNS": str(COLUMNS), "TERM": "xterm-256color"}
    subprocess.run(line, env=env, stdout=out, stderr=subprocess.DEVNULL, check=True)


def printed(home: str, *command: str) -> str:
    """What a command prints on a terminal."""
    ours, theirs = pty.openpty()
    run(home, *command, out=theirs)  # a page of text; a terminal holds 4 kB that nobody reads
    os.close(theirs)
    with os.fdopen(ours, "rb", buffering=0) as terminal:
        text = b""
        try:
            while piece := terminal.read(65536):
                text += piece
        except OSError:  # the end, on Linux
            return text.decode().replace("\r\n", "\n").replace(home, "~")
    return text.decode()


if __name__ == "__main__":
    picture, *command = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        if picture.endswith(".svg"):
            console = Console(record=True, width=COLUMNS, file=open(os.devnull, "w"), force_terminal=True)  # noqa: SIM115
            console.print(Text(f"$ {' '.join(command)}\n", "bold"), Text.from_ansi(printed(home, *command)))
            Path(picture).write_text(console.export_svg(title="goedels-poetry", code_format=LOCAL), "utf-8")
        else:
            run(home, "goedels-poetry", "prove", *command, out=subprocess.DEVNULL)
            run(home, "goedels-poetry", "trace", "last", "--html", page := f"{home}/run.html")
            flags = ("--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE}")
            run(home, "chromium", *flags, f"--screenshot={Path(picture).resolve()}", f"file://{page}#goal={GOAL}")
