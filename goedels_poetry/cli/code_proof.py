"""A proof for a function that has passed its checks, where its contract lies within what can be proved."""

from __future__ import annotations

import ast
from dataclasses import replace

from goedels_poetry.framework import GoedelsPoetryFramework
from goedels_poetry.kernel.verdict import Verdict
from goedels_poetry.settings.declared import Settings
from goedels_poetry.tasks.code import CodeTask
from goedels_poetry.tree.results import RunResult

SECONDS = 30.0
"""For one proof: a function that keeps its contract is tested in any case."""
BROKEN = "it passed every check, but not on another input: {}"


async def with_proof(task: CodeTask, result: RunResult, settings: Settings, fresh: bool) -> RunResult:
    """The result, as ``proved`` where the contract can be proved; the certificate is then that of the proof.

    A proof of the contract says nothing about the other checks: these have passed. An input that breaks the contract,
    and that no check came upon, makes the function none that passes.
    """
    if result.verdict is not Verdict.TESTED or result.answer is None or not (task.ensures or task.raises):
        return result
    budgets = settings.budgets.model_copy(update={"wall_seconds": SECONDS})
    limited = settings.model_copy(update={"budgets": budgets})
    text = contracted(task, str(result.answer["source"]))
    async with GoedelsPoetryFramework(limited, checkpoint_all=False) as framework:
        options = {"theorem": task.function}
        found = await framework.arun(text, name=result.input, language="python", options=options, fresh=fresh)
    if found.verdict is Verdict.PROVED:
        reason = f"every check passed, and the contract is proved ({found.trust_level})"
        return replace(
            result,
            verdict=found.verdict,
            reason=reason,
            certificate=found.certificate,
            trust_level=found.trust_level,
            answer={**result.answer, "proved": text},
        )
    if found.verdict is Verdict.REFUTED:
        return replace(
            result,
            verdict=Verdict.UNKNOWN,
            reason=BROKEN.format(found.reason),
            counterexample=found.counterexample,
            certificate=None,
        )
    return result


def contracted(task: CodeTask, source: str) -> str:
    """The module with the task's contract written before its function."""
    names = ", ".join(task.parameters)
    result = ", ".join(("result", *task.parameters))
    lines = ["from goedels_poetry.contracts import ensures, raises, requires", ""]
    lines += [f"@requires(lambda {names}: {text})" for text in task.requires]
    lines += [f"@ensures(lambda {result}: {text})" for text in task.ensures]
    lines += [f"@raises({name}" + (f", when=lambda {names}: {when})" if when else ")") for name, when in task.raises]
    function = next(
        node
        for node in reversed(ast.parse(source).body)
        if isinstance(node, ast.FunctionDef) and node.name == task.function
    )
    first = min([function.lineno, *(d.lineno for d in function.decorator_list)]) - 1
    whole = source.splitlines()
    return "\n".join([*whole[:first], *lines, *whole[first:], ""])
