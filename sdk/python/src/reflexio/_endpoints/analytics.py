"""What the playbooks of an org look like from above."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from reflexio._call import Call, as_list, as_model, iso_time, query_of
from reflexio._endpoint import endpoint
from reflexio.models.analytics import (
    PlaybookAnalyticsResponse,
    PlaybookHealthResponse,
    PlaybookReviewResponse,
    VersionAnalyticsResponse,
)


def _versions(versions: Sequence[str] | str | None) -> str | None:
    return None if versions is None else ",".join(as_list(versions) or [])


class AnalyticsEndpoints:
    """Methods that count on the server, so that nothing has to be downloaded for it."""

    @endpoint
    def get_playbook_analytics(
        self,
        days: int | None = None,
        playbook_name: str | None = None,
        agent_version: Sequence[str] | str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
    ) -> Call[PlaybookAnalyticsResponse]:
        """User and agent playbooks by type, version, status and day.

        Args:
            days: The last so many days count as recent (7 unless given).
            playbook_name: Only playbooks of this type.
            agent_version: Only playbooks of this version, or of these.
            start_time: From when on playbooks count as recent, instead of ``days``.
            end_time: Until when they count as recent.

        Example:
            >>> counts = client.get_playbook_analytics(days=30).user_playbooks
            >>> print(counts.total, counts.recent, counts.daily_average)
        """
        return Call(
            "GET",
            "/api/analytics/playbooks",
            as_model(PlaybookAnalyticsResponse),
            query=query_of(
                days=days,
                playbook_name=playbook_name,
                agent_version=_versions(agent_version),
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
            ),
            repeatable=True,
        )

    @endpoint
    def compare_agent_versions(
        self,
        versions: Sequence[str] | str | None = None,
        playbook_name: str | None = None,
        days: int | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
    ) -> Call[VersionAnalyticsResponse]:
        """Agent versions beside each other: what their requests taught.

        Args:
            versions: Which versions, in this order; all unless given.
            playbook_name: Only playbooks of this type.
            days: The last so many days (7 unless given).
            start_time: From when on, instead of ``days``.
            end_time: Until when.

        Example:
            >>> for version in client.compare_agent_versions(["v2.0.0", "v2.1.0"]).versions:
            ...     print(version.agent_version, version.playbooks, version.unique_requests)
        """
        return Call(
            "GET",
            "/api/analytics/versions",
            as_model(VersionAnalyticsResponse),
            query=query_of(
                agent_version=_versions(versions),
                playbook_name=playbook_name,
                days=days,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
            ),
            repeatable=True,
        )

    @endpoint
    def get_playbook_review(
        self,
        days: int | None = None,
        playbook_name: str | None = None,
        agent_version: Sequence[str] | str | None = None,
        limit: int | None = None,
    ) -> Call[PlaybookReviewResponse]:
        """What is new, and which agent playbooks wait longest for a person.

        Args:
            days: New within the last so many days (7 unless given).
            playbook_name: Only playbooks of this type.
            agent_version: Only playbooks of this version, or of these.
            limit: How many waiting ones are listed (50 unless given, 1000 at most).
        """
        return Call(
            "GET",
            "/api/analytics/review",
            as_model(PlaybookReviewResponse),
            query=query_of(
                days=days,
                playbook_name=playbook_name,
                agent_version=_versions(agent_version),
                limit=limit,
            ),
            repeatable=True,
        )

    @endpoint
    def get_playbook_health(
        self, min_daily: int | None = None, pending_days: int | None = None
    ) -> Call[PlaybookHealthResponse]:
        """Whether playbooks come, are learned and reviewed as they should.

        Args:
            min_daily: So many new user playbooks are expected in 24 hours.
            pending_days: Proposals are decided within so many days (7 unless given).

        Example:
            >>> health = client.get_playbook_health(min_daily=10)
            >>> for check in health.checks:
            ...     print(check.status, check.name, check.message)
        """
        return Call(
            "GET",
            "/api/analytics/health",
            as_model(PlaybookHealthResponse),
            query=query_of(min_daily=min_daily, pending_days=pending_days),
            repeatable=True,
        )
