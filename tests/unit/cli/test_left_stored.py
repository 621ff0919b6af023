"""What reverts left stored is in the JSON of campaigns and canaries as in that of experiments."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.campaign import Campaign, Canary
from ldap_workbench.cli import campaign, canary
from ldap_workbench.model.message import Message, as_json
from ldap_workbench.session.codec import from_json

WRITTEN = Path(__file__).parents[1] / "packaging" / "from_november_28"
LEFT = Message("{knob} was automatic; reverted, it is stored as {before}.", knob="a", before="1")


@pytest.mark.parametrize(
    ("command", "noun", "file"),
    [(campaign, Campaign, "campaigns.json"), (canary, Canary, "canaries.json")],
)
def test_what_is_left_stored_is_printed(command, noun, file, capsys):
    done = from_json(noun, (WRITTEN / file).read_text("utf-8"))
    command._print_end(replace(done, left_stored=(LEFT,)), Path("report.html"), json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed["left_stored"] == [str(LEFT)]
    assert printed["left_stored_messages"] == [as_json(LEFT)]
