"""Examples, assertions, doctests and properties, run against an oracle in place of the function.

A test that lacks an answer is run in pieces as well: every statement by itself, with something `Unknown` as the answer,
its failure forgotten, so that one round collects what a loop of a hundred assertions asks. What counts is only a run of
the whole test, as it stands, in which every question has its answer.
"""

from __future__ import annotations

import ast
import contextlib
import io
import math
import os
import sys

from .oracle import DidNotFinish, Limit, Oracle, Pending, TooLong

TYPE_CHECKING = False  # the module typing takes longer to load than any of ours
if TYPE_CHECKING:
    from typing import Any

_SEQUENCES = (list, tuple)


def difference(actual: Any, expected: Any, depth: int = 0) -> str:
    """ "" when they are the same; else what is different, to be put behind both.

    A bool is no int and an int no float; where a float is expected, the int that equals it will do. Floats may differ
    by rounding (a relative 1e-9).
    """
    kind, wanted = type(actual), type(expected)
    if wanted is float and kind in (float, int):
        near = abs(actual) < 1 << 1000 and math.isclose(actual, expected, rel_tol=1e-9, abs_tol=1e-12)
        near = near or actual == expected  # infinities
        return "" if near or (actual != actual and expected != expected) else " (not near)"
    if kind is not wanted:
        return f" ({kind.__name__}, not {wanted.__name__})"
    if depth > 200:
        return " (nested too deep)"
    if kind in _SEQUENCES:
        if len(actual) != len(expected):
            return f" (of length {len(actual)}, not {len(expected)})"
        return next((d for a, e in zip(actual, expected, strict=True) if (d := difference(a, e, depth + 1))), "")
    if kind is dict:
        if len(actual) != len(expected) or any(key not in expected for key in actual):
            return " (with other keys)"
        return next((d for key in expected if (d := difference(actual[key], expected[key], depth + 1))), "")
    if isinstance(actual, int | str | bytes | complex | set | frozenset | range | None.__class__):
        return "" if actual == expected else " "
    state = getattr(actual, "__dict__", None)
    if isinstance(state, dict) and "__eq__" not in vars(kind):
        return difference(state, vars(expected), depth + 1)
    return "" if actual == expected else " "


SWALLOW = "__swallow__"


