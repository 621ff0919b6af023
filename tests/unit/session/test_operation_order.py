"""Operations come in the order of their result lines, in whatever order they were written."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np

from ldap_workbench.model.experiment import Step
from ldap_workbench.model.window import SourceKind
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests import sessions


def test_operations_written_out_of_order_are_read_in_the_order_of_the_log(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    with SessionWriter.create(tmp_path / "s.ldapwb", sessions.FACTS) as writer:
        window = sessions._window(0, Step("", -1), 5)
        operations = sessions._operations(rng, window, 20, 1.0, hostile=False)
        places = rng.permutation(len(operations))
        operations = replace(operations, result_at=places, request_at=places)
        writer.next_id("capture_window")
        writer.put_window(window)
        source = sessions._source(writer, window, SourceKind.ACCESS_LOG, "access")
        writer.put_source(source)
        writer.add_operations(source.id, operations)
    with Session.open(tmp_path / "s.ldapwb") as session:
        read = session.operations(session.windows()[0])
    assert read.result_at.tolist() == list(range(len(operations)))
    assert read.op.tolist() == operations.op[np.argsort(places)].tolist()
    assert read.wqtime_ns.tolist() == operations.wqtime_ns.tolist()
