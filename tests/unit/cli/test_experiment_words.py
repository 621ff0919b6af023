"""What `experiment` says and asks before it touches a server, and how a verdict is printed."""

import json
from contextlib import closing, nullcontext
from dataclasses import replace
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from ldap_workbench.cli import asking
from ldap_workbench.cli import experiment as command
from ldap_workbench.cli.app import app
from ldap_workbench.cli.compare import print_verdict
from ldap_workbench.cli.experiment import _foreseen, _seconds
from ldap_workbench.experiment import lag_watch
from ldap_workbench.experiment.judge import judge_windows
from ldap_workbench.experiment.plan import make_plan, parse_looks
from ldap_workbench.model.change import Change, ChangeState, Origin
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Design, Experiment, State, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message, as_json
from ldap_workbench.model.verdict import Judgement, MetricVerdict, Settling, Verdict, VerdictDetails
from ldap_workbench.session.reader import Session
from ldap_workbench.tuning.journal import Journal
from ldap_workbench.tuning.tuner import Tuner
from tests.sessions import build_capture_session, build_experiment_session
from tests.unit.experiment.test_history import VERDICT
from tests.unit.tuning.fakes import FakeTarget

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "24"),))


def plan(treatment=TREATMENT):
    return make_plan(treatment, Design("pairs", 8), window_s=20, seed=1, primary="p50")


def test_looks_and_trim_are_read():
    assert parse_looks("8,12, 16") == (8, 12, 16)
    assert parse_looks("") == ()
    assert (_seconds("12.5"), _seconds("auto")) == (12.5, 0.0)


@pytest.mark.parametrize(("read", "text"), [(parse_looks, "8,x"), (_seconds, "long")])
def test_what_cannot_be_read_is_refused(read, text):
    with pytest.raises(UsageError, match=text):
        read(text)


def test_the_plan_tells_what_it_can_find_by_a_baseline(tmp_path):
    (line,) = _foreseen(plan(), None)
    assert "not known" in str(line)
    path = build_capture_session(tmp_path / "b.ldapwb", windows=8)
    assert "8 pairs detect in 8 of 10 experiments that p50" in str(_foreseen(plan(), path)[0])
    assert _foreseen(plan(Treatment(())), path) == []


@pytest.mark.parametrize(("types", "lines"), [("eq", 2), ("absent", 1)])
def test_only_an_index_that_is_added_serves_searches(types, lines):
    index = plan(Treatment((Setting("index.mail", types),)))
    assert len(_foreseen(index, None)) == lines


def test_a_verdict_is_printed_with_its_stalls(tmp_path, capsys):
    with Session.open(build_experiment_session(tmp_path / "e.ldapwb", seconds=10)) as session:
        verdict = judge_windows(session, session.windows(), primary="p50")
    print_verdict(verdict)
    shown = capsys.readouterr().out
    assert shown.startswith("Better")
    assert "stalls/h" in shown
    count = verdict.details.ledger.arms["A"].count
    assert count > 0
    assert any(line.split()[:2] == ["A", str(count)] for line in shown.splitlines())


@pytest.mark.parametrize(
    ("word", "trim_auto", "said"),
    [
        ("not settled", False, "run it again with --settle 180 --trim 15."),
        ("not settled", True, "run it again with --settle 180 --trim auto."),
        ("better", False, ""),
    ],
)
def test_what_had_not_settled_says_the_options_to_measure_it_again_with(
    tmp_path, capsys, word, trim_auto, said
):
    metric = MetricVerdict("p50", word)
    settling = Settling(2.0, 0.9, 0.01, wait_s=180.0, trim_s=15.0)
    details = VerdictDetails(settling=settling)
    verdict = Verdict(metric, {"p50": metric}, True, NOTHING, "pairs:8", NOTHING, details=details)
    planned = replace(plan(), trim_auto=trim_auto)
    done = Experiment(1, planned, State.REVERTED, step=16, verdict=verdict)
    command._print_end(done, None, tmp_path / "e.ldapwb", (), json=False)
    told = capsys.readouterr().err
    assert said in told
    assert ("Not settled" in told) is bool(said)