class Runner:
    """Runs tests of one task; ``task``: seconds for a test, examples for a property."""

    def __init__(
        self,
        names: dict[str, Any],
        built_in: dict[str, Any],
        oracle: Oracle,
        limit: Limit,
        function: str,
        task: dict[str, Any],
    ) -> None:
        own = {name: thing for name, thing in names.items() if name not in built_in}
        self.given = {**own, "__builtins__": built_in, "__name__": "test", SWALLOW: _swallow}
        self.oracle, self.limit, self.function, self.task = oracle, limit, function, task

    def run(self, test: dict[str, Any]) -> dict[str, Any]:
        """``{"v": "ok" | "failed" | "pending", "why": ..., "call": the last call}``; never ok without evidence."""
        before, sys.stdout = sys.stdout, io.StringIO()
        try:
            verdict = self._whole(test)
            if verdict["v"] == "pending":
                self.oracle.collecting = True
                with contextlib.suppress(BaseException), self.limit.seconds(self.task["seconds"]):
                    self._kind(test)
        finally:
            self.oracle.collecting = False
            sys.stdout = before
        return verdict

    def _kind(self, test: dict[str, Any]) -> str | None:
        """What is wrong; None for nothing."""
        found: str | None = getattr(self, f"_{test['kind']}")(test)
        return found

    def _whole(self, test: dict[str, Any]) -> dict[str, Any]:
        oracle, self.input = self.oracle, None
        oracle.calls, oracle.last, oracle.last_outcome = 0, None, None
        try:
            with self.limit.seconds(self.task["seconds"]):
                why = self._kind(test)
        except Pending:
            return {"v": "pending"}
        except DidNotFinish:
            return {"v": "failed", "why": "", "call": oracle.last, "outcome": oracle.last_outcome}
        except TooLong:
            return {"v": "failed", "why": f"the test itself did not finish within {self.task['seconds']:g} s"}
        except BaseException as error:  # noqa: BLE001  whatever a test raises is its failure
            why = f"{type(error).__name__}: {error}"[:400]
        if why:
            return {"v": "failed", "why": why, "call": oracle.last, "outcome": oracle.last_outcome, "input": self.input}
        if oracle.pending:
            return {"v": "pending"}
        if not oracle.calls and self.function in test.get("text", self.function):
            return {"v": "failed", "why": f"the test never calls {self.function}"}
        return {"v": "ok", "calls": oracle.calls}

    def _names(self) -> dict[str, Any]:
        return {**self.given, **({"all": _every, "any": _every} if self.oracle.collecting else {})}

    def _run(self, tree: ast.Module, file: str, names: dict[str, Any]) -> None:
        """Execute the text of a test, in pieces while questions are collected."""
        if self.oracle.collecting:
            tree = _Pieces().visit(ast.parse(ast.unparse(ast.fix_missing_locations(tree))))
        code = compile(ast.fix_missing_locations(tree), file, "exec", dont_inherit=True)
        exec(code, names)  # noqa: S102  in the sandbox

    # ---- kinds ------------------------------------------------------------------------------------------------------

    def _example(self, test: dict[str, Any]) -> str | None:
        names = self._names()
        try:
            expected = eval(_compiled(test["expected"], "eval"), names)  # noqa: S307  in the sandbox
        except (NameError, SyntaxError) as error:
            return f"the expected value {test['expected']} cannot be evaluated: {error}"
        if isinstance(expected, type) and issubclass(expected, BaseException):
            try:
                actual = eval(_compiled(test["text"], "eval"), names)  # noqa: S307  in the sandbox
            except expected:
                return None
            return f"{test['text']} is {_short(actual)} where {expected.__name__} was expected"
        actual = eval(_compiled(test["text"], "eval"), names)  # noqa: S307  in the sandbox
        different = difference(actual, expected)
        text = f"{test['text']} is {_short(actual)}, expected {test['expected']}{different}".rstrip()
        return text if different else None

    def _assertion(self, test: dict[str, Any]) -> str | None:
        text, names = test["text"], self._names()
        tree = ast.parse(text)
        check = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "check"), None)
        called = any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == "check" for n in ast.walk(tree)
        )
        if check is not None and not called and len(check.args.args) == 1:
            call = ast.Expr(ast.Call(ast.Name("check", ast.Load()), [ast.Name(self.function, ast.Load())], []))
            tree.body.append(call)
        try:
            self._run(tree, "<test>", names)
            for node in tree.body:  # what the text defines as a test and does not call
                if isinstance(node, ast.FunctionDef) and node.name.startswith("test_") and not node.args.args:
                    names[node.name]()
        except AssertionError as error:
            return f"{_statement(text, error)} fails{self._said(error)}"
        return None

    def _said(self, error: AssertionError) -> str:
        return f": {error}"[:200] if str(error) else ""

    def _doctest(self, test: dict[str, Any]) -> str | None:
        import doctest  # slow to load, and not every function has doctests

        names, found = self._names(), doctest.DocTestParser().get_examples(test["doc"])
        checker, failed = doctest.OutputChecker(), None
        for example in found:
            flags = 0
            for flag, on in example.options.items():
                flags |= flag if on else 0
            if flags & doctest.SKIP:
                continue
            got, raised = self._typed(example.source, names)
            if self.oracle.collecting or failed:
                continue
            if raised is not None:
                right = example.exc_msg is not None and checker.check_output(example.exc_msg, raised, flags)
                got = f"{got}{raised}"
            else:
                right = example.exc_msg is None and checker.check_output(example.want, got, flags)
            if not right:
                wanted = (example.exc_msg or example.want).strip() or "nothing"
                failed = f"{example.source.strip()} gives {got.strip() or 'nothing'}, expected {wanted}"[:400]
        return failed or (None if found else "there is no doctest in the docstring")

    def _typed(self, source: str, names: dict[str, Any]) -> tuple[str, str | None]:
        """What typing this would print, and the exception's last line."""
        printed, raised = io.StringIO(), None
        hook, sys.displayhook = sys.displayhook, _show
        try:
            with contextlib.redirect_stdout(printed):
                exec(compile(source, "<doctest>", "single", dont_inherit=True), names)  # noqa: S102  in the sandbox
        except Pending:
            if not self.oracle.collecting:
                raise
        except (TooLong, DidNotFinish):
            raise
        except BaseException as error:  # noqa: BLE001  a doctest may expect any
            raised = f"{type(error).__name__}: {error}\n" if str(error) else f"{type(error).__name__}\n"
        finally:
            sys.displayhook = hook
        return printed.getvalue(), raised

    def _property(self, test: dict[str, Any]) -> str | None:
        os.environ["HYPOTHESIS_NO_PLUGINS"] = "1"  # of other packages; to load them takes 0.2 s
        import hypothesis  # third-party, and only properties need it

        hypothesis.settings.register_profile(
            "here",
            max_examples=self.task["examples"],
            database=None,
            deadline=None,
            suppress_health_check=list(hypothesis.HealthCheck),
            print_blob=False,
            report_multiple_bugs=False,
        )
        hypothesis.settings.load_profile("here")
        names, tree = self._names(), ast.parse(test["text"])
        names.update(given=hypothesis.given, strategies=hypothesis.strategies, st=hypothesis.strategies,
                     assume=hypothesis.assume, settings=hypothesis.settings, example=hypothesis.example,
                     hypothesis=hypothesis)  # fmt: skip
        self._run(tree, "<property>", names)
        found = [names[n.name] for n in tree.body if isinstance(n, ast.FunctionDef) and n.name.startswith("test")]
        for one in found:
            why = self._one_property(one, test["text"])
            if why:
                return why
        return None if found else "the property defines no function test_*"

    def _one_property(self, one: Any, text: str) -> str | None:
        inner = getattr(getattr(one, "hypothesis", None), "inner_test", None)
        if inner is None:
            one()
            return None
        one._hypothesis_internal_use_seed = self.task["seed"]
        failing: dict[str, Any] = {}

        def tried(*args: Any, **named: Any) -> Any:
            shown = {name: _short(value) for name, value in named.items()}
            try:
                return inner(*args, **named)
            except Pending:
                return None
            except Exception as error:
                if not type(error).__module__.startswith("hypothesis"):
                    failing.update(input=shown, error=error, call=self.oracle.last, outcome=self.oracle.last_outcome)
                raise

        one.hypothesis.inner_test = tried
        try:
            one()
        except DidNotFinish:
            raise
        except Exception as error:
            if not failing:
                raise
            self.input = failing["input"]
            self.oracle.last, self.oracle.last_outcome = failing["call"], failing["outcome"]
            cause = failing["error"]
            if isinstance(cause, AssertionError):
                return f"{one.__name__}: {_statement(text, cause)} fails{self._said(cause)}"
            return f"{one.__name__}: {type(cause).__name__}: {cause or error}"[:400]
        return None


