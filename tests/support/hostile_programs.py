"""Programs that try to harm the machine, and what must become of each. Any user's Python runs them.

``python hostile_programs.py WAY...`` runs those that limits alone do not stop, in the ways named, and prints what went
wrong, for a user who has no pytest. Each gets four arguments: a folder of ours that anybody may write, the process
id of a bystander, our own process id, and a port of ours that listens.
"""

from __future__ import annotations

import ctypes
import os
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from goedels_poetry.sandbox import SandboxLimits, SandboxResult, run_python
from goedels_poetry.sandbox.child.processes import descendants
from goedels_poetry.sandbox.isolation import forced

LIMITS = SandboxLimits(cpu_seconds=0.25, wall_seconds=3, memory_mb=32, output_bytes=20_000, disk_mb=4)
PR_SET_CHILD_SUBREAPER = 36

_HEAD = """
import os, sys, time
victim, bystander, parent, port = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
def attempt(what):
    try:
        result = what()
    except (OSError, ImportError, ValueError) as refused:
        print("refused", type(refused).__name__)
    else:
        print("ESCAPED", result)
"""


@dataclass(frozen=True, slots=True)
class Hostile:
    """A program, how it must end ("status" or "status code"), and whether nothing but time and sizes need stop it."""

    program: str
    ends: tuple[str, ...]
    limits_do: bool = False
    prints: bytes = b""


TRIES = ("exited 0",)
"""It tries, is refused, and ends by itself; ESCAPED in its output would show a hole."""

