"""A connection to a Ray cluster: one on this machine alone, the one this machine belongs to, or one at an address."""

from __future__ import annotations

import importlib
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from goedels_poetry.errors import MissingTool, one_line
from goedels_poetry.search.machine.background import stopping_signals
from goedels_poetry.solvers.limits import processors

INSTALL = "pip install 'goedels-poetry-prover[ray]'"
PATIENCE = 5.0
"""Seconds until an address counts as one where nothing is."""
LOCAL, AUTO = "local", "auto"
_QUIETLY = {"log_to_driver": False, "configure_logging": False, "logging_level": logging.ERROR}
_ON_LOOPBACK = {"RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER": "0", "RAY_worker_niceness": "0"}
"""With the first Ray takes 127.0.0.1 for the address of this machine, and its servers listen there alone (see
`get_node_ip_address` in Ray's services.py); the argument that looks made for this is replaced by a reachable address.
With the second workers are no less urgent than others on the machine."""
_PRINTS = ("ray._private.worker", "print_to_stdstream")
"""Of a node that is lost it tells pages, whatever one asks it for, where our results go."""
_AUTH_MODE, _TOKEN_FILE = "RAY_AUTH_MODE", "~/.ray/auth_token"
"""Of Ray, see https://docs.ray.io/en/latest/ray-security/token-auth.html."""
_SILENT = {"RAY_USAGE_STATS_ENABLED": "0"}
"""Nothing about a run is sent to anybody."""


class ClusterError(MissingTool):
    """There is no cluster to work on, or none of its nodes can do the work. The message says what to do."""


@contextmanager
def opened(where: str) -> Iterator[Any]:
    """The module ``ray``, connected while inside. A connection that the caller has made already is used, and left.

    Args:
        where: "local": a cluster of this machine alone, ended on leaving. "auto": the cluster that this machine is part
            of, or that RAY_ADDRESS names. Else HOST:PORT of a cluster that this machine is part of.

    Raises:
        ClusterError: Ray is not installed, or nothing answers.
    """
    _check(where)
    there = sys.modules.get("ray")
    if there is not None and there.is_initialized():
        with _without(*_PRINTS):
            yield there
        return
    if where == LOCAL:
        os.environ.update(_ON_LOOPBACK)
    os.environ.update(_SILENT)
    try:
        ray = importlib.import_module("ray")
    except ImportError as problem:
        raise ClusterError(f"--cluster needs Ray, which is not installed here ({problem}): {INSTALL}") from None
    logging.getLogger("ray").setLevel(logging.ERROR)  # its remarks are for the person who runs the cluster
    with _our_handlers():
        try:
            with _our_handlers():
                _start(ray, where)
            with _without(*_PRINTS):
                yield ray
        finally:
            ray.shutdown()


@contextmanager
def _our_handlers() -> Iterator[None]:
    """On leaving, signals are handled as before: Ray replaces what is there."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in stopping_signals()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _start(ray: Any, where: str) -> None:
    """Connect; raises `ClusterError`."""
    for last in (False, True) if where == LOCAL else (True,):
        try:
            _init(ray, where)
            return
        except (Exception, SystemExit) as problem:  # noqa: BLE001 - of many kinds, and each is one line for a person
            ray.shutdown()
            if last or "timed out during startup" not in str(problem):  # its 30 s are few on a busy machine
                raise ClusterError(_reason(where, problem)) from None


@contextmanager
def _without(module: str, name: str) -> Iterator[None]:
    """Inside, a function of Ray's does nothing, for which there is no setting."""
    there = importlib.import_module(module)
    function = getattr(there, name, None)
    if function is not None:
        setattr(there, name, lambda *given, **more: None)
    try:
        yield
    finally:
        if function is not None:
            setattr(there, name, function)


def _init(ray: Any, where: str) -> None:
    if where == LOCAL:
        ray.init(address=LOCAL, num_cpus=processors(), include_dashboard=False, **_QUIETLY)
    else:
        ray.init(address=where, **_QUIETLY)


def _check(where: str) -> None:
    """Raise ClusterError for what is no address, or one where nothing answers: Ray would wait for minutes."""
    if where in (LOCAL, AUTO):
        return
    if where.startswith("ray://"):
        raise ClusterError(
            f"--cluster {where}: run the command on a machine of the cluster, with HOST:PORT or auto; "
            "Ray's client protocol is not used"
        )
    host, _, port = where.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ClusterError(f"--cluster {where!r}: auto, local, or HOST:PORT as `ray start --head` prints it")
    try:
        socket.create_connection((host.strip("[]"), int(port)), PATIENCE).close()
    except OSError as problem:
        why = problem.strerror or str(problem)
        raise ClusterError(
            f"--cluster {where}: nothing answers there ({why}); is the head node up? `ray start --head` starts one"
        ) from None


def _reason(where: str, problem: BaseException) -> str:
    words = one_line(problem)
    if where == AUTO and isinstance(problem, ConnectionError):
        return (
            "--cluster auto: this machine is part of no Ray cluster that runs; `ray start --head` begins one, "
            "`ray start --address=HOST:PORT` joins one, and --cluster local needs none"
        )
    if isinstance(problem, ConnectionError):
        return (
            f"--cluster {where}: the head node there lets us not in. If the cluster has a token, put what "
            f"`ray get-auth-token` prints on its head into {_TOKEN_FILE} and set {_AUTH_MODE}=token, or use --cluster "
            "auto on a machine that is part of it"
        )
    if "ersion mismatch" in str(problem):
        return f"--cluster {where}: install the versions that the cluster has of Ray and Python: {words}"
    return f"--cluster {where}: {words}"
