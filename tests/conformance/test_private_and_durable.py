"""Secrets stay secret, acknowledged data survives a crash, and many callers at once are served."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from reflexio import AgentPlaybook, UserPlaybook

from conversations import THREE_TURNS
from observing import Api, ObservedClient
from server_process import NoServer, Server, start, stop

SECRET = "sk-conformance-f00dfeedcafe"
PRIVATE = "my doctor is called Ignatius Quellmalz"


@pytest.fixture
def restartable(tmp_path: Path):
    """Starts a server on the same directory again and again; the last one is stopped at the end."""
    running: list[Server] = []

    def launch() -> Server:
        try:
            running.append(start(tmp_path))
        except NoServer as error:
            pytest.fail(f"cannot test without a server: {error}", pytrace=False)
        return running[-1]

    yield launch
    for server in running:
        stop(server.process)


def everything_on_disk(server: Server) -> bytes:
    return b"".join(
        path.read_bytes() for path in sorted(server.data_dir.rglob("*")) if path.is_file()
    )


def fill(client: ObservedClient) -> None:
    client.publish_interaction("ann", THREE_TURNS, session_id="s")
    client.add_user_profile([{"user_id": "ann", "content": "Prefers tea"}])
    client.add_user_playbook(
        [UserPlaybook(user_id="ann", agent_version="v", request_id="r", content="Offer tea first")]
    )
    client.add_agent_playbooks(
        [
            AgentPlaybook(
                agent_version="v", content="Ask before offering tea", playbook_status="approved"
            )
        ]
    )


def read_back(client: ObservedClient) -> list[list[str]]:
    answers = [
        client.search_interactions(user_id="ann", query="delivery").interactions,
        client.search_user_profiles(user_id="ann", query="tea").user_profiles,
        client.search_user_playbooks(user_id="ann", query="tea").user_playbooks,
        client.search_agent_playbooks(agent_version="v", query="tea").agent_playbooks,
    ]
    return [[row.content for row in rows] for rows in answers]


def test_what_was_acknowledged_survives_a_kill_and_is_still_found(restartable):
    first = restartable()
    fill(ObservedClient(first.base_url))
    before = read_back(ObservedClient(first.base_url))
    first.process.kill()
    first.process.wait()
    second = ObservedClient(restartable().base_url)
    assert all(before)
    assert read_back(second) == before
    assert len(second.get_interactions(user_id="ann").interactions) == 3


def test_the_configuration_survives_a_restart(restartable):
    first = restartable()
    ObservedClient(first.base_url).update_config(
        {
            "window_size": 14,
            "playbook_configs": [{"playbook_name": "tone", "playbook_definition_prompt": "p"}],
        }
    )
    stop(first.process)
    config = ObservedClient(restartable().base_url).get_config().model_dump()
    assert config["window_size"] == 14
    assert [row["playbook_name"] for row in config["playbook_configs"]] == ["tone"]


def test_with_a_master_key_provider_keys_are_on_disk_in_no_readable_form(new_server):
    server = new_server(env={"REFLEXIO_MASTER_KEY": "a long text that only the operator knows"})
    client = ObservedClient(server.base_url)
    client.update_config({"api_key_config": {"openai": {"api_key": SECRET}}})
    assert client.get_config().api_key_config.openai.api_key
    assert SECRET.encode() not in everything_on_disk(server)


def test_what_is_stored_can_be_read_by_its_owner_only(own_client, own_server):
    own_client.update_config({"api_key_config": {"openai": {"api_key": SECRET}}})
    files = [path for path in own_server.data_dir.rglob("*") if path.is_file()]
    shared = {path.name: oct(path.stat().st_mode & 0o777) for path in files}
    assert not {name: mode for name, mode in shared.items() if int(mode, 8) & 0o077}


def test_provider_keys_are_not_written_to_the_log(own_client, own_server):
    own_client.update_config({"api_key_config": {"openai": {"api_key": SECRET}}})
    own_client.get_config()
    assert SECRET not in own_server.log.read_text(errors="replace")


def test_conversations_are_not_written_to_the_log(own_client, own_server):
    own_client.publish_interaction(
        "ann", [{"content": PRIVATE}], session_id="s", wait_for_response=True
    )
    own_client.add_user_profile([{"user_id": "ann", "content": PRIVATE}])
    own_client.search(query=PRIVATE, user_id="ann")
    assert "Quellmalz" not in own_server.log.read_text(errors="replace")


def test_a_second_server_refuses_a_directory_in_use_or_shares_it_safely(restartable, tmp_path):
    first = ObservedClient(restartable().base_url)
    first.publish_interaction("ann", THREE_TURNS, session_id="s")
    try:
        second = start(tmp_path)
    except NoServer:
        return
    try:
        assert (
            len(ObservedClient(second.base_url).get_interactions(user_id="ann").interactions) == 3
        )
    finally:
        stop(second.process)


def test_many_writers_and_readers_at_once_are_all_served(server, name):
    users = [f"{name('user')}-{number}" for number in range(8)]

    def work(user: str) -> list[int]:
        api = Api(server.base_url)
        codes = []
        for number in range(20):
            rows = [{"content": f"note {number}"}]
            codes.append(
                api.publish(user_id=user, session_id=user, interaction_data_list=rows).status_code
            )
            codes.append(
                api.post("/api/search_interactions", {"user_id": user, "query": "note"}).status_code
            )
        return codes

    with ThreadPoolExecutor(8) as pool:
        codes = [code for result in pool.map(work, users) for code in result]
    assert set(codes) == {200}
    assert [len(Api(server.base_url).stored_interactions(user)) for user in users] == [20] * 8
