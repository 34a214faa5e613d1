"""Rows that learning would produce, added by hand.

The documents read user playbooks and agent playbooks that the learning engine extracts from
conversations. That engine is a later part of the server, so these rows are its stand-in; they are
the only thing here that a user of the documents would not do.
"""

from __future__ import annotations

import time

from reflexio import AgentPlaybook, PlaybookStatus, ReflexioClient, Status, UserPlaybook

HOUR = 3600
DAY = 24 * HOUR


def user_playbook(name: str, version: str, number: int, age: int = HOUR) -> UserPlaybook:
    """One row; two consecutive numbers share a request."""
    return UserPlaybook(
        user_id=f"learner_{number}",
        agent_version=version,
        request_id=f"request_{name}_{version}_{number // 2}",
        playbook_name=name,
        created_at=int(time.time()) - age,
        content=f"{name} lesson {number} for {version}: "
        + "confirm every step with the user. " * 8,
        trigger="a user asks for help",
    )


def add_learned_rows(client: ReflexioClient) -> None:
    """User playbooks of several types, versions, ages and statuses; agent playbooks to review."""
    rows = [user_playbook("response_quality", "v2.1.0", number) for number in range(8)]
    rows += [user_playbook("response_quality", "v2.0.0", number) for number in range(4)]
    rows += [user_playbook("pain_points", "v2.1.0", number) for number in range(3)]
    rows += [user_playbook("task_completion", "v2.0.0", number, 3 * DAY) for number in range(2)]
    rows += [user_playbook("user_sentiment", "v1.9.0", 0, 10 * DAY)]
    for number, status in enumerate([Status.PENDING, Status.PENDING, Status.ARCHIVED]):
        row = user_playbook("task_completion", "v2.1.0", number)
        rows.append(row.model_copy(update={"status": status}))
    client.add_user_playbook(rows)
    client.add_agent_playbooks(
        [
            AgentPlaybook(
                playbook_name=name,
                agent_version=version,
                content=f"{name} rule {number}",
                playbook_metadata=metadata,
            )
            for number, (name, version, metadata) in enumerate(
                [
                    ("response_quality", "v2.1.0", '{"quality_score": 4}'),
                    ("response_quality", "v2.1.0", ""),
                    ("response_quality", "v2.0.0", ""),
                    ("pain_points", "v2.1.0", ""),
                    ("pain_points", "v2.1.0", ""),
                ]
            )
        ]
    )
    by_content = {row.content: row for row in client.get_agent_playbooks().agent_playbooks}
    for content, decision in [
        ("response_quality rule 0", PlaybookStatus.APPROVED),
        ("response_quality rule 1", PlaybookStatus.REJECTED),
        ("pain_points rule 3", PlaybookStatus.APPROVED),
    ]:
        playbook_id = by_content[content].agent_playbook_id
        client.update_agent_playbook_status(playbook_id, decision)
