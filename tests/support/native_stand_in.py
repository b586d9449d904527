"""A toolchain that stands in for a native one: `lake`, `lean` and `bwrap` as small programs.

They are real processes behind real pipes, started, bounded and killed like the real ones. `lean --run` answers with the
embedded Lean, which speaks the protocol of our driver program; it leaves the clock to whoever started it, as that does.
Where no answer matters, it says itself that all is well: a start of Lean takes two seconds of the processor.

The driver program itself is run by `Inside`: by the interpreter of the embedded Lean.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

VERSION = "4.28.0"
NEVER_MS = 3_600_000


def make(folder: Path, embedded: list[str] | None, *programs: str) -> Path:
    """Write the named programs into ``folder``/bin; gives that folder.

    ``embedded``: command of the embedded Lean; None: every request is answered with yes.
    """
    bin_folder = folder / "bin"
    bin_folder.mkdir(parents=True)
    (folder / "embedded.json").write_text(json.dumps(embedded))
    for program in programs:
        script = bin_folder / program
        script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "{__file__}" {program} "{folder}" "$@"\n')
        script.chmod(0o755)
    return bin_folder


def note(folder: Path, what: str, value: object) -> None:
    """Leave word for the test."""
    with (folder / f"{what}.jsonl").open("a") as file:
        file.write(json.dumps(value) + "\n")


def noted(folder: Path, what: str) -> list[Any]:
    """Every word that was left."""
    file = folder / f"{what}.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def lake(folder: Path, arguments: list[str]) -> None:
    """`lake env COMMAND`: with search paths, one of them relative, as some versions give them."""
    if Path("broken").exists():
        sys.exit("error: toolchain 'leanprover/lean4:v9' is not installed")
    assert arguments[0] == "env"
    print("info: mathlib: nothing to do", file=sys.stderr)
    path = f"{folder / 'bin'}:{os.environ['PATH']}"
    search = f".lake/build/lib/lean:{folder / 'lib' / 'lean'}"
    os.execvpe(arguments[1], arguments[1:], {**os.environ, "PATH": path, "LEAN_PATH": search})


def lean(folder: Path, arguments: list[str]) -> None:
    """`lean --version`, `lean --print-prefix`, `lean -M MB --run PROGRAM`."""
    if arguments == ["--print-prefix"]:
        print(folder)
    elif arguments == ["--version"]:
        print(f"Lean (version {VERSION}, x86_64-unknown-linux-gnu, commit 0123456789ab, Release)")
    else:
        assert arguments[0] == "-M" and arguments[2] == "--run" and "GoedelsPoetry" in Path(arguments[3]).read_text()
        if (folder / "other").exists():
            print("Driver.lean:30:4: error: unknown identifier 'Kernel.whnf'")
            sys.exit(1)
        import resource

        limits = resource.getrlimit(resource.RLIMIT_DATA)
        note(folder, "runs", {"environment": dict(os.environ), "memory": arguments[1], "data": limits})
        command = json.loads((folder / "embedded.json").read_text())
        relay(folder, command) if command else agree()


def agree() -> None:
    """Yes to every request."""
    print(json.dumps({"event": "ready", "version": VERSION}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        code = request.get("code", "")
        if "LIE" in code:  # a program that has reached our pipe
            print(json.dumps({"id": 1, "status": "done"}), flush=True)
        if "DIE" in code:
            sys.exit("INTERNAL PANIC: out of memory")
        print(json.dumps({"id": request["id"], "status": "done"}), flush=True)


def relay(folder: Path, command: list[str]) -> None:
    """Requests to the embedded Lean and its answers back."""
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None and process.stdout is not None
        note(folder, "processes", process.pid)
        ready = json.loads(process.stdout.readline())
        print(json.dumps({**ready, "version": VERSION}), flush=True)
        for line in sys.stdin:
            request = json.loads(line)
            note(folder, "requests", request)
            process.stdin.write(json.dumps({**request, "timeoutMs": NEVER_MS}).encode() + b"\n")
            process.stdin.flush()
            sys.stdout.write(process.stdout.readline().decode())
            sys.stdout.flush()


def bwrap(folder: Path, arguments: list[str]) -> None:
    """Do what the options say about the environment and the folder; the walls themselves are left out."""
    note(folder, "walls", arguments)
    if (folder / "forbidden").exists():
        sys.exit("bwrap: No permissions to create new namespace")
    end = arguments.index("--")
    options = arguments[:end]
    told = {options[i + 1]: options[i + 2] for i, word in enumerate(options) if word == "--setenv"}
    os.chdir(options[options.index("--chdir") + 1])
    os.execve(arguments[end + 1], arguments[end + 1 :], told)


# The package's library has the signatures of all compiled functions, but the bodies of only some, which call auxiliary
# functions that it does not name. Without any bodies everything is called as it was compiled, and the compiler of the
# embedded Lean can make programs of definitions; it needs the boxed forms of functions as well, and no `noncomputable`.
CODE_GENERATOR = Path(__file__).with_name("native_generator.cjs").read_text("utf-8")
GENERATE = "found.env = require('./generator.cjs')(lean, found.env);"
ASKED = """
open GoedelsPoetry Lean in
unsafe def answers (lines : List String) : Json :=
  match unsafeIO ((lines.mapM answerTo).run {}) with
  | .ok (all, _) => Json.arr all.toArray
  | .error fault => toString fault
"""


class Inside:
    """The driver program in the interpreter of an embedded Lean, without its pipes."""

    def __init__(self, folder: Path, program: Path, ours: Path, command: list[str]) -> None:
        """``ours``: the folder of the embedded Lean's driver, which is copied into ``folder`` and changed."""
        shutil.copytree(ours, folder)
        (folder / "generator.cjs").write_text(CODE_GENERATOR)
        front, text = folder / "frontend.cjs", (ours / "frontend.cjs").read_text()
        for old, new in [
            ("setByte(scope, 0, 1);", ""),
            ("clearIsModule(found.env);", f"clearIsModule(found.env); {GENERATE}"),
        ]:
            assert text.count(old) == 1
            text = text.replace(old, new)
        front.write_text(text)
        self.command = [word.replace(str(ours), str(folder)) for word in command]
        self.prefix = program.read_text() + ASKED

    def code(self, requests: list[dict[str, Any]]) -> str:
        """Text that has Lean print the answers."""
        lines = [json.dumps(json.dumps(request)) for request in requests]  # all ASCII: also a literal of Lean
        return f"unsafe def told := answers [{', '.join(lines)}]\n#eval told.compress\n"


if __name__ == "__main__":
    {"lake": lake, "lean": lean, "bwrap": bwrap}[sys.argv[1]](Path(sys.argv[2]), sys.argv[3:])
