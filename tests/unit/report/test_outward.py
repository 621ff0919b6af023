"""What other tools read of a session: scripts of its changes, histograms, dashboards."""

import base64
import json
import re
import shlex
import struct
import subprocess
import zlib
from dataclasses import replace
from datetime import datetime

import numpy as np
import pytest

from ldap_workbench.inference.counts.tails import tails
from ldap_workbench.model.errors import UsageError
from ldap_workbench.report.change_scripts import ansible_files, dsconf_files
from ldap_workbench.report.export import encoded, export, hlog
from ldap_workbench.report.grafana import grafana_annotations, grafana_dashboard, openmetrics
from ldap_workbench.session.reader import Session
from ldap_workbench.session.writer import SessionWriter
from tests.sessions import build_experiment_session

MADE_BY_HDRHISTOGRAM = "HISTFAAAACx4nJNpmSzMwMDAzwABzFCakUEAwrD/ABVg+SnPxHRQmOl3FdPHPCYAheUHaA=="
"""Of 1, 1, 2047, 2048, 5000, 1,000,000 and 123,456,789 by the library of that name, 0.10.8."""


@pytest.fixture
def path(tmp_path):
    return build_experiment_session(
        tmp_path / "e.ldapwb", pairs=2, seconds=5, per_second=40, hostile=True
    )


@pytest.fixture
def session(path):
    with Session.open(path) as opened:
        yield opened


def decoded(text):
    """Values and counts of a histogram, after the documentation of the format: index -> value."""
    cookie, length = struct.unpack(">ii", base64.b64decode(text)[:8])
    assert cookie == 0x1C849314
    body = zlib.decompress(base64.b64decode(text)[8 : 8 + length])
    head = struct.unpack(">iiiiqqd", body[:40])
    assert (head[0], head[3]) == (0x1C849313, 3)
    found, index, at = {}, 0, 40
    while at < 40 + head[1]:
        number, shift = 0, 0
        while True:
            byte = body[at]
            at += 1
            whole = shift == 56
            number |= (byte if whole else byte & 0x7F) << shift
            shift += 7
            if whole or byte < 0x80:
                break
        count = (number >> 1) ^ -(number & 1)
        if count < 0:
            index -= count
            continue
        bucket, step = (index >> 10) - 1, (index & 1023) + 1024
        found[step - 1024 if bucket < 0 else step << bucket] = count
        index += 1
    return found


def test_a_histogram_is_what_the_library_makes():
    values = np.array([1, 1, 2047, 2048, 5000, 1_000_000, 123_456_789])
    assert decoded(encoded(values)) == decoded(MADE_BY_HDRHISTOGRAM)


def test_every_value_is_kept_to_three_digits():
    rng = np.random.default_rng(1)
    values = np.sort(np.exp(rng.uniform(0, 34, 5000)).astype(np.int64))
    found = decoded(encoded(values))
    assert sum(found.values()) == 5000
    again = np.repeat(list(found), list(found.values()))
    assert (np.abs(again - values) <= np.maximum(values / 1000, 0)).all()


def test_a_log_has_a_line_for_each_window_and_type(session):
    lines = hlog(session).splitlines()
    assert lines[1] == "#[Histogram log format version 1.3]"
    first = session.windows()[0]
    mine = [line.split(",") for line in lines if re.match(r"(Tag=.*,)?0.000,", line)]
    counted = {line[0]: sum(decoded(line[-1]).values()) for line in mine}
    expected = {
        f"Tag={first.arm}:{t.type}": t.n for t in tails(session.latencies(first), window="")
    }
    expected["0.000"] = expected.pop(f"Tag={first.arm}:ALL")  # a reader of no tag wants all
    assert counted == expected


def test_what_a_running_server_refuses_is_in_no_script(path):
    with Session.open(path) as session:
        change = session.changes()[0]
    offline = replace(change, knob="nsslapd-db-page-size", dn="cn=config", attribute="x-lib")
    with SessionWriter.append(path) as writer:
        writer.put_change(offline)
    with Session.open(path) as session:
        scripts, playbooks = dsconf_files(session), ansible_files(session)
    assert any("# Not while it runs: stop it" in text for text in scripts.values())
    assert not any("config replace" in text for text in scripts.values())
    assert any("# Left out, see the LDIF" in text for text in playbooks.values())
    assert not any("x-lib" in text for text in playbooks.values())


def test_openmetrics_says_what_the_tails_say(session):
    text = openmetrics(session)
    assert text.endswith("# EOF\n")
    window = session.windows()[0]
    found = next(t for t in tails(session.operations(window), window="") if t.type == "ALL")
    (line,) = [
        line
        for line in text.splitlines()
        if f'window="{window.id}:' in line and 'type="ALL",quantile="0.99"' in line
    ]
    value, at = line.split()[-2:]
    assert round(float(value) * 1e9) == found.p99_ns
    assert float(at) == pytest.approx(window.end_ns / 1e9, abs=0.001)
    sample = re.compile(r'ldap_etime_seconds(_count|_sum)?\{(\w+="([^"\\\n]|\\.)*",?)+\} \S+ \S+')
    assert all(sample.fullmatch(each) or each.startswith("# ") for each in text.splitlines())