@pytest.fixture
def ran(monkeypatch):
    """The plans that are run, and a server that is reached."""
    tuner = SimpleNamespace(
        catalogue=SimpleNamespace(
            treatment=lambda *_: TREATMENT, user_data_ahead=lambda _: NOTHING
        ),
        plan=lambda _: [],
        check_automated=lambda _: None,
        locked=nullcontext,
    )
    target = SimpleNamespace(
        facts=SimpleNamespace(clock_rate=1.0), profile=SimpleNamespace(test_server=False)
    )
    plans = []
    monkeypatch.setattr(command, "connected", lambda _: nullcontext(target))
    monkeypatch.setattr(command, "opened_journal", nullcontext)
    monkeypatch.setattr(command, "Tuner", lambda *_: tuner)
    monkeypatch.setattr(command, "_refuse_while_open", lambda *_: None)
    monkeypatch.setattr(
        command, "_run", lambda _, __, plan, *rest: (plans.append(plan), _ended(plan))[1]
    )
    return plans


@pytest.mark.parametrize("origin", Origin)
def test_what_a_revert_leaves_stored_is_said_at_the_end(monkeypatch, tmp_path, ran, origin):
    change = Change(
        1, "g", "ldap://ldap1:389", "lab", "nsslapd-threadnumber", "cn=config",
        "nsslapd-threadnumber", ("16",), ("24",), ("24",), ChangeState.REVERTED, True, 1, 1,
        origin=origin,
    )  # fmt: skip
    journal = SimpleNamespace(changes=lambda: [change])
    monkeypatch.setattr(command, "opened_journal", lambda _: nullcontext(journal))
    monkeypatch.setattr(command, "_run", lambda _, __, plan, *rest: _ended(plan, "g"))
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    said = CliRunner().invoke(app, ["experiment", *words]).output
    as_before = origin in (Origin.STORED, Origin.AUTOMATIC)
    assert ("reverted: the server is as it was before" in said) == as_before
    assert ("is stored as 16. All else is as it was" in said) != as_before


@pytest.mark.parametrize("name", ["experiment", "canary"])
def test_a_limit_of_the_lag_below_what_readings_can_show_is_refused(name):
    result = CliRunner().invoke(app, [name, "lab", "-o", "e.ldapwb", "--max-lag", "2"])
    assert result.exit_code == 2
    assert "max-lag" in result.output


@pytest.mark.parametrize("half", [("--max-lag", "30"), ("--replica", "ds2")])
def test_a_limit_of_the_lag_needs_the_other_replicas(tmp_path, ran, half):
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    with pytest.raises(UsageError, match="A limit of the lag needs a replica"):
        CliRunner().invoke(app, ["experiment", *words, *half], catch_exceptions=False)
    assert ran == []


@pytest.mark.parametrize(
    ("identities", "common", "refused"),
    [
        (("a", "a"), ("csn 1",), "Two of the profiles are of the same server"),
        (("a", "b"), (), "lab and ds2 have no supplier of changes in common"),
        (("a", "b"), ("csn 1",), ""),
    ],
)
def test_the_replicas_are_other_servers_with_a_common_supplier(
    monkeypatch, tmp_path, ran, identities, common, refused
):
    targets = {
        name: SimpleNamespace(
            facts=SimpleNamespace(clock_rate=1.0, identity=identity),
            profile=SimpleNamespace(name=name, test_server=False),
        )
        for name, identity in zip(("lab", "ds2"), identities, strict=True)
    }
    watch = nullcontext(SimpleNamespace(unread=(), common=common))
    monkeypatch.setattr(command, "connected", lambda name: nullcontext(targets[name]))
    monkeypatch.setattr(lag_watch, "LagWatch", lambda *_: watch)
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    words += ["--max-lag", "30", "--replica", "ds2"]
    with pytest.raises(UsageError, match=refused) if refused else nullcontext():
        CliRunner().invoke(app, ["experiment", *words], catch_exceptions=False)
    assert len(ran) == (not refused)


def test_what_the_run_knows_to_be_left_is_said_at_the_end(monkeypatch, tmp_path, ran):
    left = Message("a was automatic; reverted, it is stored as 1.")
    monkeypatch.setattr(
        command,
        "_run",
        lambda _, __, plan, *rest: (replace(_ended(plan)[0], left_stored=(left,)), None),
    )
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    said = CliRunner().invoke(app, ["experiment", *words]).output
    assert f"The change was reverted. {left} All else is as it was before." in said
    said = CliRunner().invoke(app, ["experiment", *words, "--json"]).stdout
    printed = json.loads(said)
    assert printed["left_stored"] == [str(left)]
    assert printed["left_stored_messages"] == [as_json(left)]