PROGRAMS: dict[str, Hostile] = {
    "forks for ever": Hostile("while True: os.fork()", ("exited 1",)),
    "forks by clone, vfork and clone3": Hostile(
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for call, flags in ((56, 17), (57, 0), (58, 0), (220, 17), (435, 0), (0x40000000 | 57, 0)):
    if os.uname().machine == "x86_64" and call == 220: continue
    if os.uname().machine != "x86_64" and call in (56, 57, 58): continue
    child = libc.syscall(call, flags, 0, 0, 0, 0)
    if child == 0: os._exit(0)
    print("ESCAPED" if child > 0 else "refused")
""",
        TRIES,
    ),
    "starts a daemon": Hostile(
        """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(1000)
os._exit(0)
""",
        ("exited 1",),
    ),
    "runs a shell": Hostile(
        """
import subprocess
attempt(lambda: subprocess.run(["/bin/sh", "-c", "echo hello"], check=True))
attempt(lambda: os.execv("/bin/sh", ["sh", "-c", "echo ESCAPED"]))
attempt(lambda: os.posix_spawn("/bin/sh", ["sh", "-c", "echo ESCAPED"], {}))
""",
        TRIES,
    ),
    "fills memory": Hostile("kept = []\nwhile True: kept.append(bytearray(1 << 20))", ("memory",), True),
    "fills memory with shared pages": Hostile(
        """
import mmap
kept = []
while True:
    kept.append(mmap.mmap(-1, 1 << 20))
    kept[-1][:] = b"x" * (1 << 20)
""",
        ("memory",),
        True,
    ),
    "fills memory with files in memory": Hostile("attempt(lambda: os.memfd_create('evil'))", TRIES),
    "fills the disk with one file": Hostile(
        "with open('evil', 'wb') as file:\n    while True: file.write(b'x' * 65536)", ("disk",), True
    ),
    "fills the disk with many files": Hostile(
        "import itertools\nfor n in itertools.count(): open(str(n), 'wb').write(b'x' * 65536)", ("disk",), True
    ),
    "makes millions of empty files": Hostile(
        "import itertools\nfor n in itertools.count(): open(str(n), 'wb').close()", ("disk", "cpu", "wall"), True
    ),
    "makes folders without end": Hostile(
        "while True:\n    os.mkdir('d'); os.chdir('d')", ("disk", "cpu", "wall"), True
    ),
    "writes files that have no name": Hostile(
        """
kept = []
while True:
    kept.append(open("evil", "wb", buffering=0))
    os.unlink("evil")
    kept[-1].write(b"x" * (1 << 20))
""",
        ("disk", "wall", "exited"),  # the last one where files that may be open run out first
        True,
    ),
    "sleeps": Hostile("time.sleep(1000)", ("wall",), True),
    "computes for ever": Hostile("while True: pass", ("cpu", "wall"), True),
    "computes in many threads": Hostile(
        """
import threading
def spin():
    while True: pass
for _ in range(8): threading.Thread(target=spin).start()
""",
        ("cpu", "wall"),
        True,
    ),
    "is deaf to signals": Hostile(
        """
import signal
for number in range(1, 65):
    try: signal.signal(number, signal.SIG_IGN)
    except (OSError, ValueError): pass
while True: pass
""",
        ("cpu", "wall"),
        True,
    ),
    "catches every exception": Hostile(
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass", ("cpu", "wall"), True
    ),
    "prints for ever": Hostile("while True: print('x' * 1000)", ("output",), True),
    "prints a gigabyte without a line end": Hostile(
        "for _ in range(1000): sys.stdout.buffer.write(b'\\xff' * (1 << 20))", ("output",), True
    ),
    "prints what is no text": Hostile(
        "sys.stdout.buffer.write(b'\\xff\\xfe\\x00')", ("exited 0",), True, prints=b"\xff\xfe\x00"
    ),
    "prints on standard error for ever": Hostile("while True: os.write(2, b'x' * 4096)", ("output",), True),
    "kills its parent": Hostile(
        "attempt(lambda: os.kill(os.getppid() or 1, 9))\nattempt(lambda: os.kill(parent, 9))", TRIES
    ),
    "kills a bystander": Hostile(
        """
import signal
for number in (0, 9, 15, 19): attempt(lambda: os.kill(bystander, number))
attempt(lambda: os.killpg(bystander, 9))
attempt(lambda: signal.pidfd_send_signal(os.pidfd_open(bystander), 9))
""",
        TRIES,
    ),
    "kills everybody": Hostile("os.kill(-1, 9)", ("exited 1", "exited 0", "killed")),
    "kills its process group": Hostile("os.killpg(0, 9)", ("killed -9", "exited 1")),
    "has signals sent by the kernel": Hostile(
        """
import fcntl
end, other = os.pipe()
attempt(lambda: fcntl.fcntl(end, fcntl.F_SETOWN, bystander))
""",
        TRIES,
    ),
    "reads what is not its own": Hostile(
        """
for path in ("/etc/passwd", "/root/.ssh", os.path.expanduser("~/.ssh"), "/home", "/", "/proc/1/environ", "/tmp",
             victim, victim + "/secret", "/proc/self/maps", f"/proc/{parent}/environ", f"/proc/{parent}/cwd", "/etc"):
    attempt(lambda: open(path).read() if os.path.isfile(path) else os.listdir(path))
""",
        TRIES,
    ),
    "reads the secrets of our environment": Hostile(
        "print(sorted(os.environ))",
        ("exited 0",),
        True,
        prints=b"['HOME', 'LANG', 'PATH', 'PYTHONDONTWRITEBYTECODE', 'PYTHONHASHSEED']\n",
    ),
    "writes what is not its own": Hostile(
        """
for path in ("/tmp/evil", "/var/tmp/evil", "/dev/shm/evil", "/evil", victim + "/evil", victim + "/secret", os.__file__,
             "/proc/self/oom_score_adj", "/proc/self/comm", "/proc/sys/kernel/core_pattern", "/sys/evil", "/dev/evil"):
    attempt(lambda: open(path, "w").write("evil"))
    attempt(lambda: os.mkdir(path + "-folder"))
attempt(lambda: os.unlink(victim + "/secret"))
attempt(lambda: os.rename(victim + "/secret", "mine"))
attempt(lambda: os.rename(victim + "/secret", victim + "/evil"))
attempt(lambda: os.link(victim + "/secret", "mine"))
attempt(lambda: os.truncate(victim + "/secret", 0))
attempt(lambda: os.rmdir(victim + "/empty"))
""",
        TRIES,
    ),
    "changes permissions and times": Hostile(
        """
for path in (victim, victim + "/secret", os.__file__):
    attempt(lambda: os.chmod(path, 0))
    attempt(lambda: os.utime(path, (0, 0)))
    attempt(lambda: os.chown(path, os.getuid(), os.getgid()))
    attempt(lambda: os.setxattr(path, "user.evil", b"1"))
file = os.open(os.__file__, os.O_RDONLY)
attempt(lambda: os.fchmod(file, 0))
attempt(lambda: os.utime(file, (0, 0)))
""",
        TRIES,
    ),
    "leaves by symbolic links": Hostile(
        """
for n, target in enumerate((victim + "/secret", "/etc/passwd", "../../../../../../../../" + victim + "/secret")):
    os.symlink(target, str(n))
    attempt(lambda: open(str(n)).read())
    attempt(lambda: open(str(n), "w"))
os.symlink(victim, "folder")
attempt(lambda: open("folder/evil", "w"))
attempt(lambda: os.chdir("folder") or os.listdir())
""",
        TRIES,
    ),
    "leaves by kept names": Hostile(
        "os.symlink(victim + '/secret', 'kept'); os.symlink('/etc', 'above')", ("exited 0",)
    ),
    "opens sockets": Hostile(
        """
import socket
for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX, socket.AF_NETLINK, socket.AF_PACKET, 38, 40):
    for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM, socket.SOCK_RAW):
        attempt(lambda: socket.socket(family, kind))
