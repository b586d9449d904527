"""The command ``goedels-poetry``: it reads a command line, calls what is below, and prints; it decides nothing.

Everything heavy is imported inside the commands, so that ``--help`` answers at once. Who calls whom:

* `main` (its `run` is the program) has `early` start what workers need, runs `short` for lines of which nothing has to
  be parsed, else `app`, and turns what nobody foresaw into one line and a file (`failures`).
* `app` and `question_commands` declare the commands with their options (`options`); each body imports one file:
  `prove`, `formalize`, `check`, `premises`, `lean`, `look` (runs, show, trace, graph), `doctor`, `ask`, `ask_program`,
  `bench`.
* Before the work: `inputs` finds and reads files, `configure` puts flags above the settings, `formal` tells claims in
  plain words from theorems.
* During a batch `signals` listens for Ctrl-C; after it `verdicts` says which verdict is the exit code.
* What is printed: `report` for results, `program_page` for programs of questions, `costs` for models, `finding` and
  `doctor_lean` for the doctor.
"""

from goedels_poetry.cli.main import main, run

__all__ = ["main", "run"]
