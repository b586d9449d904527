"""The chat model that roles use: `ChatOpenAI`, with chat completions sent straight over HTTP."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun
from langchain_core.messages import BaseMessage
from langchain_core.outputs import ChatResult
from langchain_openai.chat_models.base import ChatOpenAI
from pydantic import PrivateAttr

from goedels_poetry.models.faults import UnusableAnswer


class RefusedRequest(Exception):
    """The server answered with a status that is no success."""

    def __init__(self, response: Any) -> None:
        super().__init__(_words(response))
        self.response = response
        self.status_code: int = response.status_code
        self.body: str = response.text[:5000]


class StraightChat(ChatOpenAI):
    """What langchain-openai makes of messages and of answers, without the client in between.

    The client spends 1.5 ms of processor time on converting each request and each answer between forms that are
    the same on both sides; with a hundred requests at once that is longer than a short reply takes. The Responses
    API and streams still go through it.
    """

    _key: str = PrivateAttr(default="")

    def with_key(self, key: str) -> StraightChat:
        """Send this key; "" sends none."""
        self._key = key
        return self

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        payload = self._get_request_payload(messages, stop=stop, **kwargs)
        if self._use_responses_api(payload):
            return await super()._agenerate(messages, stop, run_manager, **kwargs)
        body = payload | (payload.pop("extra_body", None) or {})
        headers = {"authorization": f"Bearer {self._key}"} if self._key else {}
        http: Any = self.http_async_client
        response = await http.post(
            f"{self.openai_api_base}/chat/completions",
            json=body,
            headers={**headers, **(self.default_headers or {})},
            timeout=None,  # who asks bounds the whole request; the client's own limit would end it earlier
        )
        if not response.is_success:
            raise RefusedRequest(response)
        try:
            answer = response.json()
        except ValueError:
            kind = response.headers.get("content-type", "").partition(";")[0].strip()
            what = "not JSON" if kind.endswith("json") else f"of the content type {kind[:60]!r}, not JSON"
            raise UnusableAnswer(f"the server's answer is {what}") from None
        if not isinstance(answer, dict) or not answer.get("choices"):
            raise UnusableAnswer(f"the server's answer holds no reply: {str(answer)[:200]}")
        return self._create_chat_result(answer)


def _words(response: Any) -> str:
    """What the server says about its refusal, in whichever of the usual forms; of a redirection, where it leads."""
    elsewhere = response.headers.get("location")
    if response.is_redirect and elsewhere:
        return f"it sends requests on to {elsewhere[:200]!r}, and none is sent there: name that address if it is right"
    try:
        said = response.json()
    except ValueError:
        return str(response.text[:300]).strip() or "no reason given"
    if isinstance(said, dict):
        said = said.get("error") or said.get("detail") or said.get("message") or said
    if isinstance(said, dict):
        said = said.get("message") or said
    return str(said)[:300]