class _Pieces(ast.NodeTransformer):
    """Each statement within ``try: ... except BaseException as e: swallow(e)``."""

    def generic_visit(self, node: ast.AST) -> ast.AST:
        super().generic_visit(node)
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list) and isinstance(
                node, ast.Module | ast.FunctionDef | ast.For | ast.While | ast.If | ast.With
            ):
                setattr(node, field, [self._guarded(s) for s in block])
        return node

    def _guarded(self, statement: ast.stmt) -> ast.stmt:
        if isinstance(
            statement, ast.Return | ast.Break | ast.Continue | ast.ImportFrom | ast.Import | ast.Global | ast.Nonlocal
        ):
            return statement
        call = ast.Expr(ast.Call(ast.Name(SWALLOW, ast.Load()), [ast.Name("__e", ast.Load())], []))
        handler = ast.ExceptHandler(ast.Name("BaseException", ast.Load()), "__e", [call])
        return ast.Try([statement], [handler], [], [])


def _every(items: Any) -> bool:
    """``all`` and ``any`` while questions are collected: every item is asked for."""
    return len(list(items)) >= 0


def _swallow(error: BaseException) -> None:
    if isinstance(error, TooLong) or type(error).__module__.startswith("hypothesis"):
        raise error


def _compiled(text: str, mode: str) -> Any:
    return compile(text.strip(), "<example>", mode, dont_inherit=True)


def _statement(text: str, error: BaseException) -> str:
    """The statement of the test's text that raised."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename in ("<test>", "<property>"):
            line = trace.tb_lineno
        trace = trace.tb_next
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.stmt) and line is not None and node.lineno <= line <= (node.end_lineno or node.lineno):
            shown = node if not hasattr(node, "body") else None
            if shown is not None:
                return " ".join(ast.unparse(shown).split())[:300]
    return "an assertion"


def _show(value: Any) -> None:
    if value is not None:
        sys.stdout.write(f"{value!r}\n")


def _short(value: Any) -> str:
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  only for a message
        return f"an instance of {type(value).__name__}"
    return text if len(text) <= 300 else f"{text[:300]}..."
