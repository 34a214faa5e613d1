"""Error answers become exceptions that carry the server's message."""

from __future__ import annotations

from email.utils import formatdate
from typing import Any

import httpx
import pytest
from support import ScriptedServer

import reflexio
from reflexio import FieldError, RateLimitError, ReflexioAPIError, ReflexioValidationError


def raised(status: int, body: Any, headers: dict[str, str] | None = None) -> ReflexioAPIError:
    server = ScriptedServer(httpx.Response(status, json=body, headers=headers))
    with pytest.raises(ReflexioAPIError) as caught:
        server.client().whoami()
    return caught.value


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, "BadRequestError"),
        (401, "AuthenticationError"),
        (403, "PermissionDeniedError"),
        (404, "NotFoundError"),
        (409, "ConflictError"),
        (413, "PayloadTooLargeError"),
        (422, "ReflexioValidationError"),
        (429, "RateLimitError"),
        (500, "ServerError"),
        (503, "ServerError"),
        (405, "ReflexioAPIError"),
    ],
)
def test_status_decides_the_class_and_the_message_is_kept(status: int, kind: str) -> None:
    error = raised(status, {"detail": "the server's own words"})
    assert type(error) is getattr(reflexio, kind)
    assert error.status_code == status
    assert error.detail == "the server's own words"
    assert str(error) == f"GET /api/whoami failed with {status}: the server's own words"


def test_validation_error_lists_each_field_and_message() -> None:
    error = raised(
        422,
        {
            "detail": [
                {"type": "missing", "loc": ["body", "user_id"], "msg": "Field required"},
                {
                    "type": "enum",
                    "loc": ["body", "interaction_data_list", 0, "user_action"],
                    "msg": "Input should be 'click'",
                },
                {"type": "extra_forbidden", "loc": ["window_sise"], "msg": "Not permitted"},
            ]
        },
    )
    assert isinstance(error, ReflexioValidationError)
    assert error.errors == [
        FieldError("user_id", "Field required"),
        FieldError("interaction_data_list.0.user_action", "Input should be 'click'"),
        FieldError("window_sise", "Not permitted"),
    ]
    assert "interaction_data_list.0.user_action: Input should be 'click'" in str(error)


def test_validation_error_of_update_config_is_read_too() -> None:
    error = raised(
        422,
        {
            "detail": {
                "error": "invalid partial config",
                "hint": "fetch the config and edit it",
                "validation_errors": [{"loc": ["window_size"], "msg": "must be positive"}],
            }
        },
    )
    assert isinstance(error, ReflexioValidationError)
    assert error.errors == [FieldError("window_size", "must be positive")]
    for part in ("invalid partial config", "window_size: must be positive", "fetch the config"):
        assert part in str(error)


@pytest.mark.parametrize(
    ("header", "expected"),
    [("12", 12.0), (None, None), ("soon", None), (formatdate(0, usegmt=True), 0.0)],
)
def test_rate_limit_tells_how_long_to_wait(header: str | None, expected: float | None) -> None:
    headers = {"retry-after": header} if header else None
    error = raised(429, {"error": "Rate limit exceeded: 10 per 1 minute"}, headers)
    assert isinstance(error, RateLimitError)
    assert error.retry_after == expected
    assert "10 per 1 minute" in str(error)


def test_correlation_id_of_the_server_is_kept() -> None:
    assert raised(500, {"detail": "x"}, {"x-correlation-id": "abc"}).request_id == "abc"


def test_sent_request_id_stands_in_for_a_missing_correlation_id() -> None:
    server = ScriptedServer(httpx.Response(500, text="boom"))
    with pytest.raises(ReflexioAPIError, match="boom") as caught:
        server.client().whoami()
    assert caught.value.request_id == server.requests[0].headers["x-request-id"]


@pytest.mark.parametrize(
    "response",
    [
        httpx.Response(200, text="<html>hello</html>"),
        httpx.Response(200, json=["not", "an", "object"]),
        httpx.Response(200, content=b""),
        httpx.Response(302, headers={"location": "https://elsewhere/"}),
    ],
)
def test_answer_of_some_other_server_is_called_unexpected(response: httpx.Response) -> None:
    with pytest.raises(reflexio.UnexpectedResponseError, match="base URL"):
        ScriptedServer(response).client().whoami()


def test_learning_status_without_a_status_is_unexpected() -> None:
    with pytest.raises(reflexio.UnexpectedResponseError, match="no `status`"):
        ScriptedServer({"state": "x"}).client().get_learning_status("r")


def test_every_exception_has_one_base() -> None:
    names = [name for name in reflexio.__all__ if name.endswith("Error") and name != "FieldError"]
    assert len(names) > 10
    for name in names:
        assert issubclass(getattr(reflexio, name), reflexio.ReflexioError)
