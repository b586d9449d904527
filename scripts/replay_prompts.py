"""Every prompt of a recorded run under the present templates, beside what was sent: to read a change of wording.

    python scripts/replay_prompts.py RUN [--prompts FOLDER] [--role sketcher] [--full]

RUN is the folder of a run (`goedels-poetry runs` names it) or its proof.db. Nobody is asked anything. For each request:
role, prompt, length before and now, and the lines that differ; --full prints the prompt as it would be sent now. Only
the templates are tried: what agents and languages say in their variables is what they said in that run.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from goedels_poetry.models.prompts import PromptError, Prompts
from goedels_poetry.store.proof_store import ProofStore
from goedels_poetry.store.reads import StoreReader


class Asked(NamedTuple):
    """One request of the run."""

    node: str
    role: str
    prompt: str
    sent: str
    """The last message, as it was."""
    variables: dict[str, str] | None
    """None: the run was recorded before they were kept."""


def requests(store: StoreReader) -> Iterator[Asked]:
    """In the order in which they were answered."""
    for _, node, kind, entry in store.whole_history():
        if kind == "model":
            messages = store.load(entry["exchange"])["messages"]
            kept = store.load(entry["variables"]) if "variables" in entry else None
            yield Asked(node, entry["role"], entry["prompt"], messages[-1][1] if messages else "", kept)


def replayed(asked: Asked, prompts: Prompts) -> str:
    """The last message under the present template; raises PromptError when it needs a variable that was not there."""
    if asked.variables is None:
        raise PromptError("the run does not hold what its prompts were made of: it was recorded by an earlier version")
    return prompts.get(asked.prompt).messages(asked.variables)[-1][1]


def compared(sent: str, now: str) -> str:
    """The lines that differ."""
    changed = difflib.unified_diff(sent.splitlines(), now.splitlines(), "sent", "now", lineterm="", n=1)
    return "\n".join(f"    {line}" for line in changed)


def main(arguments: list[str] | None = None) -> int:
    """Print the report; 2 when there is no such run."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("run", type=Path, metavar="RUN", help="folder of a run, or its proof.db")
    parser.add_argument("--prompts", type=Path, metavar="FOLDER", help="templates that stand in for this version's")
    parser.add_argument("--role", help="only requests of this role")
    parser.add_argument("--full", action="store_true", help="whole prompts as they would be sent now")
    given = parser.parse_args(arguments)
    file = given.run / "proof.db" if given.run.is_dir() else given.run
    if not file.is_file():
        print(f"there is no run at {given.run}", file=sys.stderr)
        return 2
    prompts, before, after = Prompts(given.prompts), 0, 0
    with ProofStore(file, read_only=True) as store:
        chosen = [asked for asked in requests(store) if given.role in (None, asked.role)]
    for number, asked in enumerate(chosen, 1):
        head = f"{number}. {asked.role} · {asked.prompt} · goal {asked.node} · {len(asked.sent)} characters"
        try:
            now = replayed(asked, prompts)
        except PromptError as problem:
            print(f"{head}; {problem}")
            continue
        before, after = before + len(asked.sent), after + len(now)
        print(f"{head}, now {len(now)}", now if given.full else compared(asked.sent, now), sep="\n")
    print(f"{len(chosen)} requests; those that can be compared: {before} characters as sent, {after} now")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
