"""An A/B experiment: one treatment, windows with and without it, a verdict, keep or revert.

A state machine without a screen. In come a connected Target, a Tuner, a SessionWriter and a Plan;
every state is durable in the session before it is acted upon and every change in the journal
before it goes out, so that a crash at any point is continued or reverted at the next start.
"""

from ldap_workbench.experiment.aftermath import insisted
from ldap_workbench.experiment.capture_job import Captured, CaptureJob, fetch_into
from ldap_workbench.experiment.description import describe
from ldap_workbench.experiment.experiment_job import ExperimentJob
from ldap_workbench.experiment.foresight import foresee
from ldap_workbench.experiment.judge import (
    judge,
    judge_chosen,
    judge_sessions,
    judge_windows,
    verdict_of_today,
)
from ldap_workbench.experiment.plan import (
    check_differs,
    make_plan,
    parse_design,
    parse_looks,
)
from ldap_workbench.experiment.run import Decision, ExperimentRun
from ldap_workbench.experiment.settings import remember_settings

__all__ = [
    "CaptureJob",
    "Captured",
    "Decision",
    "ExperimentJob",
    "ExperimentRun",
    "check_differs",
    "describe",
    "fetch_into",
    "foresee",
    "insisted",
    "judge",
    "judge_chosen",
    "judge_sessions",
    "judge_windows",
    "make_plan",
    "parse_design",
    "parse_looks",
    "remember_settings",
    "verdict_of_today",
]
