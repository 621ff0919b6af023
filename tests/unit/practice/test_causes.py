"""Lessons that begin with a complaint: their cause is in the model, its remedy ends it."""

import re
from collections import Counter

import numpy as np
import pytest

from ldap_workbench.model.errors import UsageError
from ldap_workbench.practice.model.configuration import Configuration
from ldap_workbench.practice.model.scenario import load_scenario, scenario_names
from tests.unit.practice.simulated import simulate
from tests.unit.practice.test_accesslog import history

CAUSES = [name for name in scenario_names() if load_scenario(name).finding]
ANSWERS = (
    "pool", "index", "memberof", "alwaysrecordlogin", "plug-in", "read-ahead", "cache", "thread",
    "hash", "referential", "nothing is wrong",
)  # fmt: skip
PORTAL = "cn=portal,ou=services,dc=example,dc=com"


@pytest.mark.parametrize("name", scenario_names())
def test_a_complaint_comes_first_and_the_answer_last(name):
    lesson = load_scenario(name)
    shown = f"{lesson.title} {lesson.about}".lower()
    assert len(lesson.hints) >= 3
    for word in ANSWERS:
        assert word not in shown
    settings = {each.knob for each in lesson.treatment.settings}
    assert any(each.lower() in str(lesson.hints[-2:]).lower() for each in settings)


def test_the_causes_that_are_met_most_have_a_lesson():
    """tests/live/findings/test_practice_causes.py takes each, and finds its cause first."""
    taught = {load_scenario(name).finding for name in scenario_names()}
    assert {"no_pooling", "memberof_storm", "unindexed", "login_writes"} <= taught


@pytest.mark.parametrize("name", CAUSES)
def test_the_remedy_ends_what_the_lesson_suffers_from(name):
    lesson = load_scenario(name)
    treated = {each.knob: each.value for each in lesson.treatment.settings}
    sick = simulate(lesson, {}, 300, 1)
    well = simulate(lesson.mended(), {} if lesson.remedy.workload else treated, 300, 1)
    tail = lesson.primary.removeprefix("p")
    before, after = (np.percentile(each.etime_ns, float(tail)) for each in (sick, well))
    assert after < 0.4 * before


def test_a_visit_is_a_connection_with_a_bind_and_a_search_behind_it():
    batches, text = history("slow-pages", steps=60, step=0.5)
    conns = re.findall(rf'conn=(\d+) op=0 BIND dn="{PORTAL}" method=128 version=3\n', text)
    assert len(conns) == len(set(conns)) == pytest.approx(60 * 30, rel=0.15)
    lines = Counter(re.findall(r"conn=(\d+) ", text))
    whole = {"BIND", "SRCH", "UNBIND"}
    requests = {conn: set(re.findall(rf"conn={conn} op=\d ([A-Z]+)", text)) for conn in conns[:20]}
    assert all(whole < found for found in requests.values()), requests
    assert all(lines[conn] == 7 for conn in conns[:20])  # opened, three requests, two results, gone
    assert f' dn="{PORTAL}"\n' in text
    assert sum(len(batch.arrived) for batch in batches) == sum(len(b.rows) for b in batches)


def test_a_pool_is_four_connections_of_one_client():
    lesson = load_scenario("slow-pages", mended=True)
    clients = lesson.workload.clients
    _, text = history(lesson, steps=20, step=0.5)
    assert PORTAL not in text
    opened = re.findall(
        rf"conn=(\d+) fd=\d+ slot=\d+ connection from 10.20.30.{clients + 10} ", text
    )
    assert opened == [str(clients + n) for n in range(1, 5)]
    for conn in opened:
        numbers = [int(n) for n in re.findall(rf"conn={conn} op=(\d+) SRCH", text)]
        assert sorted(numbers) == list(range(len(numbers)))
        assert len(numbers) > 100


def test_a_search_without_an_index_says_so_until_there_is_one():
    asked = r'filter="\(employeeNumber=[1-9]\d*\)" attrs=ALL\n'
    _, text = history("slow-portal", steps=10, step=2.0)
    assert len(re.findall(asked, text)) == text.count(' notes=A details="Fully unindexed search"\n')
    indexed = load_scenario("slow-portal").with_settings({"index.employeeNumber": "eq"})
    _, text = history(indexed, steps=10, step=2.0)
    assert re.search(asked, text)
    assert "notes=" not in text


def test_changes_of_groups_name_the_group_and_hold_the_write_lock():
    batches, text = history("slow-group-changes", steps=30, step=2.0)
    assert re.search(r'MOD dn="cn=group\d\d\d,ou=groups,dc=example,dc=com"\n', text)
    rows = np.concatenate([batch.rows for batch in batches])
    etimes = np.concatenate([batch.etime for batch in batches])
    assert (etimes[rows["held"] > 0] >= rows["held"][rows["held"] > 0]).all()
    others = (rows["flush"] > 0) & (rows["held"] == 0)
    assert (etimes[others] > 0.1).any(), "others wait for the lock"


def test_what_the_configuration_says_of_a_cause():
    def entries(name):
        return Configuration(load_scenario(name).settings, 8 << 30).entries

    plugins = "cn={},cn=plugins,cn=config"
    policy = entries("slow-logins")
    assert policy[plugins.format("account policy plugin")].first("nsslapd-pluginEnabled") == "on"
    below = policy[f"cn=config,{plugins.format('account policy plugin')}"]
    assert below.first("alwaysRecordLogin") == "yes"
    memberof = entries("slow-group-changes")[plugins.format("memberof plugin")]
    assert memberof.first("nsslapd-pluginEnabled") == "on"
    assert plugins.format("memberof plugin") in entries("healthy")
    assert f"cn=config,{plugins.format('account policy plugin')}" not in entries("healthy")


def test_switching_a_plug_in_s_work_off_waits_for_a_start():
    lesson = load_scenario("slow-logins")
    configuration = Configuration(lesson.settings, 8 << 30)
    dn = "cn=config,cn=account policy plugin,cn=plugins,cn=config"
    assert configuration.knobs().login_writes
    configuration.replace(dn, "alwaysRecordLogin", ["no"])
    assert configuration.knobs().login_writes
    configuration.start()
    assert not configuration.knobs().login_writes


def test_a_lesson_whose_treatment_is_its_remedy_has_no_other():
    with pytest.raises(UsageError, match="no remedy"):
        load_scenario("slow-logins", mended=True)
