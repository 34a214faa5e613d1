"""Publishing interactions, and asking what became of them."""

from __future__ import annotations

import logging
import uuid
import warnings
from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

import httpx
from pydantic import BaseModel

from reflexio._call import Call, given, query_of
from reflexio._endpoint import as_coroutine, endpoint
from reflexio.models.interactions import InteractionData
from reflexio.models.responses import PublishUserInteractionResponse

logger = logging.getLogger("reflexio")

Publishable: TypeAlias = InteractionData | Mapping[str, Any] | Iterable[Any]


class PublishingEndpoints:
    """Methods that send interactions to Reflexio."""

    @endpoint
    def publish_interaction(
        self,
        user_id: str,
        interactions: Publishable,
        source: str = "",
        agent_version: str | None = None,
        session_id: str | None = None,
        wait_for_response: bool = False,
        skip_aggregation: bool = False,
        force_extraction: bool = False,
        evaluation_only: bool = False,
        override_learning_stall: bool = False,
        request_id: str | None = None,
        retrieval_experiment_id: str | None = None,
        retrieval_experiment_arm: str | None = None,
    ) -> Call[PublishUserInteractionResponse]:
        """Publish what happened between a user and the agent.

        When this returns, the server has stored the interactions. A connection lost midway is no
        problem: the call is repeated under the same ``request_id``, and the server stores it once.

        Args:
            user_id: The user the interactions belong to.
            interactions: Dicts or ``InteractionData``, one or several; nested lists are flattened.
            source: Where they come from, such as ``support_chat``.
            agent_version: The agent's version; the server's default is ``agent-v0``.
            session_id: Groups calls into one session; left out, the call is its own session.
            wait_for_response: Learn before answering, so that the answer has real counts.
            skip_aggregation: Learn, but start no aggregation from it.
            force_extraction: Learn now, even if the window is not full.
            evaluation_only: Store and evaluate, but learn nothing.
            override_learning_stall: Learn even though learning is stalled.
            request_id: Your own identifier for the call; one is made up otherwise.
            retrieval_experiment_id: The retrieval experiment the session belongs to.
            retrieval_experiment_arm: ``treatment`` or ``holdout``.

        Example:
            >>> client.publish_interaction(
            ...     user_id="user_123",
            ...     interactions=[
            ...         {"role": "User", "content": "How do I reset my password?"},
            ...         {"role": "Agent", "content": "Settings > Security > Reset Password."},
            ...     ],
            ...     source="support_chat",
            ...     agent_version="v2.1.0",
            ... )
        """
        entries = list(_flattened(interactions))
        rows = [_row(entry) for entry in entries if entry is not ...]
        if len(rows) < len(entries):
            warnings.warn(
                "`...` in `interactions` is a placeholder and was skipped",
                UserWarning,
                stacklevel=3,
            )
        sent_id = request_id or uuid.uuid4().hex
        return Call(
            "POST",
            "/api/publish_interaction",
            _parse_publish,
            body=given(
                request_id=sent_id,
                user_id=user_id,
                interaction_data_list=rows,
                source=source,
                agent_version=agent_version,
                session_id=session_id,
                skip_aggregation=skip_aggregation,
                force_extraction=force_extraction,
                evaluation_only=evaluation_only,
                override_learning_stall=override_learning_stall,
                retrieval_experiment_id=retrieval_experiment_id,
                retrieval_experiment_arm=retrieval_experiment_arm,
            ),
            query={"wait_for_response": "true"} if wait_for_response else {},
            changes_data=True,
            repeatable=True,
            after_repeat=lambda answer: _stored_by_the_lost_attempt(answer, sent_id),
            answer=_nothing_to_publish() if entries and not rows else None,
        )

    publish_interaction_async = as_coroutine(publish_interaction)

    @endpoint
    def get_learning_status(self, request_id: str) -> Call[str]:
        """How far learning from one publish call is.

        Returns ``pending``, ``processing``, ``done`` or ``not_tracked``. Raises ``NotFoundError``
        when the server does not know the request.
        """
        return Call(
            "GET",
            "/api/learning_status",
            _parse_learning_status,
            query=query_of(request_id=request_id),
            repeatable=True,
        )


def _flattened(interactions: Any) -> Iterable[Any]:
    if interactions is ... or isinstance(interactions, (Mapping, BaseModel)):
        yield interactions
    elif isinstance(interactions, (str, bytes)) or not isinstance(interactions, Iterable):
        kind = type(interactions).__name__
        raise TypeError(f"an interaction must be a dict or InteractionData, not {kind}")
    else:
        for entry in interactions:
            yield from _flattened(entry)


def _row(entry: Mapping[str, Any] | BaseModel) -> dict[str, Any]:
    if not isinstance(entry, BaseModel):
        return dict(entry)
    row = entry.model_dump(mode="json", exclude_defaults=True)
    if isinstance(entry, InteractionData):
        row["created_at"] = entry.created_at
    return row


def _parse_publish(response: httpx.Response) -> PublishUserInteractionResponse:
    answer = PublishUserInteractionResponse.model_validate_json(response.content)
    for warning in answer.warnings:
        logger.warning("publish_interaction: %s", warning)
    return answer


def _stored_by_the_lost_attempt(
    answer: PublishUserInteractionResponse, request_id: str
) -> PublishUserInteractionResponse:
    if not answer.duplicate:
        return answer
    return answer.model_copy(update={"success": True, "request_id": request_id})


def _nothing_to_publish() -> PublishUserInteractionResponse:
    return PublishUserInteractionResponse(
        success=False,
        message="nothing was published: `interactions` holds only the placeholder `...`",
    )


def _parse_learning_status(response: httpx.Response) -> str:
    body = response.json()
    if not isinstance(body, dict) or "status" not in body:
        raise ValueError("the answer has no `status`")
    return str(body["status"])
