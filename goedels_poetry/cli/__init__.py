"""The command ``goedels-poetry``: it reads a command line, calls what is below, and prints; it decides nothing.

Everything heavy is imported inside the commands, so that ``--help`` answers at once. Who calls whom:

* `main` (its `run` is the program) has `early` start what workers need, runs `app`, and turns what nobody foresaw into
  one line and a file (`failures`).
* `app`, `question_commands` and `tool_commands` declare the commands with their options (`options`); each body imports
  one file: `prove`, `formalize`, `check`, `premises`, `lean`, `look` (trace, graph), `runs`, `serve`, `doctor`, `ask`,
  `ask_program`, `bench`, `examples` (what `shipped` finds in the package or a checkout).
* Before the work: `inputs` finds and reads files, `configure` puts flags above the settings, `formal` tells claims in
  plain words from theorems.
* During a batch `signals` listens for Ctrl-C, before and after it `interrupted`; then `verdicts` says which outcome is
  the exit code; `no_verdict` has those of inputs that were not worked on.
* What is printed: `report` for results, with the proof by `proof_page`; `program_page` for programs of questions,
  `costs` for models, `finding` and `doctor_lean` for the doctor. `endings` ends every page with its verdict.
* `prove` is told by `prove_request` and prints by `prove_output`: pages or objects, `tally` for the table at the end,
  `filling` (with `fill`, and with `change_files` for the writing) for files whose holes are filled; `waited` has the
  seconds, `resuming` the command that goes on.
"""

from goedels_poetry.cli.main import main, run

__all__ = ["main", "run"]
