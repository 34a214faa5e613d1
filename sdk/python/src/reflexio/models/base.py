"""What every record on the wire has in common."""

from __future__ import annotations

import time
from typing import Any

from pydantic import BaseModel, ConfigDict, model_validator


class WireModel(BaseModel):
    """A record that stays readable when the server knows more, or says less, than this SDK.

    Unknown fields are kept as attributes. A ``null`` stands for "not given": the field's default
    is used.
    """

    model_config = ConfigDict(extra="allow", populate_by_name=True)

    @model_validator(mode="before")
    @classmethod
    def _null_means_not_given(cls, data: Any) -> Any:
        if not isinstance(data, dict):
            return data
        return {key: value for key, value in data.items() if value is not None}


class Response(WireModel):
    """An answer of the server that reports success or failure."""

    success: bool = False


def now_epoch_seconds() -> int:
    """The current time as the API counts it."""
    return int(time.time())
