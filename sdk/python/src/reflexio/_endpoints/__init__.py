"""Every endpoint of the API, described once, grouped by noun."""

from __future__ import annotations

from reflexio._endpoints.agent_playbooks import AgentPlaybookEndpoints
from reflexio._endpoints.analytics import AnalyticsEndpoints
from reflexio._endpoints.configuration import ConfigurationEndpoints
from reflexio._endpoints.costs import CostEndpoints
from reflexio._endpoints.evaluations import EvaluationEndpoints
from reflexio._endpoints.injections import InjectionEndpoints
from reflexio._endpoints.interactions import InteractionEndpoints
from reflexio._endpoints.jobs import JobEndpoints
from reflexio._endpoints.operations import OperationEndpoints
from reflexio._endpoints.optimizations import OptimizationEndpoints
from reflexio._endpoints.playbook_runs import PlaybookRunEndpoints
from reflexio._endpoints.profiles import ProfileEndpoints
from reflexio._endpoints.publishing import PublishingEndpoints
from reflexio._endpoints.runs import RunEndpoints
from reflexio._endpoints.search import SearchEndpoints
from reflexio._endpoints.server import ServerEndpoints
from reflexio._endpoints.shadow import ShadowEndpoints
from reflexio._endpoints.user_playbooks import UserPlaybookEndpoints


class AllEndpoints(
    PublishingEndpoints,
    InteractionEndpoints,
    ProfileEndpoints,
    UserPlaybookEndpoints,
    AgentPlaybookEndpoints,
    SearchEndpoints,
    OperationEndpoints,
    JobEndpoints,
    RunEndpoints,
    CostEndpoints,
    EvaluationEndpoints,
    ShadowEndpoints,
    OptimizationEndpoints,
    InjectionEndpoints,
    AnalyticsEndpoints,
    PlaybookRunEndpoints,
    ConfigurationEndpoints,
    ServerEndpoints,
):
    """What both clients can do."""
