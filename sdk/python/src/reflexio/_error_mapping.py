"""Turns an HTTP error answer into the exception that describes it."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime
from typing import Any

import httpx

from reflexio import errors

_BY_STATUS: dict[int, type[errors.ReflexioAPIError]] = {
    400: errors.BadRequestError,
    401: errors.AuthenticationError,
    403: errors.PermissionDeniedError,
    404: errors.NotFoundError,
    409: errors.ConflictError,
    413: errors.PayloadTooLargeError,
}
_LONGEST_QUOTE = 500


def error_from(response: httpx.Response, sent_request_id: str) -> errors.ReflexioAPIError:
    """The exception for an answer whose status is not 2xx."""
    status = response.status_code
    request_id = correlation_id(response, sent_request_id)
    if response.is_redirect:
        return unexpected(
            response, f"redirect to `{response.headers.get('location')}` not followed", request_id
        )
    detail = _detail(response)
    field_errors = list(_field_errors(detail))
    text = f"{response.request.method} {response.request.url.path} failed with {status}: "
    text += _sentence(detail, field_errors) or response.reason_phrase
    if status == 422:
        return errors.ReflexioValidationError(
            text, status_code=status, detail=detail, request_id=request_id, errors=field_errors
        )
    if status == 429:
        return errors.RateLimitError(
            text,
            status_code=status,
            detail=detail,
            request_id=request_id,
            retry_after=_retry_after(response),
        )
    default = errors.ServerError if status >= 500 else errors.ReflexioAPIError
    kind = _BY_STATUS.get(status, default)
    return kind(text, status_code=status, detail=detail, request_id=request_id)


def unexpected(
    response: httpx.Response, problem: str, request_id: str | None
) -> errors.UnexpectedResponseError:
    """The exception for an answer that a Reflexio server would not give."""
    url = response.request.url
    return errors.UnexpectedResponseError(
        f"unexpected answer from {url} (status {response.status_code}): {problem}; "
        "does the base URL point to a Reflexio server?",
        status_code=response.status_code,
        detail=response.text[:_LONGEST_QUOTE],
        request_id=request_id,
    )


def correlation_id(response: httpx.Response, sent_request_id: str) -> str:
    """The identifier under which the server's log knows the call."""
    return str(response.headers.get("x-correlation-id") or sent_request_id)


def _detail(response: httpx.Response) -> Any:
    try:
        body = response.json()
    except ValueError:
        return response.text[:_LONGEST_QUOTE]
    if not isinstance(body, dict):
        return body
    for key in ("detail", "error", "message", "msg"):
        if key in body:
            return body[key]
    return body


def _field_errors(detail: Any) -> Iterable[errors.FieldError]:
    found = detail.get("validation_errors") if isinstance(detail, dict) else detail
    for entry in found if isinstance(found, list) else []:
        if isinstance(entry, dict) and "msg" in entry:
            yield errors.FieldError(_field_path(entry.get("loc")), str(entry["msg"]))


def _field_path(location: Any) -> str:
    if not isinstance(location, list):
        return ""
    parts = location[1:] if location and location[0] in ("body", "query", "path") else location
    return ".".join(str(part) for part in parts)


def _sentence(detail: Any, field_errors: list[errors.FieldError]) -> str:
    listed = "; ".join(str(error) for error in field_errors)
    if isinstance(detail, dict):
        parts = [str(detail.get("error") or ""), listed, str(detail.get("hint") or "")]
        return "; ".join(part for part in parts if part) or str(detail)
    if listed:
        return listed
    return str(detail) if detail else ""


def _retry_after(response: httpx.Response) -> float | None:
    value = response.headers.get("retry-after")
    if value is None:
        return None
    try:
        return float(value)
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=timezone.utc)
    return max(0.0, (moment - datetime.now(timezone.utc)).total_seconds())