attempt(lambda: socket.create_connection(("127.0.0.1", port), 1))
attempt(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
""",
        TRIES,
    ),
    "calls the kernel behind Python's back": Hostile(
        """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
tries = {
    "ptrace": lambda: libc.ptrace(16, parent, 0, 0), "attach": lambda: libc.ptrace(16, bystander, 0, 0),
    "traceme": lambda: libc.ptrace(0, 0, 0, 0),
    "mount": lambda: libc.mount(b"none", b"/", b"tmpfs", 0, 0), "umount": lambda: libc.umount2(b"/proc", 2),
    "unshare": lambda: libc.unshare(0x10000000), "setns": lambda: libc.setns(0, 0), "chroot": lambda: libc.chroot(b"."),
    "mknod": lambda: libc.mknod(b"evil", 0o60666, 0x800), "kill": lambda: libc.kill(bystander, 9),
    "swapon": lambda: libc.swapon(b"/dev/vda", 0), "reboot": lambda: libc.reboot(0),
    "setuid": lambda: libc.setuid(0 if os.getuid() else 1), "sethostname": lambda: libc.sethostname(b"evil", 4),
    "memory": lambda: libc.process_vm_readv(bystander, 0, 0, 0, 0, 0), "acct": lambda: libc.acct(0),
    "personality": lambda: libc.personality(0x0040000), "prctl": lambda: libc.prctl(4, 1, 0, 0, 0),
    "nice": lambda: libc.setpriority(0, bystander, 19), "limits": lambda: libc.prlimit(bystander, 0, 0, 0),
    "affinity": lambda: libc.sched_setaffinity(bystander, 8, bytes(8)),
}
for number in (41, 101, 165, 246, 248, 250, 272, 298, 303, 304, 308, 310, 311, 317, 321, 323, 425, 426, 427, 428, 434,
               438, 444):
    if os.uname().machine == "x86_64": tries[str(number)] = lambda number=number: libc.syscall(number, 1, 0, 0, 0, 0, 0)
for name, call in tries.items():
    print("ESCAPED " + name if call() >= 0 else "refused")
""",
        TRIES,
    ),
    "ends at once and claims success": Hostile("raise SystemExit(0)", ("exited 0",), True),
    "ends without a word": Hostile("os._exit(7)", ("exited 7",), True),
    "closes all it has": Hostile("os.closerange(0, 65536)\nwhile True: pass", ("cpu", "wall"), True),
    "writes to whatever is open": Hostile(
        """
for number in range(3, 65536):
    try: os.write(number, b"exited 0 0 0\\n-\\n\\n"); print("ESCAPED", number)
    except OSError: pass
""",
        ("exited 0",),
        True,
    ),
    "closes its folder to us": Hostile(
        """
os.mkdir("a")
open("a/b", "w").close()
for path in ("a/b", "a", "."):
    try: os.chmod(path, 0)
    except OSError: pass
""",
        ("exited 0",),
        True,
    ),
    "removes its folder": Hostile("attempt(lambda: os.rmdir(os.getcwd()))", ("exited 0",)),
    "leaves a pipe where a file is wanted": Hostile("attempt(lambda: os.mkfifo('kept'))", ("exited 0",)),
    "crashes": Hostile("import ctypes\nctypes.string_at(0)", ("killed -11",), True),
    "aborts": Hostile("os.abort()", ("killed -6",), True),
    "recurs without end in C": Hostile(
        "sys.setrecursionlimit(10 ** 9)\nclass A: pass\nA.__repr__ = lambda a: repr(a)\nrepr(A())",
        ("killed -11", "cpu", "memory", "wall", "exited 1"),
        True,
    ),
    "multiplies without end": Hostile("10 ** 10 ** 8", ("cpu", "wall", "memory"), True),
    "has an exit handler that never ends": Hostile(
        "import atexit\ndef spin():\n    while True: pass\natexit.register(spin)", ("cpu", "wall"), True
    ),
    "starts threads without end": Hostile(
        """
import threading
threading.stack_size(32768)
while True: threading.Thread(target=time.sleep, args=(1000,)).start()
""",
        ("exited 1", "killed", "wall", "memory", "cpu"),
        True,
    ),
}


@contextmanager
def machine() -> Iterator[tuple[list[str], Machine]]:
    """Something to harm: the arguments for a program, and a look at what became of it."""
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)  # nobody can hide by losing a parent
    with tempfile.TemporaryDirectory(prefix="victim-") as folder, socket.create_server(("127.0.0.1", 0)) as server:
        os.chmod(folder, 0o777)
        secret = Path(folder, "secret")
        secret.write_text("the secret")
        secret.chmod(0o666)
        Path(folder, "empty").mkdir(mode=0o777)
        bystander = subprocess.Popen(["sleep", "1000"], start_new_session=True)
        try:
            yield (
                [folder, str(bystander.pid), str(os.getpid()), str(server.getsockname()[1])],
                Machine(Path(folder), bystander),
            )
        finally:
            ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
            bystander.kill()
            bystander.wait()


@dataclass(frozen=True, slots=True)
class Machine:
    """What a program could have changed."""

    folder: Path
    bystander: subprocess.Popen[bytes]

    def state(self) -> dict[str, object]:
        """Equal before and after, unless something changed."""
        self_made = [pid for pid in descendants(os.getpid()) if pid != self.bystander.pid]
        files = [(str(path), *_of(path)) for path in (self.folder, *sorted(self.folder.rglob("*")), Path(os.__file__))]
        here = [path for place in ("/tmp", "/var/tmp", "/dev/shm", "/") for path in Path(place).glob("*evil*")]
        text = (self.folder / "secret").read_text()
        return {
            "files": files,
            "text": text,
            "new": here,
            "processes": self_made,
            "bystander": self.bystander.poll(),
            "environment": hash(tuple(os.environ.items())),
        }


def _of(path: Path) -> tuple[int, ...]:
    about = path.lstat()
    return about.st_mode, about.st_uid, about.st_size, about.st_mtime_ns, about.st_ctime_ns


def faults(name: str, result: SandboxResult) -> list[str]:
    """What is wrong with the end of a program."""
    hostile = PROGRAMS[name]
    ended = f"{result.status} {result.returncode}"
    wrong = []
    if not any(f"{ended} ".startswith(f"{each} ") for each in hostile.ends):
        wrong.append(f"it ended as {ended!r}, not as one of {hostile.ends}")
    if b"ESCAPED" in result.stdout:
        wrong.append(f"it got out: {result.stdout.decode(errors='replace')}")
    if hostile.prints and result.stdout != hostile.prints:
        wrong.append(f"it printed {result.stdout!r}")
    if not result.explanation or "\n" in result.explanation:
        wrong.append(f"it is explained as {result.explanation!r}")
    if len(result.stdout) + len(result.stderr) > LIMITS.output_bytes:
        wrong.append("more of its output was kept than was allowed")
    if any(b"secret" in content or b"root:" in content for content in result.files.values()):
        wrong.append("it made us read what it may not")
    return [f"{fault}; {result.stderr[-300:]!r}" for fault in wrong]


def run_hostile(name: str, arguments: list[str]) -> SandboxResult:
    """Run one of the programs in the way that is forced."""
    return run_python(
        _HEAD + PROGRAMS[name].program,
        arguments=arguments,
        keep=["kept", "above/passwd", "folder/secret", "nothing"],
        limits=LIMITS,
    )


def main(ways: list[str]) -> int:
    """Run those that need more than limits, in these ways; how many went wrong."""
    wrong = 0
    with machine() as (arguments, there):
        for way in ways:
            with forced(way):
                for name, hostile in PROGRAMS.items():
                    if hostile.limits_do:
                        continue  # whose they are makes no difference to them
                    before = there.state()
                    found = faults(name, run_hostile(name, arguments))
                    if there.state() != before:
                        found.append(f"the machine changed: {before} {there.state()}"[:1000])
                    wrong += bool(found)
                    for fault in found:
                        print(f"{way}: a program that {name}: {fault}")
    print(f"{wrong} went wrong")
    return wrong


if __name__ == "__main__":
    raise SystemExit(min(main(sys.argv[1:]), 1))
