"""One search over everything that was learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reflexio._call import Call, as_list, as_model, given, query_of
from reflexio._endpoint import as_coroutine, endpoint
from reflexio.enums import PlaybookStatus, SearchMode
from reflexio.models.interactions import ConversationTurn
from reflexio.models.responses import (
    ContextResponse,
    EmbeddingStatusResponse,
    RebuildEmbeddingsResponse,
    UnifiedSearchViewResponse,
)


class SearchEndpoints:
    """The method an agent calls before it answers."""

    @endpoint
    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        threshold: float | None = None,
        agent_version: str | None = None,
        playbook_name: str | None = None,
        user_id: str | None = None,
        source: str | None = None,
        tags: Sequence[str] | None = None,
        entity_types: Sequence[str] | None = None,
        agent_playbook_status_filter: Sequence[PlaybookStatus | str]
        | PlaybookStatus
        | str
        | None = None,
        conversation_history: Sequence[ConversationTurn | Mapping[str, str]] | None = None,
        enable_reformulation: bool | None = None,
        enable_agent_answer: bool | None = None,
        search_mode: SearchMode | str | None = None,
        request_id: str | None = None,
        session_id: str | None = None,
        interaction_id: int | None = None,
        skip_served: bool | None = None,
        include_covered: bool | None = None,
        explain: bool | None = None,
        recency: float | None = None,
    ) -> Call[UnifiedSearchViewResponse]:
        """Profiles, user playbooks and agent playbooks that match a query.

        Args:
            query: What to look for.
            top_k: How many of each kind at most (5 unless given).
            threshold: The least similarity of a row that has none of the words (0 to 1).
            agent_version: Only playbooks of this agent version.
            playbook_name: Only playbooks of this type.
            user_id: Only this user's profiles and user playbooks.
            source: Only from this source.
            tags: Only with these tags.
            entity_types: Any of ``profiles``, ``user_playbooks``, ``agent_playbooks``.
            agent_playbook_status_filter: Which agent playbooks, by approval.
            conversation_history: Earlier turns as ``{"role": …, "content": …}``.
            enable_reformulation: Let the server rewrite the query first.
            enable_agent_answer: Let the server compose an answer from what it found.
            search_mode: ``vector``, ``fts`` or ``hybrid`` (the default).
            request_id: The agent's request this search serves, for the server's log.
            session_id: The agent's session this search serves: it gets each row once, and the rules
                it gets are noted.
            interaction_id: The interaction this search serves, for the server's log.
            skip_served: False gives the session rows again that it has.
            include_covered: True also shows user playbooks that an agent playbook of the answer
                says already.
            explain: Show what each score is made of, as ``score_parts``.
            recency: How much newer rows gain (0 to 1).
        """
        return Call(
            "POST",
            "/api/search",
            as_model(UnifiedSearchViewResponse),
            body=given(
                query=query,
                top_k=top_k,
                threshold=threshold,
                agent_version=agent_version,
                playbook_name=playbook_name,
                user_id=user_id,
                source=source,
                tags=as_list(tags),
                entity_types=as_list(entity_types),
                agent_playbook_status_filter=as_list(agent_playbook_status_filter),
                conversation_history=as_list(conversation_history),
                enable_reformulation=enable_reformulation,
                enable_agent_answer=enable_agent_answer,
                search_mode=search_mode,
                request_id=request_id,
                session_id=session_id,
                interaction_id=interaction_id,
                skip_served=skip_served,
                include_covered=include_covered,
                explain=explain,
                recency=recency,
            ),
            repeatable=True,
        )

    search_async = as_coroutine(search)

    @endpoint
    def get_context(
        self,
        user_id: str | None = None,
        query: str | None = None,
        *,
        agent_version: str | None = None,
        playbook_name: str | None = None,
        token_budget: int | None = None,
        session_id: str | None = None,
        include_covered: bool | None = None,
    ) -> Call[ContextResponse]:
        """The block to put into the agent's prompt: rules and what is known about the user.

        What does not depend on the query comes first, so that a prompt cache holds. Publish
        ``learnings`` as ``retrieved_learnings`` to let the server learn what helped.

        Args:
            user_id: Whose profiles and playbooks; without it only what holds for everybody.
            query: What the agent is asked now.
            agent_version: Only rules of this agent version.
            playbook_name: Only rules of this type.
            token_budget: The most tokens, estimated (1500 unless given).
            session_id: The session as it is published: tells later what the rules did
                (:meth:`agent_playbook_impact`). It changes nothing in the block.
            include_covered: True also shows user playbooks that a rule in the block says already.
        """
        return Call(
            "GET",
            "/api/context",
            as_model(ContextResponse),
            query=query_of(
                user_id=user_id,
                query=query,
                agent_version=agent_version,
                playbook_name=playbook_name,
                token_budget=token_budget,
                session_id=session_id,
                include_covered=include_covered,
            ),
            repeatable=True,
        )

    @endpoint
    def get_embedding_status(self) -> Call[EmbeddingStatusResponse]:
        """How far rows are on their way to be found by meaning."""
        return Call("GET", "/api/embeddings", as_model(EmbeddingStatusResponse), repeatable=True)

    @endpoint
    def rebuild_embeddings(self) -> Call[RebuildEmbeddingsResponse]:
        """Make all vectors of the org anew, in the background."""
        return Call(
            "POST",
            "/api/embeddings/rebuild",
            as_model(RebuildEmbeddingsResponse),
            body={},
            changes_data=True,
        )