def test_annotations_are_regions_and_moments(session):
    found = json.loads(grafana_annotations(session))
    regions = [each for each in found if "timeEnd" in each]
    assert len(regions) == len(session.windows())
    assert len(found) - len(regions) == len(session.marks())
    assert regions[0]["tags"] == ["ldap-workbench", "window", f"arm {session.windows()[0].arm}"]


def test_a_dashboard_shows_what_the_metrics_hold(session):
    board = json.loads(grafana_dashboard(session))
    text = openmetrics(session)
    quantile = next(v for v in board["templating"]["list"] if v["name"] == "quantile")
    assert set(quantile["query"].split(",")) == set(re.findall(r'quantile="([\d.]+)"', text))
    for panel in board["panels"]:
        (target,) = panel["targets"]
        names = set(re.findall(r"ldap_\w+", target["expr"]))
        assert names
        assert all(f"\n{name}{{" in text for name in names)
        assert re.findall(r"(\w+)=", target["expr"])[0] == "type"
    begins, ends = (datetime.fromisoformat(board["time"][end]) for end in ("from", "to"))
    windows = session.windows()
    assert begins.timestamp() < min(w.start_ns for w in windows) / 1e9
    # A sample stands at the end of its window, and is shown for five minutes.
    assert ends.timestamp() >= max(w.end_ns for w in windows) / 1e9 + 300


def test_a_dashboard_says_nothing_of_a_stranger(path):
    with SessionWriter.append(path) as writer:
        writer.put_window(replace(writer.reader().windows()[0], name="{{evil}} ${x}"))
    with Session.open(path) as session:
        assert "evil" not in grafana_dashboard(session)


def test_scripts_do_and_undo_without_running_what_a_session_says(path, tmp_path):
    with Session.open(path) as session:
        change = session.changes()[0]
    planted = tmp_path / "planted"
    evil = replace(
        change,
        dn="cn=config",
        attribute=f"x; touch {planted}",
        before=("{{ lookup('pipe', 'id') }}",),
        asked=(f"$(touch {planted})",),
    )
    with SessionWriter.append(path) as writer:
        writer.put_change(evil)
        writer.put_change(replace(evil, id=evil.id + 1, attribute="nsslapd-idlistscanlimit"))
    with Session.open(path) as session:
        scripts, playbooks = dsconf_files(session), ansible_files(session)
    for number, text in enumerate(scripts.values()):
        script = tmp_path / f"{number}.sh"
        script.write_text("dsconf() { :; }\nldapmodify() { cat >&2; }\n" + text)
        subprocess.run(
            ["sh", script],
            check=True,
            capture_output=True,
            env={"URL": "u", "DN": "d", "PATH": "/usr/bin:/bin"},
        )
    assert not planted.exists()
    templates = [line for text in playbooks.values() for line in text.splitlines() if "{{" in line]
    ours = ("ldap_uri }}", "ldap_bind_dn }}", "ldap_bind_password }}")
    assert any("lookup" in line for line in templates)
    assert all("!unsafe" in line or any(word in line for word in ours) for line in templates)


def test_a_playbook_writes_no_file_that_a_session_names(path):
    with Session.open(path) as session:
        change = session.changes()[0]
    evil = replace(change, dn="", attribute="/etc/cron.d/x\n    - name: y", asked=("* * * * *",))
    with SessionWriter.append(path) as writer:
        writer.put_change(evil)
    with Session.open(path) as session:
        texts = [*ansible_files(session).values()]
    lines = [line for text in texts for line in text.splitlines() if "cron.d" in line]
    assert lines
    assert all(line.startswith("    # Left out") for line in lines)
    assert not any(line == "    - name: y" for text in texts for line in text.splitlines())


def test_a_script_sets_what_was_asked_and_puts_back_what_was(path):
    with Session.open(path) as session:
        change = session.changes()[0]
    plain = replace(change, dn="cn=config", attribute="nsslapd-x", before=None, asked=("7",))
    with SessionWriter.append(path) as writer:
        writer.put_change(plain)
    with Session.open(path) as session:
        scripts = dsconf_files(session)
    asked = shlex.quote("nsslapd-x=7")
    assert any(
        f'dsconf -D "$DN" "$@" "$URL" config replace {asked}' in each for each in scripts.values()
    )
    undone = [each for name, each in scripts.items() if name.startswith("undo")]
    assert any('"$URL" config delete nsslapd-x' in each for each in undone)


def test_all_of_them_are_exported(path, tmp_path):
    kinds = ("dsconf", "ansible", "hlog", "openmetrics", "grafana")
    names = {each.name for each in export(path, tmp_path / "out", kinds)}
    assert {"etimes.hlog", "etimes.prom", "annotations.json", "dashboard.json"} < names
    assert any(name.endswith(".yml") for name in names)


def test_where_nothing_was_changed_there_is_nothing_to_write(tmp_path):
    path = build_experiment_session(tmp_path / "n.ldapwb", pairs=2, seconds=5)
    with Session.open(path) as session:
        session.changes = list  # type: ignore[method-assign]
        with pytest.raises(UsageError, match="no change to write down"):
            dsconf_files(session)
