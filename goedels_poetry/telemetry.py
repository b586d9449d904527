"""Spans of OpenTelemetry, in an application that has loaded it; elsewhere nothing is loaded, and nothing happens.

The names of attributes are those of its conventions for generative AI. No statement, prompt or reply is in any span.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from goedels_poetry.version import __version__

OURS = __name__.partition(".")[0]
"""The name of the tracer, and how our own attributes begin; those of the conventions begin with ``gen_ai.``."""


def _api() -> Any:
    return sys.modules.get("opentelemetry.trace")


def _named(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Attributes by their full names; what is empty is left out."""
    full = {name if "." in name else f"{OURS}.{name}": value for name, value in attributes.items()}
    return {name: value for name, value in full.items() if value not in (None, "")}


@contextmanager
def span(name: str, attributes: Mapping[str, Any], *, client: bool = False) -> Iterator[dict[str, Any]]:
    """Inside, a span is the current one; what is put into the dict that is handed out becomes attributes at its end.

    Args:
        name: of a kind of work, never of one theorem.
        attributes: numbers and texts.
        client: whether it is a request to another program.
    """
    api, more = _api(), dict[str, Any]()
    if api is None:
        yield more
        return
    kind = api.SpanKind.CLIENT if client else api.SpanKind.INTERNAL
    tracer = api.get_tracer(OURS, __version__)
    with tracer.start_as_current_span(name, kind=kind, attributes=_named(attributes)) as current:
        try:
            yield more
        finally:
            current.set_attributes(_named(more))
            if more.get("error.type"):
                current.set_status(api.StatusCode.ERROR, str(more["error.type"]))


def past_span(name: str, seconds: float, attributes: Mapping[str, Any]) -> None:
    """A span that ends now: of work in another process, which has measured it."""
    if (api := _api()) is not None:
        now = time.time_ns()
        tracer = api.get_tracer(OURS, __version__)
        tracer.start_span(name, start_time=now - int(seconds * 1e9), attributes=_named(attributes)).end(now)


def span_event(name: str, attributes: Mapping[str, Any]) -> None:
    """Something that has happened in the current span."""
    if (api := _api()) is not None:
        api.get_current_span().add_event(name, _named(attributes))
