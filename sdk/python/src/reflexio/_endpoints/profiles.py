"""Reading, searching, adding and deleting user profiles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from reflexio._call import (
    Call,
    as_list,
    as_model,
    epoch_seconds,
    given,
    iso_time,
    query_of,
    rows_of,
)
from reflexio._endpoint import endpoint
from reflexio.enums import ProfileTimeToLive, SearchMode, Status
from reflexio.models.operations import BulkDeleteResponse, DeleteUserProfileResponse
from reflexio.models.profiles import ADDED_BY_HAND, UserProfile
from reflexio.models.responses import (
    AddUserProfileResponse,
    GetProfilesViewResponse,
    ProfileChangeLogViewResponse,
    SearchProfilesViewResponse,
)


class ProfileEndpoints:
    """Methods about what Reflexio knows of users."""

    @endpoint
    def get_profiles(
        self,
        user_id: str,
        *,
        profile_id: str | None = None,
        query: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        top_k: int | None = None,
        source: str | None = None,
        profile_time_to_live: ProfileTimeToLive | str | None = None,
        status_filter: Sequence[Status | str | None] | Status | str | None = None,
        tags: Sequence[str] | None = None,
        force_refresh: bool = False,
    ) -> Call[GetProfilesViewResponse]:
        """One user's profiles, most recently changed first.

        The answer is remembered for ten minutes, or until this client changes something.

        Args:
            user_id: The user.
            profile_id: Only this profile.
            query: Only profiles that match these words.
            start_time: Nothing changed before this time.
            end_time: Nothing changed after this time.
            top_k: How many at most (30 unless given).
            source: Only from this source.
            profile_time_to_live: Only with this life time.
            status_filter: Only with one of these statuses; ``None`` in the list means current,
                and no filter means current too.
            tags: Only with these tags.
            force_refresh: Ask the server even if the answer is remembered.
        """
        return Call(
            "POST",
            "/api/get_profiles",
            as_model(GetProfilesViewResponse),
            body=given(
                user_id=user_id,
                profile_id=profile_id,
                query=query,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                top_k=top_k,
                source=source,
                profile_time_to_live=profile_time_to_live,
                status_filter=as_list(status_filter),
                tags=as_list(tags),
            ),
            cached=True,
            force_refresh=force_refresh,
            repeatable=True,
        )

    @endpoint
    def get_all_profiles(
        self,
        limit: int = 100,
        *,
        status_filter: Status | str | None = None,
        user_id: str | None = None,
        profile_id: str | None = None,
        query: str | None = None,
        source: str | None = None,
        profile_time_to_live: ProfileTimeToLive | str | None = None,
        start_time: datetime | int | None = None,
        end_time: datetime | int | None = None,
    ) -> Call[GetProfilesViewResponse]:
        """Profiles of all users.

        Args:
            limit: How many at most.
            status_filter: ``current``, ``pending`` or ``archived``.
            user_id: Only this user's.
            profile_id: Only this profile.
            query: Only profiles that match these words.
            source: Only from this source.
            profile_time_to_live: Only with this life time.
            start_time: Nothing changed before this time (a datetime or epoch seconds).
            end_time: Nothing changed after this time (a datetime or epoch seconds).
        """
        return Call(
            "GET",
            "/api/get_all_profiles",
            as_model(GetProfilesViewResponse),
            query=query_of(
                limit=limit,
                status_filter=status_filter,
                user_id=user_id,
                profile_id=profile_id,
                query=query,
                source=source,
                profile_time_to_live=profile_time_to_live,
                start_time=epoch_seconds(start_time),
                end_time=epoch_seconds(end_time),
            ),
            repeatable=True,
        )

    @endpoint
    def search_user_profiles(
        self,
        user_id: str,
        query: str | None = None,
        *,
        generated_from_request_id: str | None = None,
        request_id: str | None = None,
        session_id: str | None = None,
        start_time: datetime | str | None = None,
        end_time: datetime | str | None = None,
        top_k: int | None = None,
        source: str | None = None,
        custom_feature: str | None = None,
        extractor_name: str | None = None,
        tags: Sequence[str] | None = None,
        threshold: float | None = None,
        enable_reformulation: bool | None = None,
        search_mode: SearchMode | str | None = None,
    ) -> Call[SearchProfilesViewResponse]:
        """One user's profiles that match a query. ``search_profiles`` is the same method.

        Args:
            user_id: The user.
            query: What to look for.
            generated_from_request_id: Only profiles learned from this publish call.
            request_id: The agent's request this search serves, for the server's log.
            session_id: The agent's session this search serves, for the server's log.
            start_time: Nothing changed before this time.
            end_time: Nothing changed after this time.
            top_k: How many at most (10 unless given).
            source: Only from this source.
            custom_feature: Only with this text in the custom features.
            extractor_name: Only from this extractor.
            tags: Only with these tags.
            threshold: Leave out matches that score less (0 to 1).
            enable_reformulation: Let the server rewrite the query first.
            search_mode: ``vector``, ``fts`` or ``hybrid`` (the default).

        Example:
            >>> client.search_profiles(
            ...     user_id="user_123", query="technical issues", source="support_ticket"
            ... )
        """
        return Call(
            "POST",
            "/api/search_profiles",
            as_model(SearchProfilesViewResponse),
            body=given(
                user_id=user_id,
                query=query,
                generated_from_request_id=generated_from_request_id,
                request_id=request_id,
                session_id=session_id,
                start_time=iso_time(start_time),
                end_time=iso_time(end_time),
                top_k=top_k,
                source=source,
                custom_feature=custom_feature,
                extractor_name=extractor_name,
                tags=as_list(tags),
                threshold=threshold,
                enable_reformulation=enable_reformulation,
                search_mode=search_mode,
            ),
            repeatable=True,
        )

    search_profiles = search_user_profiles

    @endpoint
    def add_user_profile(
        self, user_profiles: Iterable[UserProfile | Mapping[str, Any]] | UserProfile
    ) -> Call[AddUserProfileResponse]:
        """Add profiles by hand; each needs a ``user_id`` and a ``content``.

        Example:
            >>> client.add_user_profile([{"user_id": "user_123", "content": "Lives in Berlin"}])
        """
        profiles = [
            UserProfile.model_validate({"source": ADDED_BY_HAND, **profile})
            if isinstance(profile, Mapping)
            else profile
            for profile in as_list(user_profiles) or []
        ]
        return Call(
            "POST",
            "/api/add_user_profile",
            as_model(AddUserProfileResponse),
            body={"user_profiles": rows_of(profiles)},
            changes_data=True,
        )

    @endpoint
    def delete_profile(
        self,
        user_id: str,
        profile_id: str = "",
        search_query: str = "",
        wait_for_response: bool = False,
    ) -> Call[DeleteUserProfileResponse | None]:
        """Delete a profile, in the background unless ``wait_for_response`` is true.

        Args:
            user_id: The user.
            profile_id: The profile to delete, or
            search_query: words that match what is to be deleted.
            wait_for_response: Wait for the server's answer and return it.
        """
        return Call(
            "DELETE",
            "/api/delete_profile",
            as_model(DeleteUserProfileResponse),
            body={"user_id": user_id, "profile_id": profile_id, "search_query": search_query},
            changes_data=True,
            detached=not wait_for_response,
        )

    @endpoint
    def delete_profiles_by_ids(self, profile_ids: Iterable[str]) -> Call[BulkDeleteResponse]:
        """Delete several profiles."""
        return Call(
            "DELETE",
            "/api/delete_profiles_by_ids",
            as_model(BulkDeleteResponse),
            body={"profile_ids": as_list(profile_ids)},
            changes_data=True,
        )

    @endpoint
    def delete_all_profiles(self) -> Call[BulkDeleteResponse]:
        """Delete every profile of every user."""
        return Call(
            "DELETE", "/api/delete_all_profiles", as_model(BulkDeleteResponse), changes_data=True
        )

    @endpoint
    def get_profile_change_log(self) -> Call[ProfileChangeLogViewResponse]:
        """What changed in users' profiles, request by request."""
        return Call(
            "GET",
            "/api/profile_change_log",
            as_model(ProfileChangeLogViewResponse),
            repeatable=True,
        )
