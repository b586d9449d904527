"""z3 without its program: the library reads SMT-LIB text in a child process, as ``z3 -in`` would.

Run as ``python -m goedels_poetry.solvers.z3_child PARENT_PID MEMORY_MB``. A message ends
with the echo of a nonce, as ``Z3Process`` sends it.
"""

from __future__ import annotations

import os
import re
import sys

import z3

from goedels_poetry.solvers.frames import private_pipes
from goedels_poetry.solvers.launch import address_space_now, bind_to_parent, limit_memory
from goedels_poetry.solvers.process import MEMORY_EXIT

_END = re.compile(rb'\(echo "[0-9a-f]{32}"\)\n\Z')
_RESET = b"(reset)"
_SLACK = 128 << 20  # what the allocator reserves beyond what memory_max_size counts


def main() -> None:
    """Evaluate message after message in one context until the input ends."""
    bind_to_parent(int(sys.argv[1]))
    memory_mb = int(sys.argv[2])
    limit_memory(address_space_now() + (memory_mb << 20) + _SLACK)
    requests, replies = private_pipes()
    z3.set_param("memory_max_size", memory_mb)
    context = z3.Context()
    message = bytearray()
    while chunk := os.read(requests, 1 << 16):
        message += chunk
        if not _END.search(message, max(0, len(message) - 64)):
            continue
        if message.startswith(_RESET):  # the library's own reset keeps recursive functions
            context = z3.Context()
            del message[: len(_RESET)]
        try:
            reply = z3.Z3_eval_smtlib2_string(context.ref(), message.decode())
        except MemoryError:
            os._exit(MEMORY_EXIT)
        except z3.Z3Exception as error:
            printed = error.value  # all that was printed, when a command was refused
            reply = printed.decode() if isinstance(printed, bytes) else f'(error "{printed}")\n'
            if "out of memory" in reply:
                os._exit(MEMORY_EXIT)
        message.clear()
        rest = memoryview(reply.encode())
        while rest:
            rest = rest[os.write(replies, rest) :]


if __name__ == "__main__":
    main()
