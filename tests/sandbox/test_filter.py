"""The filter of system calls, as the kernel would read it, on both machines whose numbers are known."""

import os
import struct
from collections.abc import Sequence

import pytest

from goedels_poetry.sandbox.child import namespaces
from goedels_poetry.sandbox.child import namespaces as seccomp
from goedels_poetry.sandbox.child.libc import AUDIT, NUMBERS, UNKNOWN
from goedels_poetry.sandbox.child.namespaces import ALLOW, KILL, Instruction

MACHINES = ("x86_64", "aarch64")
DENIED, NO_SUCH_CALL = 0x00050001, 0x00050026
FORBIDDEN = {
    "x86_64": {"ptrace": 101, "mount": 165, "sync": 162, "bpf": 321, "keyctl": 250, "io_uring": 425, "unshare": 272},
    "aarch64": {"ptrace": 117, "mount": 40, "sync": 81, "bpf": 280, "keyctl": 219, "io_uring": 425, "unshare": 97},
}  # fmt: skip


def verdict(code: Sequence[Instruction], architecture: int, number: int, arguments: Sequence[int] = ()) -> int:
    """Run the program as the kernel does, on struct seccomp_data."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<iIQ6Q", number if number < 1 << 31 else number - (1 << 32), architecture, 0, *words)
    at = accumulator = 0
    while True:
        operation, true, false, constant = code[at]
        at += 1
        if operation == 0x20:
            accumulator = int.from_bytes(data[constant : constant + 4], "little")
        elif operation == 0x54:
            accumulator &= constant
        elif operation == 0x06:
            return constant
        else:
            tests = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: bool(accumulator & constant)}
            at += true if tests[operation] else false


def filter_of(machine: str, **more: bool) -> list[Instruction]:
    options = {"processes": False, "own_files": False, "own_network": False, "signals": False, "groups": False} | more
    return seccomp.program(machine, pid=77, **options)


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_not_in_the_list_is_refused(machine: str) -> None:
    for everything in (False, True):
        names = ("processes", "own_files", "own_network", "signals", "groups")
        code = filter_of(machine, **dict.fromkeys(names, everything))
        for name, number in FORBIDDEN[machine].items():
            assert verdict(code, AUDIT[machine], number) == DENIED, name
        for number in (500, 1000, 4000):
            assert verdict(code, AUDIT[machine], number) == DENIED
        assert len(code) < 4096


@pytest.mark.parametrize("machine", MACHINES)
def test_calls_by_the_numbers_of_another_machine_are_the_end(machine: str) -> None:
    other = next(each for each in MACHINES if each != machine)
    code = filter_of(machine)
    read = NUMBERS[machine]["read"]
    assert verdict(code, AUDIT[machine], read) == ALLOW
    assert verdict(code, AUDIT[other], read) == KILL
    assert verdict(code, 0x40000003, 3) == KILL  # the 32-bit calls of x86
    assert verdict(code, AUDIT[machine], 0x40000000 | read) == DENIED  # and those of x32


@pytest.mark.parametrize("machine", MACHINES)
def test_threads_are_made_and_processes_only_where_they_may_be(machine: str) -> None:
    clone, thread, fork, new_user = NUMBERS[machine]["clone"], 0x3D0F00, 17, 0x10000000
    one, many = filter_of(machine), filter_of(machine, processes=True)
    ours = AUDIT[machine]
    assert [verdict(one, ours, clone, [flags]) for flags in (thread, fork, new_user)] == [ALLOW, DENIED, DENIED]
    assert [verdict(many, ours, clone, [flags]) for flags in (thread, fork, new_user)] == [ALLOW, ALLOW, DENIED]
    execve = NUMBERS[machine]["execve"]
    assert (verdict(one, ours, execve), verdict(many, ours, execve)) == (DENIED, ALLOW)
    for name in UNKNOWN:
        assert verdict(many, ours, NUMBERS[machine][name]) == NO_SUCH_CALL


@pytest.mark.parametrize("machine", MACHINES)
def test_signals_go_to_the_program_itself_alone(machine: str) -> None:
    ours, code = AUDIT[machine], filter_of(machine)
    for name in ("kill", "tgkill"):
        number = NUMBERS[machine][name]
        assert verdict(code, ours, number, [77]) == ALLOW
        assert {verdict(code, ours, number, [other & 0xFFFFFFFF]) for other in (0, 1, 78, -1, -77)} == {DENIED}
        assert verdict(filter_of(machine, signals=True), ours, number, [78]) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_about_sockets_and_descriptors(machine: str) -> None:
    ours, numbers, code = AUDIT[machine], NUMBERS[machine], filter_of(machine)
    pair, stream, closing, datagram = numbers["socketpair"], 1, 1 | 0o2000000, 2
    assert [verdict(code, ours, pair, [1, kind]) for kind in (stream, closing, datagram)] == [ALLOW, ALLOW, DENIED]
    assert verdict(code, ours, pair, [2, stream]) == DENIED
    assert verdict(code, ours, numbers["socket"], [1, 1]) == DENIED
    own = filter_of(machine, own_network=True)
    assert [verdict(own, ours, numbers["socket"], [family, 1]) for family in (1, 2, 10, 16, 17)] == [ALLOW] * 3 + [
        DENIED
    ] * 2
    set_owner, terminal_input, dumpable = (
        (numbers["fcntl"], [3, 8]),
        (numbers["ioctl"], [0, 0x5412]),
        (numbers["prctl"], [4]),
    )
    for number, arguments in (set_owner, terminal_input, dumpable):
        assert verdict(code, ours, number, arguments) == DENIED
    assert verdict(code, ours, numbers["prlimit64"], [0]) == ALLOW
    assert verdict(code, ours, numbers["prlimit64"], [os.getpid()]) == DENIED


def test_no_list_for_another_machine_is_no_filter() -> None:
    with pytest.raises(KeyError):
        filter_of("riscv64")


def test_a_folder_within_what_may_be_read_can_be_left_out(tmp_path: object) -> None:
    root = str(tmp_path)
    for name in ("a/b/hidden/c", "a/d", "e"):
        os.makedirs(f"{root}/{name}")
    whole, listed = namespaces.paths_without(root, [f"{root}/a/b/hidden"])
    assert sorted(whole) == [f"{root}/a/d", f"{root}/e"]
    assert sorted(listed) == [root, f"{root}/a", f"{root}/a/b"]
