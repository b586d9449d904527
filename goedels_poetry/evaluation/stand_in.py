"""A stand-in for a model: it knows the replies of some problems and gives them as often as its competence says.

With it the shape of success against budget, of pass@k and of ablations can be studied without a key, and the same seed
gives the same replies. It is no model of anybody's model: what it knows it was told, and its mistakes are of five
kinds. It speaks chat completions on a free port of this machine, so that everything on the way is the real thing.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import random
import re
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from goedels_poetry.evaluation.problems import Problem

MODEL = "stand-in"
_AT_A_LOSS = "I do not know how to do this."


@dataclass(frozen=True, slots=True)
class Competence:
    """How good the stand-in is.

    A problem of difficulty d is answered rightly with the chance ``share ** d``, each time that it is asked.
    """

    share: float
    """0: never right; 1: always."""
    seed: int = 0
    delay: float = 0.0
    """Seconds until a reply: the mean of an exponential distribution where ``tail`` is 0."""
    tail: float = 0.0
    """Index of a Pareto distribution for the delays, above 1: the smaller, the heavier its tail."""

    def __post_init__(self) -> None:
        if not 0 <= self.share <= 1:
            raise ValueError("competence is a share from 0 to 1")
        if self.tail and self.tail <= 1:
            raise ValueError("a tail index is above 1: else the delays have no mean")

    def reply(self, problem: Problem | None, prompt: str, number: int) -> tuple[str, float]:
        """What it says to a prompt, and after how many seconds; ``number``: how often it was asked this before."""
        chance = random.Random(_digest(self.seed, self.share, prompt, number))
        seconds = self._seconds(chance)
        if problem is None or not problem.reply:
            return _AT_A_LOSS, seconds
        right = chance.random() < self.share**problem.difficulty
        return problem.reply if right else wrong(problem.reply, chance), seconds

    def _seconds(self, chance: random.Random) -> float:
        if not self.delay:
            return 0.0
        if self.tail:  # with the mean that was asked for
            return self.delay * (self.tail - 1) / self.tail * chance.paretovariate(self.tail)
        return chance.expovariate(1 / self.delay)


def wrong(reply: str, chance: random.Random) -> str:
    """A reply that is wrong as models' replies are: cut off, beside the point, empty, slightly off."""
    match chance.randrange(5):
        case 0:
            return _AT_A_LOSS
        case 1:
            return reply[: max(1, int(len(reply) * chance.uniform(0.2, 0.8)))]
        case 2:
            return ""
        case 3:
            return "The theorem follows by a straightforward computation, which is left to the reader."
        case _:
            return _off(reply, chance)


def _off(reply: str, chance: random.Random) -> str:
    """The reply with one of its numbers changed, or one of its words where there is no number."""
    numbers = list(re.finditer(r"\d+", reply))
    places = numbers or list(re.finditer(r"[A-Za-z_]{3,}", reply))
    if not places:
        return _AT_A_LOSS
    place = chance.choice(places)
    instead = str(int(place[0]) + chance.choice((-2, -1, 1, 2, 7))) if numbers else f"{place[0]}'"
    return reply[: place.start()] + instead + reply[place.end() :]


def _digest(*parts: Any) -> int:
    return int.from_bytes(sha256(json.dumps(parts).encode()).digest()[:8], "big")


@dataclass
class StandIn:
    """The server; a context manager. `url` gives what ``--base-url`` takes."""

    competence: Competence
    problems: Sequence[Problem]
    port: int = 0
    asked: Counter[str] = field(default_factory=Counter)
    """Addresses with prompts, and how often each was asked."""

    def url(self, sample: int = 0) -> str:
        """An address for each sample, with replies of its own: they are the same whatever was asked elsewhere."""
        return f"http://127.0.0.1:{self.port}/{sample}/v1"

    def __enter__(self) -> StandIn:
        started = threading.Event()
        self._thread = threading.Thread(target=lambda: asyncio.run(self._serve(started)), daemon=True)
        self._thread.start()
        started.wait()
        return self

    def __exit__(self, *error: object) -> None:
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def problem_of(self, prompt: str) -> Problem | None:
        """The problem that a prompt is about: the one whose mark stands in it, and of several the longest mark's."""
        found = [problem for problem in self.problems if problem.reply and mark_of(problem) in prompt]
        return max(found, key=lambda problem: len(mark_of(problem)), default=None)

    async def _serve(self, started: threading.Event) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        open_now: set[asyncio.Task[Any]] = set()

        async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.current_task()
            assert task is not None
            open_now.add(task)
            try:
                while await self._one(reader, writer):
                    pass
            except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError, ValueError):
                pass  # whoever asks hung up, or speaks something else
            finally:
                open_now.discard(task)
                writer.close()

        server = await asyncio.start_server(connected, "127.0.0.1", 0, backlog=1000)
        self.port = server.sockets[0].getsockname()[1]
        started.set()
        await self._stop.wait()
        server.close()
        for task in tuple(open_now):
            task.cancel()
        await asyncio.gather(*open_now, return_exceptions=True)

    async def _one(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        length = re.search(r"^content-length:\s*(\d+)", head, re.IGNORECASE | re.MULTILINE)
        body = await reader.readexactly(int(length[1]) if length else 0)
        if not head.startswith("POST"):
            await _send(writer, {"object": "list", "data": [{"id": MODEL, "object": "model"}]})
            return True
        request = json.loads(body)
        prompt = "\n".join(str(message.get("content")) for message in request["messages"])
        here = f"{head.split(maxsplit=2)[1]} {prompt}"
        problem, texts, longest = self.problem_of(prompt), [], 0.0
        for _ in range(int(request.get("n") or 1)):
            text, seconds = self.competence.reply(problem, here, self.asked[here])
            self.asked[here] += 1
            texts.append(text)
            longest = max(longest, seconds)
        if longest:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._stop.wait(), longest)
        await _send(writer, _completion(request, prompt, texts))
        return True


def mark_of(problem: Problem) -> str:
    """What a prompt about a problem holds."""
    return problem.when or problem.name


def _completion(request: dict[str, Any], prompt: str, texts: Sequence[str]) -> dict[str, Any]:
    spoken = {"prompt_tokens": len(prompt.split()), "completion_tokens": sum(len(text.split()) for text in texts)}
    return {
        "id": MODEL,
        "object": "chat.completion",
        "created": 0,
        "model": request.get("model", MODEL),
        "choices": [
            {"index": n, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
            for n, text in enumerate(texts)
        ],
        "usage": {**spoken, "total_tokens": sum(spoken.values())},
    }


async def _send(writer: asyncio.StreamWriter, answer: Any) -> None:
    data = json.dumps(answer).encode()
    writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n" % len(data) + data)
    await writer.drain()
