"""The command ``goedels-poetry``: it reads a command line, calls what is below, and prints; it decides nothing.

Everything heavy is imported inside the commands, so that ``--help`` answers at once. Who calls whom:

* `main` (its `run` is the program) starts what workers need, runs `app`, and turns what nobody foresaw into one line
  and a file (`run_errors`); `process` ends it by Ctrl-C, TERM and HUP.
* `app` is the table of commands. Their options are the fields of `requests` and `tools`, in groups of `options`. Each
  command is one file: `prove`, `formalize`, `ask`, `code`, `change`, `bench` (with `bench_proofs`),
  `check`, `export`, `premises`, `inspect` (show, trace, graph), `runs`, `serve` (mcp and lsp, too), `examples`,
  `doctor`, `lean`.
* Before the work: `inputs` finds and reads files and claims, `configure` puts flags above the settings. `session` has
  what searches share: how they are refused, interrupted, and what they say meanwhile.
* After it: `report` prints results and how every page ends, `run_errors` says which outcome is the exit code,
  `fill_sorry` fills holes of Lean files.
"""

from goedels_poetry.cli.main import main, run

__all__ = ["main", "run"]
