"""z3 without its program: the library reads SMT-LIB text in a child process, as ``z3 -in`` would.

Run as ``python -m goedels_poetry.solvers.z3_child PARENT_PID MEMORY_MB``, or forked from a template (see `templates`).
A message ends with the echo of a nonce, as ``Z3Process`` sends it. Five functions of the library are all that is
needed: what the package z3 makes of the others takes a quarter of a second to load, and more memory to fork.
"""

from __future__ import annotations

import ctypes
import os
import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from goedels_poetry.solvers.frames import private_pipes
from goedels_poetry.solvers.launch import address_space_now, bind_to_parent, limit_memory
from goedels_poetry.solvers.process import MEMORY_EXIT

_END = re.compile(rb'\(echo "[0-9a-f]{32}"\)\n\Z')
_RESET = b"(reset)"
_SLACK = 128 << 20  # what the allocator reserves beyond what memory_max_size counts
_NAMES = {"darwin": "libz3.dylib", "win32": "libz3.dll"}
_WARM = 4


@cache
def _library() -> ctypes.CDLL:
    """The library of the package, with the types of what is called there."""
    package = find_spec("z3")
    folder = Path(package.origin).parent / "lib" if package is not None and package.origin else Path()
    place = folder / _NAMES.get(sys.platform, "libz3.so")
    if folder.name and place.is_file():
        library = ctypes.CDLL(str(place))
    else:  # the package knows more places
        from z3.z3core import lib

        library = lib()
    pointer, text = ctypes.c_void_p, ctypes.c_char_p
    for name, result, arguments in (
        ("Z3_global_param_set", None, (text, text)),
        ("Z3_mk_config", pointer, ()),
        ("Z3_mk_context", pointer, (pointer,)),
        ("Z3_del_config", None, (pointer,)),
        ("Z3_del_context", None, (pointer,)),
        ("Z3_set_error_handler", None, (pointer, pointer)),
        ("Z3_eval_smtlib2_string", text, (pointer, text)),
        ("Z3_get_error_code", ctypes.c_int, (pointer,)),
        ("Z3_get_error_msg", text, (pointer, ctypes.c_int)),
    ):
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


class _Context:
    """One that was told nothing."""

    def __init__(self) -> None:
        library = _library()
        config = library.Z3_mk_config()
        self._context = library.Z3_mk_context(config)
        library.Z3_del_config(config)
        if not self._context:
            raise MemoryError
        library.Z3_set_error_handler(self._context, None)  # the one that is there ends the process

    def evaluate(self, commands: bytes) -> bytes:
        """All that was printed, also when a command was refused. Raises MemoryError."""
        library = _library()
        printed = library.Z3_eval_smtlib2_string(self._context, commands)
        code = library.Z3_get_error_code(self._context)
        if not code:
            return bytes(printed or b"")
        refused: bytes = library.Z3_get_error_msg(self._context, code) or b""
        if b"out of memory" in refused:
            raise MemoryError
        return refused

    def close(self) -> None:
        """Give back its memory."""
        _library().Z3_del_context(self._context)


_fresh: list[_Context] = []
"""Contexts that were told nothing, for a process that is forked from one that has made them."""


def warm() -> None:
    """Make the contexts that forks of this process begin with: theirs share its memory until they write to it."""
    while len(_fresh) < _WARM:
        context = _Context()
        context.evaluate(b'(echo "")')  # what reads commands is laid out with the first one
        _fresh.append(context)


def main() -> None:
    """Evaluate message after message, after each reset in a context of its own, until the input ends."""
    bind_to_parent(int(sys.argv[1]))
    memory_mb = int(sys.argv[2])
    limit_memory(address_space_now() + (memory_mb << 20) + _SLACK)
    requests, replies = private_pipes()
    _library().Z3_global_param_set(b"memory_max_size", str(memory_mb).encode())
    context = _fresh.pop() if _fresh else _Context()
    message = bytearray()
    while chunk := os.read(requests, 1 << 16):
        message += chunk
        if not _END.search(message, max(0, len(message) - 64)):
            continue
        if message.startswith(_RESET):  # the library's own reset keeps recursive functions
            if _fresh:  # to take the old one apart would touch all its memory, which is shared until then
                context = _fresh.pop()
            else:
                context.close()
                context = _Context()
            del message[: len(_RESET)]
        try:
            reply = context.evaluate(bytes(message))
        except MemoryError:
            os._exit(MEMORY_EXIT)
        message.clear()
        rest = memoryview(reply)
        while rest:
            rest = rest[os.write(replies, rest) :]


if __name__ == "__main__":
    main()
