"""The commands on a session file, as an operator and as a script see them."""

import json
import sys
from dataclasses import replace

import pytest

from ldap_workbench.cli import main
from ldap_workbench.cli.sessions import with_resolution
from ldap_workbench.model.verdict import Judgement
from ldap_workbench.model.visible import one_line
from ldap_workbench.session.reader import Session
from tests.sessions import build_capture_session, build_experiment_session, with_client


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    path = tmp_path_factory.mktemp("session") / "s.ldapwb"
    build_experiment_session(path, pairs=6, seconds=5)
    return path


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    """For commands that touch every line of the log."""
    path = tmp_path_factory.mktemp("small") / "s.ldapwb"
    return build_experiment_session(path, pairs=2, seconds=5, per_second=30)


@pytest.fixture
def run(monkeypatch, capsys):
    def run(*words):
        monkeypatch.setattr(sys, "argv", ["ldap-workbench", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        status = ended.value.code or 0
        said = capsys.readouterr()
        return status, said.out, said.err

    return run


def test_the_client_s_view_of_an_imported_log(run, tmp_path, session):
    start_ms = 1_795_467_467_744
    answers = [(f"{n},Search by uid", n != 7) for n in range(1, 101)] + [("3,Login", True)] * 20
    log = "timeStamp,elapsed,label,success\n" + "".join(
        f"{start_ms + n},{answer},{str(good).lower()}\n" for n, (answer, good) in enumerate(answers)
    )
    (tmp_path / "run.jtl").write_text(log)
    path = tmp_path / "client.ldapwb"
    assert run("import", tmp_path / "run.jtl", "-o", path)[0] == 0
    status, out, _ = run("tails", path, "--client")
    assert status == 0
    assert "not etimes of the server" in out
    assert "100 1 50 to 51 ms" in " ".join(line_with("Search by uid", out))
    assert "20 0 3 to 4 ms" in " ".join(line_with("Login", out))
    (found,) = json.loads(run("tails", path, "--client", "--json")[1])
    row = next(each for each in found["labels"] if each["label"] == "Search by uid")
    assert (row["n"], row["failed"], row["p99_ns"]) == (100, 1, 99_000_000)
    status, _, said = run("tails", session, "--client")
    assert (status, "No window has a log of a client." in said) == (2, True)


def test_the_client_s_view_beside_the_server_s(run, tmp_path):
    _, out, _ = run("tails", with_client(tmp_path / "s.ldapwb"), "--client")
    assert "at the client and" in " ".join(out.split())


def line_with(text, out):
    return next(line for line in out.splitlines() if text in line).split()


def host_of(path):
    with Session.open(path) as session:
        return session.facts.host


def test_a_session_without_names(run, small, tmp_path, monkeypatch):
    session, copy = small, tmp_path / "copy.ldapwb"
    monkeypatch.setenv("PSEUDONYM_KEY", "k")
    status, out, _ = run("anonymise", session, "-o", copy, "--key-env", "PSEUDONYM_KEY")
    assert (status, str(copy) in out) == (0, True)
    assert run("tails", copy, "--json")[1] == run("tails", session, "--json")[1]
    again, other = tmp_path / "again.ldapwb", tmp_path / "other.ldapwb"
    run("anonymise", session, "-o", again, "--key-env", "PSEUDONYM_KEY")
    run("anonymise", session, "-o", other)
    hosts = [host_of(path) for path in (session, copy, again, other)]
    assert hosts[1] == hosts[2]
    assert len(set(hosts)) == 3
    status, _, said = run("anonymise", session, "-o", tmp_path / "b", "--key-env", "NOT_SET")
    assert status == 2
    assert "NOT_SET is not set" in said
    assert not (tmp_path / "b").exists()


def test_windows_and_their_completeness(run, session):
    status, out, _ = run("windows", session, "--json")
    windows = json.loads(out)
    assert status == 0
    assert len(windows) == 12
    assert {w["arm"] for w in windows} == {"A", "B"}
    assert all(w["sources"] for w in windows)
    assert "complete" in run("windows", session)[1]


def test_tails_have_every_quantile_in_ns(run, session):
    tails = json.loads(run("tails", session, "--json")[1])
    everything = [tail for tail in tails if tail["type"] == "ALL"]
    assert len(everything) == 12
    for tail in everything:
        order = [tail[f"{q}_ns"] for q in ("p50", "p90", "p95", "p99", "p999", "max")]
        assert order == sorted(order)
        assert all(isinstance(ns, int) for ns in order)


def test_slowest_shows_the_request_as_it_stands_in_the_log(run, session):
    rows = json.loads(run("slowest", session, "-n", "3", "--lines", "1", "--json")[1])
    assert len(rows) == 3
    assert rows[0]["etime_ns"] >= rows[1]["etime_ns"] >= rows[2]["etime_ns"]
    assert all("RESULT" in row["result"] for row in rows)
    assert any("SRCH" in row["request"] or "BIND" in row["request"] for row in rows)
    assert all(len(row["raw"]) >= 2 for row in rows)


def test_operations_are_found_by_words_and_grouped(run, small):
    session = small
    rows = json.loads(run("slowest", session, "-n", "500", "--find", "type=BIND", "--json")[1])
    assert {row["type"] for row in rows} == {"BIND"}
    found = json.loads(run("groups", session, "--by", "client", "--json")[1])
    assert [g["sum_ns"] for g in found] == sorted((g["sum_ns"] for g in found), reverse=True)
    some = found[1]["name"]
    mine = json.loads(
        run("slowest", session, "-n", "9999", "--find", f"client={some}", "--json")[1]
    )
    assert len(mine) == found[1]["n"]
    assert {row["client"] for row in mine} == {some}
    assert max(row["etime_ns"] for row in mine) == found[1]["max_ns"]
    more = json.loads(run("groups", session, "--by", "client", "--internal", "--json")[1])
    assert sum(g["n"] for g in more) > sum(g["n"] for g in found)
    text = run("groups", session, "--by", "client", "-n", "1")[1]
    assert f"{len(found) - 1} more groups" in text


@pytest.mark.parametrize("words", [["slowest", "--find", "etime>5"], ["groups", "--by", "age"]])
def test_words_that_make_no_sense_end_with_status_2(run, session, words):
    command, *options = words
    status, _, told = run(command, session, *options)
    assert status == 2
    assert "etime>250us" in told or "one of filter" in told


@pytest.fixture
def compared(run, session):
    """The command compare on the pairs of the sample's experiment."""
    windows = json.loads(run("windows", session, "--json")[1])
    by_pair = sorted(windows, key=lambda w: w["pair"])

    def compare(*words, pairs=6):
        arms = []
        for arm, option in (("A", "--a"), ("B", "--b")):
            names = [w["name"] for w in by_pair if w["arm"] == arm]
            arms += [option, ",".join(names[:pairs])]
        status, out, _ = run("compare", session, *arms, *words, "--json")
        assert status == 0
        return json.loads(out)

    return compare


def test_an_experiment_is_compared_as_it_was_planned(compared, session):
    with Session.open(session) as opened:
        (experiment,) = opened.experiments()
    verdict = compared()
    assert verdict["primary"]["metric"] == experiment.plan.primary
    assert verdict["exit_status"] == Judgement(verdict["primary"]["verdict"]).exit_status
    said = {name: (m["verdict"], m["ratio"], m["p"]) for name, m in verdict["metrics"].items()}
    stored = experiment.verdict.metrics.items()
    assert said == {name: (m.verdict, m.ratio, m.p) for name, m in stored}


@pytest.mark.parametrize(
    ("words", "pairs", "said"),
    [
        (("--primary", "p95"), 6, "the plan's primary metric is p50"),
        (("--slo-ms", "5"), 6, "the plan's latency target is 100 ms"),
        ((), 5, "5 of 6 pairs"),
    ],
)
def test_what_is_chosen_afterwards_only_suggests(compared, words, pairs, said):
    verdict = compared(*words, pairs=pairs)
    assert verdict["primary"]["n_pairs"] == pairs
    judged = [verdict["primary"], *verdict["metrics"].values()]
    judged += [m for metrics in verdict["types"].values() for m in metrics.values()]
    claims = {"better", "worse", "too small to matter", "no material change"}
    assert not claims & {metric["verdict"] for metric in judged}
    assert said in json.dumps(verdict["warnings"])


def test_compare_ends_with_the_status_of_the_verdict_where_asked(run, session):
    windows = json.loads(run("windows", session, "--json")[1])
    a, b = (",".join(w["name"] for w in windows if w["arm"] == arm) for arm in "AB")
    words = ("--primary", "p95", "--exit-status", "--json")
    ended, out, _ = run("compare", session, "--a", a, "--b", b, *words)
    assert ended == 11
    verdict = json.loads(out)
    assert verdict["exit_status"] == Judgement(verdict["primary"]["verdict"]).exit_status


def test_compare_says_which_groups_changed(run, tmp_path):
    """The same client and filter before and after; another client comes with the second log."""
    line = (
        "2026-07-05T{hour:02d}:{minute:02d}:{second:02d}.000000+00:00 ldap1 slapd[11]: "
        "conn={conn} {text}\n"
    )
    asked = 'op={op} SRCH base="dc=a" scope=2 deref=0 filter="({name}=x)"'
    result = "op={op} SEARCH RESULT tag=101 err=0 qtime=0.000010 etime=0.010000 nentries=1 text="
    for hour, kinds in ((9, ("uid",)), (15, ("uid", "serialNumber"))):
        text = ""
        for op in range(1, 1200):
            at = {"hour": hour, "minute": op // 60, "second": op % 60}
            for conn, name in enumerate(kinds, 1001):
                for said in (asked, result):
                    text += line.format(**at, conn=conn, text=said.format(op=op, name=name))
        (tmp_path / f"{hour}h").mkdir()
        (tmp_path / f"{hour}h" / "slapd.log").write_text(text)
    session = tmp_path / "both.ldapwb"
    status, _, err = run("import", tmp_path / "9h", tmp_path / "15h", "-o", session)
    assert status == 0, err
    a, b = sorted(w["id"] for w in json.loads(run("windows", session, "--json")[1]))
    of = ("compare", session, "--a", str(a), "--b", str(b))
    (change,) = json.loads(run(*of, "--json")[1])["groups"]
    assert (change["key"], change["name"], change["change"]) == (
        "kind",
        "SRCH (serialnumber=?)",
        "new",
    )
    assert change["waiting"] == pytest.approx([0, 0.5], abs=0.01)
    assert "SRCH (serialnumber=?)" in run(*of)[1]
    same = run("compare", session, "--a", str(a), "--b", str(a))[1]
    assert "No kind of operation, client, identity or error is new" in " ".join(same.split())


def test_windows_no_coin_arranged_can_only_suggest(run, session):
    windows = [w["name"] for w in json.loads(run("windows", session, "--json")[1])]
    a, b = ",".join(windows[:6]), ",".join(windows[6:])
    verdict = json.loads(run("compare", session, "--a", a, "--b", b, "--json")[1])
    words = {m["verdict"] for m in verdict["metrics"].values()}
    assert not words & {"better", "worse"}


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (("tails", "missing.ldapwb"), 1, "does not exist"),
        (("tails",), 2, "Missing argument"),
        (("tails", "{session}", "--window", "Z9"), 1, "There is no window 'Z9'"),
        (("export", "{session}", "out"), 2, "--parquet"),
        (("no-such-command",), 2, "No such command"),
    ],
)
def test_errors_are_sentences_with_a_status(run, session, words, status, said):
    got, _, err = run(*(word.format(session=session) for word in words))
    assert got == status
    assert said in err
    assert "Traceback" not in err


def test_a_log_cannot_steer_the_terminal():
    assert one_line("\x1b[2J(cn=é)\n") == "\\x1b[2J(cn=é)\\x0a"


@pytest.mark.parametrize(
    ("ns", "resolution", "shown"),
    [
        (0, 10**9, "0 to 1 s"),
        (3 * 10**9, 10**9, "2 to 4 s"),
        (5_000_000, 10**6, "5 to 6 ms"),
        (1_234_567, 1, "1.23 ms"),
        (None, 1, "-"),
    ],
)
def test_a_number_is_no_finer_than_its_log(ns, resolution, shown):
    assert with_resolution(ns, resolution) == shown


@pytest.fixture
def captures(tmp_path):
    """Sessions of captures, three windows each."""
    return [
        build_capture_session(tmp_path / f"{name}.ldapwb", windows=3, earlier=3 * n, seed=n)
        for n, name in enumerate(("a1", "a2", "b1", "b2"))
    ]


def test_sessions_are_compared_and_each_counts_once(run, captures):
    a1, a2, b1, b2 = captures
    status, out, _ = run(
        "compare", a1, a2, "--with", b1, "--with", b2, "--primary", "p50", "--json"
    )
    assert status == 0
    verdict = json.loads(out)
    assert verdict["sessions"] == {"A": [str(a1), str(a2)], "B": [str(b1), str(b2)]}
    assert verdict["primary"]["verdict"] == "inconclusive"
    assert verdict["primary"]["low"] < 1 < verdict["primary"]["high"]
    assert any("the 2 sessions of A and the 2 of B" in warning for warning in verdict["warnings"])
    assert "b1.ldapwb and b2.ldapwb" in verdict["sentence"]
    _, shown, noted = run(
        *("compare", a1, a2, "--with", b1, "--with", b2, "--a", "1,2", "--b", "3")
    )
    assert "A: a1.ldapwb and a2.ldapwb. B: b1.ldapwb and b2.ldapwb." in " ".join(shown.split())
    assert "the windows of a session count as one" in " ".join(noted.split())


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("a1", "--with", "b1", "--with", "b2"), "Arm A has one session"),
        (("a1", "a2", "--with", "b1"), "Arm B has one session"),
        (("a1", "a2", "--with", "a1", "--with", "b1"), "A session is named twice"),
        (("a1", "a2"), "It is not said what is compared"),
        (("a1", "--a", "1"), "It is not said what is compared"),
    ],
)
def test_too_few_sessions_are_refused(run, captures, words, said):
    paths = {path.stem: path for path in captures}
    status, _, error = run("compare", *(paths.get(word, word) for word in words))
    assert status in (1, 2)
    assert said in error