def test_what_is_in_force_is_read_back_before_the_answer_and_after_it(
    monkeypatch, tmp_path, capsys
):
    """With the server in arm B at the question, and as it was before at the end."""
    monkeypatch.setenv("LDAP_WORKBENCH_HOME", str(tmp_path))
    said_before = []

    class Job:
        """An experiment that applies its change, asks and reverts it."""

        verdict = None

        def __init__(self, output, plan, *, decide, resume_from, lag):
            self._decide, self._plan = decide, plan

        def run(self, target, tuner, *_):
            group = tuner.apply(self._plan.treatment).group
            self.experiment = Experiment(
                1, self._plan, State.DECIDING, step=0, change_groups=(group,)
            )
            assert self._decide(VERDICT) is Then.REVERT
            tuner.revert(group)
            return replace(self.experiment, state=State.REVERTED)

    def confirm(_):
        said_before.append(capsys.readouterr().err)
        return False

    monkeypatch.setattr(command, "ExperimentJob", Job)
    monkeypatch.setattr(asking, "confirm", confirm)
    target = FakeTarget()
    limit = Treatment((Setting("nsslapd-idlistscanlimit", "8000"),))
    with closing(Journal()) as journal, closing(Tuner(target, journal)) as tuner:
        command._run(target, tuner, plan(limit), tmp_path / "e.ldapwb", None, None)
    now = "nsslapd-idlistscanlimit: in force now: "
    assert f"{now}8000 IDs. Keep leaves 8000 IDs, Revert leaves 4000 IDs." in said_before[0]
    assert (
        f"{now}4000 IDs. The change sets 8000 IDs; before, it was 4000 IDs."
        in capsys.readouterr().err
    )


def test_an_open_verdict_ends_with_how_to_measure_more_pairs(monkeypatch, tmp_path, ran):
    primary = MetricVerdict("p50", "not enough data")
    open_ = Verdict(primary, {"p50": primary}, True, NOTHING, "pairs:8", NOTHING)
    monkeypatch.setattr(
        command,
        "_run",
        lambda _, __, plan, *rest: (replace(_ended(plan)[0], verdict=open_), None),
    )
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    said = CliRunner().invoke(app, ["experiment", *words]).output
    assert "To measure 8 more pairs, judged by themselves (85 min): ldap-workbench" in said
    assert f"experiment lab -o NEW.ldapwb --again {tmp_path / 'e.ldapwb'}" in said
    assert "--again" not in CliRunner().invoke(app, ["experiment", *words, "--json"]).output


@pytest.mark.parametrize(
    ("word", "options", "status"),
    [
        ("better", ["--exit-status"], 0),
        ("not settled", ["--exit-status"], 22),
        ("worse", [], 0),
        ("worse", ["--exit-status", "--assert", "p50 <= 1.05"], 1),
    ],
)
def test_the_verdict_is_the_exit_status_where_that_is_asked_for(
    monkeypatch, tmp_path, ran, word, options, status
):
    primary = MetricVerdict("p50", word)
    verdict = Verdict(primary, {"p50": primary}, True, NOTHING, "pairs:8", NOTHING)
    monkeypatch.setattr(
        command,
        "_run",
        lambda _, __, plan, *rest: (replace(_ended(plan)[0], verdict=verdict), None),
    )
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    ended = CliRunner().invoke(app, ["experiment", *words, *options, "--json"])
    assert ended.exit_code == status
    assert json.loads(ended.stdout)["exit_status"] == Judgement(word).exit_status


def test_without_a_verdict_the_exit_status_is_that_of_not_enough_data(tmp_path, ran):
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    assert CliRunner().invoke(app, ["experiment", *words, "--exit-status"]).exit_code == 21


def test_repeats_and_timeouts_reach_the_plan(tmp_path, ran):
    words = ["lab", "-o", str(tmp_path / "e.ldapwb"), "--set", "nsslapd-threadnumber=24", "--yes"]
    options = ["--max-repeats", "0", "--reconnect-timeout", "600",
               "--restart-timeout", "900"]  # fmt: skip
    assert CliRunner().invoke(app, ["experiment", *words, *options]).exit_code == 0
    assert (ran[0].repeats, ran[0].patience_s, ran[0].restart_wait_s) == (0, 600.0, 900.0)


def _ended(plan, *groups):
    return Experiment(1, plan, State.REVERTED, step=0, change_groups=groups), None
