"""The server's configuration.

A ``Config`` read with ``get_config()`` holds what the server sent. Attributes can be assigned,
with dicts or with the classes below, and ``set_config()`` sends the whole object back. What was
never set is not sent, so the server's own defaults apply; unknown keys survive both ways.
"""

from __future__ import annotations

from typing import Any

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SerializerFunctionWrapHandler,
    model_serializer,
)

from reflexio.enums import ExtractionPreset


class ConfigModel(BaseModel):
    """A part of the configuration: unset fields stay out of what is sent."""

    model_config = ConfigDict(extra="allow", validate_assignment=True)

    @model_serializer(mode="wrap")
    def _leave_out_what_was_never_set(self, dump: SerializerFunctionWrapHandler) -> dict[str, Any]:
        dumped: dict[str, Any] = dump(self)
        never_set = self._never_set()
        return {name: value for name, value in dumped.items() if name not in never_set}

    def _never_set(self) -> set[str]:
        return {
            name
            for name, field in type(self).model_fields.items()
            if name not in self.model_fields_set
            and getattr(self, name) == field.get_default(call_default_factory=True)
        }


class PlaybookAggregatorConfig(ConfigModel):
    """When and how user playbooks are clustered into agent playbooks."""

    min_cluster_size: int | None = None
    reaggregation_trigger_count: int | None = None
    clustering_similarity: float | None = None
    direction_overlap_threshold: float | None = None
    cluster_size_counts: str | None = None


class DeduplicationConfig(ConfigModel):
    """How similar playbooks are found and merged."""

    search_threshold: float | None = None
    search_top_k: int | None = None
    max_unified_content_chars: int | None = None


class PlaybookConfig(ConfigModel):
    """One type of playbook to extract from interactions.

    Example:
        >>> PlaybookConfig(
        ...     playbook_name="pain_points",
        ...     playbook_definition_prompt="Identify what frustrates the user.",
        ...     playbook_aggregator_config={"min_cluster_size": 3},
        ... ).playbook_aggregator_config.min_cluster_size
        3
    """

    playbook_name: str | None = None
    playbook_definition_prompt: str | None = None
    metadata_definition_prompt: str | None = None
    context_prompt: str | None = None
    tagging_definition_prompt: str | None = None
    playbook_aggregator_config: PlaybookAggregatorConfig | None = None
    deduplication_config: DeduplicationConfig | None = None
    allow_manual_trigger: bool | None = None
    request_sources_enabled: list[str] | None = None
    window_size_override: int | None = None
    stride_size_override: int | None = None


class UserPlaybookExtractorConfig(ConfigModel):
    """The first playbook type under older names; where both change, ``playbook_configs`` wins."""

    extractor_name: str | None = None
    extraction_definition_prompt: str | None = None
    context_prompt: str | None = None
    tagging_definition_prompt: str | None = None
    aggregation_config: PlaybookAggregatorConfig | None = None
    deduplication_config: DeduplicationConfig | None = None
    request_sources_enabled: list[str] | None = None
    window_size_override: int | None = None
    stride_size_override: int | None = None


class ProfileExtractorConfig(ConfigModel):
    """What is extracted into user profiles."""

    extractor_name: str | None = None
    extraction_definition_prompt: str | None = None
    context_prompt: str | None = None
    tagging_definition_prompt: str | None = None
    should_extract_profile_prompt_override: str | None = None
    request_sources_enabled: list[str] | None = None
    manual_trigger: bool | None = None
    allow_manual_trigger: bool | None = None
    window_size_override: int | None = None
    stride_size_override: int | None = None


class AgentSuccessConfig(ConfigModel):
    """How sessions are judged."""

    evaluation_name: str | None = None
    success_definition_prompt: str | None = None
    tagging_definition_prompt: str | None = None
    request_sources_enabled: list[str] | None = None
    sampling_rate: float | None = None
    evaluation_only_sampling_rate: float | None = None
    retrieved_learning_sampling_rate: float | None = None
    evaluation_delay_seconds: int | None = None
    window_size_override: int | None = None
    stride_size_override: int | None = None


class PlaybookOptimizerConfig(ConfigModel):
    """How the wording of playbooks is optimised."""

    enabled: bool | None = None
    optimize_agent_playbooks: bool | None = None
    optimize_user_playbooks: bool | None = None
    auto_update_pending_agent_playbooks: bool | None = None
    auto_update_user_playbooks: bool | None = None
    max_metric_calls: int | None = None
    max_turns: int | None = None
    early_stop_score: float | None = None
    reflection_minibatch_size: int | None = None
    max_validation_windows: int | None = None
    min_commit_windows: int | None = None
    min_commit_score: float | None = None
    min_commit_likert: int | None = None
    use_merge: bool | None = None
    max_merge_invocations: int | None = None
    reflection_model: str | None = None
    webhook_url: str | None = None
    webhook_auth_header: str | None = None
    webhook_timeout_seconds: int | None = None
    webhook_max_retries: int | None = None
    webhook_backoff_base_seconds: float | None = None
    assistant_script_path: str | None = None
    assistant_script_args: list[str] | None = None
    scheduler_jitter_seconds: float | None = None
    cooldown_after_aborts_seconds: int | None = None
    abort_cooldown_threshold: int | None = None


class LLMConfig(ConfigModel):
    """Which model does what."""

    should_run_model_name: str | None = None
    generation_model_name: str | None = None
    embedding_model_name: str | None = None
    pre_retrieval_model_name: str | None = None


class BudgetConfig(ConfigModel):
    """What models may cost at most, in US dollars; days are UTC."""

    per_day_usd: float | None = None
    per_run_usd: float | None = None


class ReviewConfig(ConfigModel):
    """How agent playbooks are reviewed.

    With ``another_key`` (the default) nobody approves or rejects what they wrote with the same key.
    """

    another_key: bool | None = None


class ToolUseConfig(ConfigModel):
    """A tool the agent has."""

    tool_name: str
    tool_description: str


class Config(ConfigModel):
    """The whole configuration.

    Example:
        >>> config = Config()
        >>> config.playbook_configs = [{"playbook_name": "pain_points"}]
        >>> config.model_dump()
        {'playbook_configs': [{'playbook_name': 'pain_points'}]}
    """

    storage_config: dict[str, Any] | None = None
    agent_context_prompt: str | None = None
    tool_can_use: list[ToolUseConfig] | None = None
    playbook_configs: list[PlaybookConfig] = Field(default_factory=list)
    profile_extractor_config: ProfileExtractorConfig | None = None
    user_playbook_extractor_config: UserPlaybookExtractorConfig | None = None
    agent_success_config: AgentSuccessConfig | None = None
    extraction_preset: ExtractionPreset | None = None
    window_size: int | None = None
    stride_size: int | None = None
    api_key_config: dict[str, Any] | None = None
    llm_config: LLMConfig | None = None
    budget_config: BudgetConfig | None = None
    review_config: ReviewConfig | None = None
    retrieval_floor: dict[str, Any] | None = None
    playbook_optimizer_config: PlaybookOptimizerConfig | None = None

    def to_wire(self) -> dict[str, Any]:
        """The configuration as it is sent; lists that were changed in place are checked again."""
        never_set = self._never_set()
        held = {name: value for name, value in self if name not in never_set}
        # The server wants to see this one key even when nothing is said about it.
        return {"storage_config": None, **Config.model_validate(held).model_dump(mode="json")}