def test_a_copy_of_a_session_is_no_other_session(run, captures, tmp_path):
    """Two of the same time would differ by nothing, and the interval would be as narrow."""
    a1, a2, b1, _ = captures
    copy = tmp_path / "copy.ldapwb"
    copy.write_bytes(b1.read_bytes())
    status, _, error = run("compare", a1, a2, "--with", b1, "--with", copy)
    assert status == 1
    assert "b1.ldapwb and copy.ldapwb hold the same time of one server" in " ".join(error.split())


def test_what_was_cut_short_does_not_count_beside_whole_windows(run, captures, monkeypatch):
    a1, a2, b1, b2 = captures
    words = ("compare", a1, a2, "--with", b1, "--with", b2, "--json")
    whole = Session.windows

    def last_is_cancelled(session):
        *others, last = whole(session)
        return [*others, replace(last, cancelled=True)]

    without = run(*words, "--a", "1,2", "--b", "1,2")[1]
    monkeypatch.setattr(Session, "windows", last_is_cancelled)
    assert run(*words)[1] == without


def test_a_session_of_an_experiment_is_no_arm(run, session, captures):
    a1, a2, b1, _ = captures
    status, _, error = run("compare", a1, a2, "--with", b1, "--with", session)
    assert status == 2
    assert "holds an experiment, which has both arms" in " ".join(error.split())
