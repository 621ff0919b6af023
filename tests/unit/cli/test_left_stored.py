"""What reverts left stored, and what is in force, is in the JSON of campaigns and canaries."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from ldap_workbench.campaign.canary import Canary
from ldap_workbench.campaign.state import Campaign
from ldap_workbench.cli import campaign, canary
from ldap_workbench.model.message import Message, as_json
from ldap_workbench.session.codec import from_json

WRITTEN = Path(__file__).parents[1] / "packaging" / "from_november_28"
LEFT = Message("{knob} was automatic; reverted, it is stored as {before}.", knob="a", before="1")


BOTH = pytest.mark.parametrize(
    ("command", "noun", "file"),
    [(campaign, Campaign, "campaigns.json"), (canary, Canary, "canaries.json")],
)


@BOTH
def test_what_is_left_stored_is_printed(command, noun, file, capsys):
    done = from_json(noun, (WRITTEN / file).read_text("utf-8"))
    command._print_end(replace(done, left_stored=(LEFT,)), Path("report.html"), json=True)
    printed = json.loads(capsys.readouterr().out)
    assert printed["left_stored"] == [str(LEFT)]
    assert printed["left_stored_messages"] == [as_json(LEFT)]


@BOTH
def test_what_is_in_force_is_printed_with_the_time_it_was_read(command, noun, file, capsys):
    said = (
        Message("{name}: in force: {value}.", name="a", value="2"),
        Message("Read back from the server at {time:time}.", time=1_790_000_000 * 10**9),
    )
    done = replace(from_json(noun, (WRITTEN / file).read_text("utf-8")), in_force=said)
    command._print_end(done, Path("report.html"), json=True)
    assert json.loads(capsys.readouterr().out)["in_force"] == [str(line) for line in said]
    command._print_end(done, Path("report.html"), json=False)
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("a: in force: 2.")
    assert lines[at + 1].startswith("Read back from the server at 2026-09-21")
