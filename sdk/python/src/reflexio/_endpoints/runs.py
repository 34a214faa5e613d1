"""Operations that changed what was learned, and undoing them."""

from __future__ import annotations

from reflexio._call import Call, as_model, query_of
from reflexio._endpoint import endpoint
from reflexio.enums import RunState
from reflexio.models.runs import GetRunResponse, GetRunsResponse, UndoRunResponse


class RunEndpoints:
    """Methods that show runs and take them back."""

    @endpoint
    def get_runs(
        self,
        kind: str | None = None,
        state: RunState | str | None = None,
        limit: int | None = None,
        offset: int | None = None,
    ) -> Call[GetRunsResponse]:
        """Runs of your org, latest first.

        Args:
            kind: Only those of this kind, such as ``upgrade`` or ``aggregation``.
            state: Only those that stand, or that were undone.
            limit: How many (100 unless given, 1000 at most).
            offset: How many to pass over.

        Example:
            >>> for run in client.get_runs(kind="aggregation").runs:
            ...     print(run.run_id, run.added, run.retired, run.cost_usd)
        """
        return Call(
            "GET",
            "/api/runs",
            as_model(GetRunsResponse),
            query=query_of(kind=kind, state=state, limit=limit, offset=offset),
            repeatable=True,
        )

    @endpoint
    def get_run(
        self, run_id: str, limit: int | None = None, offset: int | None = None
    ) -> Call[GetRunResponse]:
        """One run with what it changed (100 changes unless ``limit`` is given, 1000 at most)."""
        return Call(
            "GET",
            f"/api/runs/{run_id}",
            as_model(GetRunResponse),
            query=query_of(limit=limit, offset=offset),
            repeatable=True,
        )

    @endpoint
    def undo_run(self, run_id: str, dry_run: bool = False) -> Call[UndoRunResponse]:
        """Put every row of a run back as it was before, or none.

        It is refused with a ``ReflexioAPIError`` (409) if a row was changed since; with ``dry_run``
        nothing happens and ``blocked`` tells which rows stand in the way. The undo is itself a run
        (``run``): undoing that one brings the other back.

        Example:
            >>> undone = client.undo_run(run_id)
            >>> client.undo_run(undone.run.run_id)  # redo
        """
        return Call(
            "POST",
            f"/api/runs/{run_id}/undo",
            as_model(UndoRunResponse),
            query=query_of(dry_run="true" if dry_run else None),
            changes_data=not dry_run,
        )
