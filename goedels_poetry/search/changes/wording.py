"""What models are told about a change: the error, the file, what was found, what was tried and decided."""

from __future__ import annotations

from typing import Any

from goedels_poetry.python.changes import Baseline, ChangeReport, plain, unified
from goedels_poetry.python.changes.measuring import project_file, symptom_of
from goedels_poetry.search.agents.story import NOTHING
from goedels_poetry.search.tasks.attempts import REPORT
from goedels_poetry.search.tasks.change import Change
from goedels_poetry.search.tasks.change_moves import PENDING, STATE, state_of, state_text, steps_of
from goedels_poetry.store.reads import StoreReader
from goedels_poetry.store.state import ProofNode

MOST_TEXT = 60_000
"""Characters of a file that are shown."""
MOST_ERROR = 8_000
MOST_STORY = 12_000
MOST_FAILURE = 3_000
MOST_MORE = 12_000
"""Characters of other files that are shown."""


def first_variables(task: Change, base: Baseline, text: str) -> dict[str, str]:
    """The variables of ``change-initial``."""
    return {
        "file": task.file,
        "error": error_of(task),
        "found": found_before(base),
        "text": shown_file(task, text),
        "more": other_files(task, base),
    }


def error_of(task: Change) -> str:
    """The error, and the commands that show it."""
    parts = [task.error.strip()[:MOST_ERROR]] if task.error.strip() else []
    if task.tests:
        parts.append(f"The test command is: {' '.join(task.tests)}")
    if task.run:
        parts.append(f"The command that shows the error is: {' '.join(task.run)}")
    return "\n\n".join(parts)


def found_before(base: Baseline) -> str:
    """What the baseline says, with the ends of the failures that show the error."""
    found = base.measured
    lines = []
    if found.fault:
        lines.append(f"The file does not compile: {found.fault}")
    if found.tests:
        lines.append(f"{len(found.passing())} tests pass; these fail:")
        lines += [f"- {name}" for name in found.failing()[:20]]
    for name in base.targets[:4]:
        text = str(found.tests.get(name, {}).get("text", ""))
        if text:
            lines += ["", "```", name, text[-MOST_FAILURE:], "```"]
    if found.run is not None and found.run["code"] != 0 and base.run:
        lines += ["", "```", f"$ {' '.join(base.run)}", str(found.run["text"])[-MOST_FAILURE:], "```"]
    lines += [f"- {note}" for note in base.notes]
    return "\n".join(lines) or NOTHING


def shown_file(task: Change, text: str) -> str:
    """A state of the file in a block whose fence does not occur in it."""
    body = plain(text)
    if len(body) > MOST_TEXT:
        body = f"{body[:MOST_TEXT]}\n[... {len(body) - MOST_TEXT} more characters are not shown]"
    fence = "```"
    while fence in body:
        fence += "`"
    return f"{fence}{'python' if task.case.is_python else ''}\n{body}{'' if body.endswith(chr(10)) else chr(10)}{fence}"


def other_files(task: Change, base: Baseline) -> str:
    """Files that the error is about: those of tests that show it, and those of its traceback."""
    case = task.case
    paths = [target.partition("::")[0].removesuffix(" (collection)") for target in base.targets]
    frames = symptom_of(task.error).frames
    paths += [project_file(frame.file, case.files) for frame in frames]
    parts: list[str] = []
    room = MOST_MORE
    for path in dict.fromkeys(paths):
        text = case.files.get(path)
        if isinstance(text, str) and path != case.file and len(text) < room:
            parts.append(f"`{path}` (it stays as it is):\n\n```\n{plain(text)}\n```")
            room -= len(text)
    return "\n\n".join(parts) or NOTHING


def decision_variables(store: StoreReader, task: Change, node: ProofNode) -> dict[str, str]:
    """The variables of the prompt about a decision, but for the moves."""
    report = ChangeReport.from_json(store.load(node.refs[REPORT]))
    state = state_text(store, node, STATE, task.text)
    pending = store.load(node.refs[PENDING]) if PENDING in node.refs else None
    after = str(store.load(pending["text"])) if pending is not None else state
    step = state_of(store, node, STATE)["step"]
    applied = "with the change" if pending is not None else "the change could not be applied to it"
    statement = f"Change the file {task.file} so that this is gone:\n\n{error_of(task)}"
    return {
        "statement": f"{statement}\n\nThe file as it is now ({applied}):\n\n{shown_file(task, after)}",
        "candidate": f"To the state after step {step}:\n\n{_change(store, node, state, after, task)}",
        "report": report.words,
        "history": story(store),
    }


def _change(store: StoreReader, node: ProofNode, before: str, after: str, task: Change) -> str:
    difference = unified(before, after, task.file)
    if difference:
        return f"```diff\n{difference[:MOST_STORY]}```"
    last: dict[str, Any] = next((e.entry for e in reversed(store.history(node.id)) if e.kind == "change"), {})
    return str(store.load(last["change_ref"]))[:MOST_STORY] if "change_ref" in last else NOTHING


def story(store: StoreReader) -> str:
    """Every step so far with its report and decision, oldest first."""
    lines = []
    for step in steps_of(store)[1:]:
        lines.append(
            f"- step {step['step']} ({step.get('source', '')}, to the state after step {step.get('base', 0)}): "
            f"{step.get('reason', '')}"
        )
        if "move" in step:
            lines.append(f"  decided by the {step['by']}: {step['move'].replace('_', ' ')}; {step['why']}")
            if step["to"] != step["step"]:
                lines.append(f"  the file went back to the state after step {step['to']}")
    return "\n".join(lines)[-MOST_STORY:] or NOTHING


def decided(store: StoreReader) -> str:
    """The last decision as the author of the change is told."""
    last = steps_of(store)[-1]
    move, to = str(last.get("move", "refine")), last.get("to", 0)
    state = f"the state after step {to}" if to else "step 0, as it was before any change"
    said = {
        "refine": "your next change builds on this state of the file.",
        "keep_partial": "this is kept as partial progress; your next change builds on it.",
        "different": f"the file is back in {state}; try a different approach.",
        "roll_back": f"the file was rolled back to {state}; go on from there.",
    }
    return f"{said.get(move, said['refine'])} Why: {last.get('why', '')}"
