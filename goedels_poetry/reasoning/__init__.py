"""Questions in plain language and logic programs: answers, and what they rest on."""

from goedels_poetry.reasoning.results import QueryResult, VerificationResult

__all__ = ["QueryResult", "VerificationResult"]
