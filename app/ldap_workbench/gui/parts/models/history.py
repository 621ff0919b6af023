"""What was tried on servers: one line an experiment that ended."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject

from ldap_workbench.experiment.history import Tried
from ldap_workbench.figures.formats import ratio, ratio_interval, seconds
from ldap_workbench.figures.names import metric_name
from ldap_workbench.figures.overview.history import (
    campaign_of,
    outcome_of,
    ratio_known,
    took_ns,
    verdict_of,
)
from ldap_workbench.figures.table import Column
from ldap_workbench.gui.parts.models.table import RowsModel
from ldap_workbench.model.experiment import State
from ldap_workbench.model.message import Message, verbatim
from ldap_workbench.model.metric import PrimaryMetric
from ldap_workbench.model.server_identity import known_as
from ldap_workbench.model.units import NS_PER_S, format_time


class HistoryModel(RowsModel[Tried]):
    """Newest first, as they are handed in."""

    def __init__(self, rows: Sequence[Tried] = (), parent: QObject | None = None) -> None:
        super().__init__(COLUMNS, rows, parent)


def _is_kept(tried: Tried) -> bool:
    return tried.state == State.KEPT.value


def _metric(tried: Tried) -> Message:
    primary = PrimaryMetric.parse(tried.metric)
    return metric_name(primary.metric, primary.type)


COLUMNS = (
    Column[Tried](
        Message("When (UTC)"), lambda t: format_time(t.began_ns)[:16], lambda t: t.began_ns
    ),
    Column[Tried](
        Message("Server"), lambda t: known_as(t.profile, t.server), tip=lambda t: t.server
    ),
    Column[Tried](Message("Treatment"), lambda t: " + ".join(t.treatment), strong=_is_kept),
    Column[Tried](Message("Verdict"), verdict_of, tip=_metric, strong=_is_kept),
    Column[Tried](verbatim("B / A"), lambda t: ratio(ratio_known(t)), ratio_known, number=True),
    Column[Tried](Message("Interval"), lambda t: ratio_interval(t.low, t.high), number=True),
    Column[Tried](Message("Outcome"), outcome_of, strong=_is_kept),
    Column[Tried](Message("Took"), lambda t: seconds(took_ns(t) / NS_PER_S), took_ns, number=True),
    Column[Tried](Message("Campaign"), campaign_of, tip=lambda t: t.campaign),
    Column[Tried](Message("Session"), lambda t: t.session),
)
