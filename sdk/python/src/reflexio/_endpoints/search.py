"""One search over everything that was learned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reflexio._call import Call, as_list, as_model, given
from reflexio._endpoint import as_coroutine, endpoint
from reflexio.enums import PlaybookStatus, SearchMode
from reflexio.models.interactions import ConversationTurn
from reflexio.models.responses import UnifiedSearchViewResponse


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
    ) -> Call[UnifiedSearchViewResponse]:
        """Profiles, user playbooks and agent playbooks that match a query.

        Args:
            query: What to look for.
            top_k: How many of each kind at most (5 unless given).
            threshold: Leave out matches that score less (0 to 1).
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
            session_id: The agent's session this search serves, for the server's log.
            interaction_id: The interaction this search serves, for the server's log.
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
            ),
            repeatable=True,
        )

    search_async = as_coroutine(search)
