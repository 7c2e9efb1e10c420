"""Who or what ended a Harbor trial, from the name of the exception it recorded.

Harbor stores the exception's class name and nothing of its meaning; the meaning is decided here, with the
words Harbor uses for it (its `failure_cause` is never written to disk). A name that is not in the table is
`unclassified`: names are matched alone, so a guess would blame the wrong party.
"""

from __future__ import annotations

from adjudge.contracts import ErrorTag
from adjudge.scoring import mechanical

PREFIX = "harbor: "
REGRADE = "regrade"
UNCLASSIFIED = "unclassified"
VERIFIER_TIMEOUT = "VerifierTimeoutError"

_CAUSES = {
    "sandbox failed": """
        AddTestsDirError AgentSetupTimeoutError DownloadVerifierDirError EnvironmentStartTimeoutError
        GKEExecStreamClosedError GKEPodNotFoundError HealthcheckError MemoryLimitExceededError
        RuntimeRequestError SSHAccessError SandboxBuildFailedError SandboxError
        SandboxLikelyOutOfMemoryError""",
    "model provider failed": """
        APIConnectionError APIError APIResponseValidationError AgentAuthenticationError
        ApiConnectionClosedError ApiConnectionError ApiError ApiInternalServerError ApiOverloadedError
        ApiProviderResourceNotFoundError ApiRateLimitError ApiResponseStalledError ApiUsageLimitError
        AuthenticationError BadRequestError BudgetExceededError InternalServerError ModelNotFoundError
        NetworkConnectionError NotFoundError PermissionDeniedError RateLimitError ServiceUnavailableError
        Timeout UnknownApiError UnprocessableEntityError UnsupportedParamsError""",
    "harbor failed": """
        DspyImportError MissingExtraError RegradeError ServiceOperationsUnsupportedError VercelScopeError""",
    "agent exhausted budget": """
        AgentTimeoutError ContextLengthExceededError ContextWindowExceededError OutputLengthExceededError
        OutputTokenExceededError""",
    "agent refused task": "AgentSafetyRefusalError ContentPolicyViolationError",
    "verifier failed": """
        RewardFileEmptyError RewardFileNotFoundError VerifierOutputParseError VerifierTimeoutError""",
    "cancelled": "CancelledError",
}
_BY_NAME = {name: cause for cause, names in _CAUSES.items() for name in names.split()}


def cause_of(exception_type: str) -> str:
    """The cause, in words; `unclassified` for a name that says nothing by itself."""
    return _BY_NAME.get(exception_type, UNCLASSIFIED)


def cause_tag(exception_type: str, message: str, *, step: str | None = None) -> ErrorTag:
    """The mechanical tag for an exception that Harbor recorded."""
    where = f"step {step!r}: " if step is not None else ""
    return harbor_tag(cause_of(exception_type), f"{where}{exception_type}: {message}"[:2000])


def harbor_tag(category: str, description: str) -> ErrorTag:
    """A mechanical tag in Harbor's corner of the categories."""
    return mechanical(PREFIX + category, description)
