"""Everything that can go wrong, as exceptions whose text carries the server's message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


class ReflexioError(Exception):
    """The base of every exception this SDK raises on purpose."""


class ReflexioConnectionError(ReflexioError):
    """The server could not be reached, or the connection was lost.

    ``url`` is the address that was tried.
    """

    def __init__(self, message: str, *, url: str) -> None:
        super().__init__(message)
        self.url = url


class ReflexioTimeoutError(ReflexioConnectionError, TimeoutError):
    """The server did not answer within the client's timeout."""


class OperationTimeoutError(ReflexioError, TimeoutError):
    """A long-running operation was not finished in the time the caller was ready to wait.

    The server goes on with it; ``client.get_operation_status()`` tells how far it is.
    """


class OperationFailedError(ReflexioError):
    """A call whose answer nobody waits for was answered with ``success: false``."""


class ReflexioAPIError(ReflexioError):
    """The server answered with an error.

    ``status_code`` is the HTTP status, ``detail`` the body's explanation as the server sent it,
    ``request_id`` the identifier under which the server's log knows the call.
    """

    def __init__(
        self, message: str, *, status_code: int, detail: Any = None, request_id: str | None = None
    ) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.detail = detail
        self.request_id = request_id


class BadRequestError(ReflexioAPIError):
    """400: the request makes no sense to the server."""


class AuthenticationError(ReflexioAPIError):
    """401: the API key is missing or wrong."""


class PermissionDeniedError(ReflexioAPIError):
    """403: the API key does not allow this."""


class NotFoundError(ReflexioAPIError):
    """404: there is no such row, or no such path."""


class ConflictError(ReflexioAPIError):
    """409: the server's state does not allow this now."""


class PayloadTooLargeError(ReflexioAPIError):
    """413: the request body is larger than the server accepts."""


@dataclass(frozen=True)
class FieldError:
    """One thing that is wrong with a request: where, and what."""

    field: str
    message: str

    def __str__(self) -> str:
        return f"{self.field}: {self.message}" if self.field else self.message


class ReflexioValidationError(ReflexioAPIError):
    """422: the server understood the request and found it invalid.

    ``errors`` lists each wrong field with its message.
    """

    def __init__(
        self,
        message: str,
        *,
        status_code: int,
        detail: Any = None,
        request_id: str | None = None,
        errors: list[FieldError] | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code, detail=detail, request_id=request_id)
        self.errors = errors or []


class RateLimitError(ReflexioAPIError):
    """429: too many calls. ``retry_after`` is the number of seconds to wait, when known."""

    def __init__(
        self,
        message: str,
        *,
        status_code: int,
        detail: Any = None,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message, status_code=status_code, detail=detail, request_id=request_id)
        self.retry_after = retry_after


class ServerError(ReflexioAPIError):
    """5xx: the server failed."""


class UnexpectedResponseError(ReflexioAPIError):
    """The answer is not one a Reflexio server gives; the base URL may point somewhere else."""
