"""The list of settings: advised ones first, then in groups, with values in words."""

from dataclasses import replace

import pytest

from ldap_workbench.figures.overview.knobs import Advised, columns, differs, listed, worded_value
from ldap_workbench.model.knob import Group, KnobReading
from ldap_workbench.model.message import Message
from ldap_workbench.tuning.catalogue import load_catalogue

KNOBS = {knob.name: knob for knob in load_catalogue("389ds").knobs}


def reading(name, value="1", effective=None):
    return KnobReading(KNOBS[name], "", value, effective)


def cell(heading, row):
    [column] = [column for column in columns({}) if str(column.heading) == heading]
    return str(column.text(row))


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("nsslapd-threadnumber", "threads"),
        ("nsslapd-cachememsize", "caches"),
        ("nsslapd-idlistscanlimit", "indexes"),
        ("nsslapd-db-checkpoint-interval", "database"),
        ("nsslapd-accesslog-logbuffering", "logs"),
        ("nsslapd-sizelimit", "limits"),
        ("nsslapd-changelogmaxage", "replication"),
        ("pamModuleIsThreadSafe", "others"),
        ("vm.swappiness", "host"),
    ],
)
def test_a_setting_is_in_a_group(name, group):
    assert cell("Group", reading(name)) == group


def test_advised_settings_come_first_and_groups_follow_each_other():
    names = [
        "vm.swappiness",
        "nsslapd-sizelimit",
        "nsslapd-idlistscanlimit",
        "nsslapd-cachememsize",
    ]
    readings = [reading(name) for name in names]
    advice = {("nsslapd-sizelimit", ""): Advised("2", Message("Fewer."))}
    assert [row.knob.name for row in listed(readings, advice)] == [
        "nsslapd-sizelimit", "nsslapd-cachememsize", "nsslapd-idlistscanlimit", "vm.swappiness",
    ]  # fmt: skip
    same = {("nsslapd-sizelimit", ""): Advised("1", Message("It has that."))}
    assert listed(readings, same)[0].knob.name == "nsslapd-cachememsize"


def test_minus_one_is_said_in_words_where_it_is_known_what_it_means():
    assert str(worded_value(KNOBS["nsslapd-sizelimit"], "-1")) == "unlimited"
    assert str(worded_value(KNOBS["nsslapd-threadnumber"], "-1")) == "automatic"
    assert str(worded_value(KNOBS["referint-update-delay"], "-1")) == "not at all"
    assert str(worded_value(KNOBS["nsslapd-malloc-mxfast"], "-10")) == "left to the library"
    assert str(worded_value(KNOBS["nsslapd-sizelimit"], "2000")) == "2000 entries"
    assert str(worded_value(replace(KNOBS["nsslapd-sizelimit"], special=None), "-1")).startswith(
        "-1"
    )


@pytest.mark.parametrize(
    ("name", "value", "deviates"),
    [
        ("nsslapd-threadnumber", "-1", False),
        ("nsslapd-threadnumber", "16", False),  # -1 reads back as the number it came to
        ("nsslapd-maxthreadsperconn", "7", True),
        ("nsslapd-import-cache-autosize", "-1", False),
        ("nsslapd-import-cache-autosize", "10", True),
        ("nsslapd-sizelimit", "-1", True),  # unlimited is a decision
    ],
)
def test_what_the_server_may_have_chosen_itself_is_no_deviation(name, value, deviates):
    assert differs(reading(name, value)) is deviates


@pytest.mark.parametrize("product", ["389ds", "openldap", "opendj"])
def test_every_setting_says_its_group(product):
    for knob in load_catalogue(product).knobs:
        assert (knob.group is Group.HOST) == knob.on_host, knob.name


def test_an_automatic_number_is_shown_beside_the_word():
    assert cell("Now", reading("nsslapd-threadnumber", "-1", "16")) == "automatic (16 threads)"
    assert cell("Now", reading("nsslapd-threadnumber", "-1")) == "automatic"
