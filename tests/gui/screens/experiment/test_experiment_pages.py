"""The stepper without a server: the form, the pills, the verdict page."""

from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel, QScrollArea

from ldap_workbench.experiment.hours import Pause
from ldap_workbench.experiment.in_force import InForce
from ldap_workbench.figures.forms.experiment import DESIGNS, PRIMARIES, ExperimentForm
from ldap_workbench.figures.names import STATE_WORDS
from ldap_workbench.figures.timeline.live import LiveFeed
from ldap_workbench.gui.parts.widgets.bands import VerdictBand
from ldap_workbench.gui.parts.widgets.consent import ConsentBox
from ldap_workbench.gui.screens.experiment.run_page import RunPage, WindowProgress
from ldap_workbench.gui.screens.experiment.running import Decision, RunningExperiment
from ldap_workbench.gui.screens.experiment.screen import DESIGN
from ldap_workbench.gui.screens.experiment.stepper import CHANGE
from ldap_workbench.gui.screens.experiment.verdict_page import VerdictPage
from ldap_workbench.model.errors import UsageError
from ldap_workbench.model.experiment import Experiment, State, Step, Then
from ldap_workbench.model.knob import Setting, Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Progress
from ldap_workbench.model.verdict import SENTENCE, MetricVerdict, Verdict
from tests.gui.conftest import idle
from tests.gui.fake_server import Server, connect
from tests.gui.pictures import tails_picture
from tests.sessions import FACTS, build_capture_session

TREATMENT = Treatment((Setting("nsslapd-threadnumber", "8"),))
METRIC = MetricVerdict("p99", "better", 0.5, 0.4, 0.6, 0.03, 0.03, n_pairs=8, a=2e7, b=1e7)
WENT_DOWN = Message("p99 went down.")
SAID = Message(SENTENCE, judgement=Message("Better"), sentences=(WENT_DOWN,))
VERDICT = Verdict(METRIC, {"p99": METRIC}, True, NOTHING, "pairs:8", SAID)


def test_the_form_makes_the_plan_the_command_line_would():
    form = ExperimentForm(
        design="abba", pairs=8, trim_s=30, kind="BIND", primary="p50", slo_ms=20,
        max_error_percent=1,
        max_p99_ms=500, max_repeats=1, reconnect_s=600, restart_s=450, then=Then.REVERT,
    )  # fmt: skip
    plan = form.plan(TREATMENT, restart=True)
    assert str(plan.design) == "abba:4"
    assert len(plan.steps) == 16
    assert plan.primary == "BIND:p50"
    assert plan.slo_ns == 20_000_000
    assert plan.guards == {"error_share": 0.01, "p99_ns": 500e6}
    assert plan.restart
    assert (plan.repeats, plan.patience_s) == (1, 600)
    assert ExperimentForm.of(plan) == form


def test_a_limit_of_the_lag_needs_the_replicas_and_the_other_way_round():
    plan = replace(ExperimentForm().plan(TREATMENT, restart=False), guards={"lag_s": 30.0})
    form = ExperimentForm.of(plan)
    for half in (form, ExperimentForm(replicas=("ds2",))):
        with pytest.raises(UsageError, match="A limit of the lag needs a replica"):
            half.plan(TREATMENT, restart=False)
    both = replace(form, replicas=("ds2",)).plan(TREATMENT, restart=False)
    assert both.guards == {"lag_s": 30.0}
    least = ExperimentForm(max_lag_s=1, replicas=("ds2",)).plan(TREATMENT, restart=False)
    assert least.guards == {"lag_s": 5.0}


def test_the_page_names_replicas_and_the_limit_reaches_the_plan(page):
    page._lag.limit.setValue(30)
    assert page.plan() is None
    assert "needs a replica" in page.summary.text()
    page._lag.replicas.setText("ds2, ds3,ds2 ,")
    assert page.replicas() == ("ds2", "ds3")
    assert page.plan().guards == {"lag_s": 30.0}


def test_no_limit_is_no_guard():
    assert ExperimentForm().plan(TREATMENT, restart=False).guards == {}


def test_every_state_has_words():
    assert set(STATE_WORDS) == set(State)


@pytest.fixture(scope="module")
def baseline(tmp_path_factory):
    """Eight windows of a server that nobody changed."""
    return build_capture_session(tmp_path_factory.mktemp("baseline") / "b.ldapwb", windows=8)


@pytest.fixture
def page(qtbot, window):
    made = window.experiment.design
    made.set_treatment(TREATMENT, restart=False)
    return made


def test_the_page_says_what_the_plan_means(page):
    assert "22 pairs of 300 s" in page.summary.text()
    page._pairs.setValue(3)
    assert "suggested, not established" in page.summary.text()
    page._design.setCurrentIndex(list(DESIGNS).index("ab"))
    assert "in the order AAA BBB" in page.summary.text()
    assert "cannot separate" in page.summary.text()
    page._design.activated.emit(page._design.currentIndex())
    assert str(page.plan().design) == "ab", "as a person chooses it"


def test_the_page_gives_a_plan_only_with_a_change(page):
    assert page.plan() is not None
    page.set_treatment(None, restart=False)
    assert page.plan() is None


def test_choices_are_what_the_core_knows(page):
    page._primary.setCurrentIndex(list(PRIMARIES).index("p99.9"))
    assert page.form().primary == "p99.9"
    assert page.form().then is Then.ASK


def test_the_order_stays_while_the_form_is_edited(page):
    """The coin is thrown once: nobody may shake the form until the order is nice."""
    before = page.plan().steps
    page._settle.setValue(9)
    assert page.plan().steps == before


def test_a_run_that_ended_leaves_a_new_coin_for_the_next(window, page):
    page._pairs.setValue(64)
    before = page.plan()
    window.experiment.execution._on_cancelled()
    after = page.plan()
    assert after.seed != before.seed
    assert after.steps != before.steps
    assert f"(seed {after.seed})" in page.summary.text()


def test_how_long_a_lost_server_is_waited_for_reaches_the_plan(page):
    page._repeats.setValue(1)
    page._reconnect.setValue(600)
    plan = page.plan()
    assert (plan.repeats, plan.patience_s) == (1, 600)
    assert "at most once in all" in page.summary.text()
    assert "10 min at most" in page.summary.text()
    limited = ExperimentForm.of(replace(plan, guards={"lag_s": 30.0}))
    page._fill(limited)
    assert page.form().max_lag_s == 30
    page._fill(ExperimentForm.of(replace(plan, repeats=7, patience_s=30)))
    assert (page.form().max_repeats, page.form().reconnect_s) == (7, 30)


def test_a_plan_keeps_a_type_of_operations_that_is_not_offered(page):
    plan = page.plan()
    page._fill(ExperimentForm.of(replace(plan, primary="EXT:p50")))
    assert page.plan().primary == "EXT:p50"
    page._fill(ExperimentForm.of(plan))
    assert page.plan().primary == plan.primary


def test_how_long_a_restart_is_waited_for_reaches_the_plan(page):
    assert not page._restart_wait.isEnabled()
    page.set_treatment(TREATMENT, restart=True)
    assert page._restart_wait.isEnabled()
    page._restart_wait.setValue(900)
    plan = page.plan()
    assert plan.restart_wait_s == 900
    assert "15 min at most" in page.summary.text()
    page._fill(ExperimentForm.of(replace(plan, restart_wait_s=45)))
    assert page.form().restart_s == 45
    assert page._restart_wait.accessibleName() == "Wait for the server after a restart"


def test_looks_and_the_warm_up_reach_the_plan(page):
    page._looks.setText("6, 8")
    page._trim.setValue(20)
    page._trim_auto.setChecked(True)
    plan = page.plan()
    assert plan.looks == (6, 8)
    assert (plan.trim_auto, plan.trim_s) == (True, 0.0)
    assert "nterim analyses after 6, 8 pairs" in page.summary.text()
    page._design.setCurrentIndex(list(DESIGNS).index("abba"))
    assert page.plan().looks == ()


def test_dropping_the_page_cache_reaches_the_plan_with_its_caution(page):
    assert not page.plan().cold
    page._cold.setChecked(True)
    assert page.plan().cold
    assert "other programs on that host" in page.summary.text()


@pytest.mark.parametrize("looks", ["two", "4,8", "8,99"])
def test_looks_that_do_not_fit_are_explained_in_place_of_a_plan(window, page, looks):
    page._looks.setText(looks)
    assert page.plan() is None
    assert looks.split(",")[0] in page.summary.text()
    assert not window.experiment.stepper.footer.start.isEnabled()


def test_a_baseline_tells_what_the_plan_can_find(qtbot, page, baseline):
    assert "Measure a baseline to estimate sensitivity" in page.summary.text()
    page._pairs.setValue(8)
    page._window.setValue(20)
    page._primary.setCurrentIndex(list(PRIMARIES).index("p50"))
    page.set_baseline(baseline)
    qtbot.waitUntil(lambda: "8 pairs detect in 8 of 10 experiments that p50" in page.summary.text())
    page._pairs.setValue(12)
    qtbot.waitUntil(
        lambda: "12 pairs detect in 8 of 10 experiments that p50" in page.summary.text()
    )


@pytest.fixture(scope="module")
def long_windows(tmp_path_factory):
    """Four windows of 300 s: enough of 120 s, too few of their own length."""
    path = tmp_path_factory.mktemp("long") / "long.ldapwb"
    return build_capture_session(path, windows=4, seconds=300, per_second=5)


def told(page, size):
    return page.sizes.buttons[size].accessibleDescription()


def test_three_sizes_say_how_long_they_take_and_what_they_can_find(qtbot, page, long_windows):
    assert page.sizes.buttons["standard"].isChecked()
    assert told(page, "quick") == (
        "6 pairs of 120 s windows, about 28 min. Measure a baseline to estimate sensitivity."
    )
    page._primary.setCurrentIndex(list(PRIMARIES).index("p50"))
    page.set_baseline(long_windows)
    qtbot.waitUntil(lambda: "Detects that p50" in told(page, "quick"))
    assert "too few windows of this length" in told(page, "standard")
    card = page.sizes.buttons["thorough"].parentWidget()
    qtbot.mouseClick(card, Qt.MouseButton.LeftButton, pos=card.rect().bottomRight() / 2)
    assert (page.form().pairs, page.form().window_s) == (67, 300.0)
    page._pairs.setValue(9)
    assert not any(button.isChecked() for button in page.sizes.buttons.values())


def test_cautions_of_several_settings_say_which_setting_each_is_about(qtbot, window):
    connect(window, Server(FACTS))
    window.show_screen("experiment")
    window.experiment.go_to(CHANGE)
    change = window.experiment.change
    [cautions] = [x for x in change.findChildren(QLabel) if x.accessibleName() == "Caution"]

    def said(*settings: Setting) -> list[str]:
        change.take(settings)
        idle(qtbot, window)
        assert change.settings() == settings
        return cautions.text().splitlines() if cautions.isVisible() else []

    quiet = Setting("nsslapd-idletimeout", "60")
    limit, threads = Setting("nsslapd-idlistscanlimit", "8000"), TREATMENT.settings[0]
    assert said(quiet) == []
    alone = said(limit)
    assert alone[0].startswith("• Takes effect immediately")
    together = said(limit, quiet, threads)
    place = together.index("")
    assert together[:place] == ["nsslapd-idlistscanlimit:", *alone]
    assert together[place + 1] == "nsslapd-threadnumber:"
    assert together.count("") == 1, "no line for the one without"


@pytest.fixture
def designing(window):
    """The design is in sight; there is a server to design for."""
    connect(window, Server(FACTS))
    window.show_screen("experiment")
    window.experiment.go_to(DESIGN)
    return window.experiment.design


def test_the_fields_wait_behind_details(qtbot, designing):
    page = designing
    fields = (page._design, page._pairs, page._slo, page._load, page._errors, page._then)
    assert not any(field.isVisible() for field in fields)
    qtbot.mouseClick(page.details, Qt.MouseButton.LeftButton)
    assert all(field.isVisible() for field in fields)


def test_a_noise_floor_that_was_measured_judges_the_plan(qtbot, window, page, baseline):
    page._pairs.setValue(8)
    page._window.setValue(20)
    page._primary.setCurrentIndex(list(PRIMARIES).index("p50"))
    noise = page.noise_floor()
    run = window.experiment.execution
    run.latest = RunningExperiment(baseline, noise, LiveFeed(), lambda _: None)
    run._on_done(Experiment(1, noise, State.REVERTED, 16))
    qtbot.waitUntil(lambda: "8 pairs detect in 8 of 10 experiments that p50" in page.summary.text())
    assert window.experiment.stepper.pages.currentWidget() is page
    idle(qtbot, window)
    assert "8 windows without a change" in page.summary.text()
    assert page.plan().seed != noise.seed


def test_a_baseline_that_cannot_be_read_is_said_in_place(qtbot, page, tmp_path):
    page.set_baseline(tmp_path / "nothing.ldapwb")
    qtbot.waitUntil(lambda: "cannot be read" in page.summary.text())


def test_a_noise_floor_is_the_same_plan_without_a_change(page):
    page._pairs.setValue(6)
    page.set_treatment(TREATMENT, restart=True)
    noise, plan = page.noise_floor(), page.plan()
    assert noise.changes_nothing
    assert (noise.steps, noise.window_s, noise.restart) == (plan.steps, plan.window_s, True)


def test_only_a_tick_lets_a_server_be_stopped(qtbot):
    box = ConsentBox("Start", "This changes the server:", "a: 1 → 2", "&Start")
    qtbot.addWidget(box)
    assert box._agree.isEnabled()
    box.ask_for_stop()
    assert not box._agree.isEnabled()
    box.checkBox().setChecked(True)
    assert box._agree.isEnabled()


def test_pills_say_how_far_it_is(qtbot):
    pills = WindowProgress()
    qtbot.addWidget(pills)
    pills.set_steps([Step(arm, pair) for pair in range(3) for arm in "AB"])
    pills.set_done(2, False)
    assert pills.accessibleName() == "2 of 6 windows measured, measuring window 3."
    pills.show()
    assert not pills.grab().isNull()


@pytest.mark.parametrize(("pairs", "width"), [(12, 430), (22, 900), (3, 1000)])
def test_no_window_of_a_plan_is_painted_outside(qtbot, pairs, width):
    """At 800 pixels the windows from the eleventh pair on were cut."""
    pills = WindowProgress()
    qtbot.addWidget(pills)
    pills.set_steps([Step(arm, pair) for pair in range(pairs) for arm in "AB"])
    pills.resize(width, 30)
    painted = []
    pills._paint_window = lambda painter, box, *_: painted.append(box)
    pills.grab()
    assert len(painted) == 2 * pairs
    assert painted[-1].right() <= width
    assert painted[-1].right() > min(width * 0.95, pairs * 48)
    pills.resize(90 if pairs > 3 else 20, 30)
    painted.clear()
    pills.grab()
    assert not painted, "the words say it"


def test_a_pause_is_said_once(qtbot):
    run, pause = RunPage(), Pause()
    qtbot.addWidget(run)
    plan = ExperimentForm(pairs=2).plan(TREATMENT, restart=False)
    run.begin(plan)
    run.show_progress(Progress(pause.waiting_text))
    pause.ask(True)
    pause.resting = True
    run.show_state(Experiment(1, plan, State.REVERTING, 1), plan, pause)
    assert run._band.heading.text() == "Paused"
    assert run._band.sentence.text() == "The server is as it was before the experiment."
    assert run._progress.text.text() == ""
    assert run._pause.text() == "&Resume"


LEFT = Message("nsslapd-threadnumber was automatic; reverted, it is stored as 16.")


def test_a_pause_does_not_claim_what_is_not_so(qtbot):
    run, pause = RunPage(), Pause()
    qtbot.addWidget(run)
    plan = ExperimentForm(pairs=2).plan(TREATMENT, restart=False)
    run.begin(plan)
    pause.ask(True)
    pause.resting = True
    run.show_state(Experiment(1, plan, State.REVERTING, 1, left_stored=(LEFT,)), plan, pause)
    assert run._band.sentence.text() == f"{LEFT} All else is as it was before."


def test_the_end_does_not_claim_what_is_not_so(qtbot):
    page = VerdictPage()
    qtbot.addWidget(page)
    plan = ExperimentForm(pairs=2).plan(TREATMENT, restart=False)
    page.show_end(Experiment(1, plan, State.REVERTED, 4))
    assert page._bar.heading.text() == ("The change was reverted: the server is as it was before.")
    page.show_end(Experiment(1, plan, State.REVERTED, 4, left_stored=(LEFT,)))
    assert page._bar.heading.text() == (
        f"The change was reverted. {LEFT} All else is as it was before."
    )
    page.show_open(plan)
    assert page._bar.sentence.text() == "Revert restores the server exactly as it was."
    page.show_decision(decision(), plan, (LEFT,))
    assert page._bar.sentence.text() == f"{LEFT} All else is as it was before."


def test_an_early_end_leaves_the_word_on_the_server_to_its_reason(qtbot):
    page = VerdictPage()
    qtbot.addWidget(page)
    plan = ExperimentForm(pairs=2).plan(TREATMENT, restart=False)
    why = Message("The link broke. The change may still be in force.")
    page.show_end(Experiment(1, plan, State.ABORTED, 4, why=why))
    assert page._bar.heading.text() == "The experiment ended early."
    assert page._bar.sentence.text() == str(why)


def test_the_run_page_shows_state_and_reason(qtbot):
    run = RunPage()
    qtbot.addWidget(run)
    plan = ExperimentForm(pairs=2).plan(TREATMENT, restart=False)
    run.begin(plan)
    run.show_state(
        Experiment(1, plan, State.ABORTED, 1, why=Message("The server went away.")), plan
    )
    assert run._band.heading.text() == "Ended early"
    assert run._band.sentence.text() == "The server went away."
    assert not run._stop.isEnabled()


def decision() -> Decision:
    return Decision(VERDICT, tails_picture())


@pytest.mark.parametrize(("button", "then"), [("_keep", Then.KEEP), ("_revert", Then.REVERT)])
def test_keep_and_revert_answer_once(qtbot, button, then):
    page = VerdictPage()
    qtbot.addWidget(page)
    page.show_decision(decision(), ExperimentForm().plan(TREATMENT, restart=False))
    page.show()
    with qtbot.waitSignal(page.decided) as decided:
        qtbot.mouseClick(getattr(page, button), Qt.MouseButton.LeftButton)
    assert decided.args == [then]
    assert not page._keep.isEnabled()
    assert not page._revert.isEnabled()


def test_the_decision_shows_what_is_in_force_and_what_each_answer_leaves(qtbot):
    page = VerdictPage()
    qtbot.addWidget(page)
    page.show()
    now = InForce(
        (Message("a: in force now: 1. Keep leaves 2, Revert leaves 1."),), Message("Read.")
    )
    plan = ExperimentForm(pairs=2).plan(TREATMENT, restart=False)
    page.show_decision(replace(decision(), in_force=now), plan)
    assert page._in_force.isVisible()
    assert page._in_force.text().splitlines() == [str(line) for line in now.lines]
    page.show_end(Experiment(1, plan, State.KEPT, 4))
    assert not page._in_force.isVisible(), "what an answer would have left is no news any more"


@pytest.mark.parametrize(
    ("primary", "p99", "preferred"),
    [
        ("better", "better", "_keep"),
        ("better", "inconclusive", "_keep"),
        ("better", "worse", "_revert"),
        ("worse", "better", "_revert"),
        ("not enough data", "inconclusive", "_revert"),
        ("suggests better", "better", "_revert"),
    ],
)
def test_the_primary_button_is_the_safe_choice(qtbot, primary, p99, preferred):
    metrics = {"p50": replace(METRIC, verdict=primary), "p99": replace(METRIC, verdict=p99)}
    verdict = replace(VERDICT, primary=metrics["p50"], metrics=metrics)
    page = VerdictPage()
    qtbot.addWidget(page)
    plan = ExperimentForm().plan(TREATMENT, restart=False)
    page.show_decision(replace(decision(), verdict=verdict), plan)
    prominent = [n for n in ("_keep", "_revert") if getattr(page, n).property("role") == "primary"]
    assert prominent == [preferred]


def test_what_is_too_small_to_matter_is_that_of_each_metric(qtbot):
    page = VerdictPage()
    qtbot.addWidget(page)
    stalls = replace(METRIC, metric="stall_n")
    told = replace(decision(), verdict=replace(VERDICT, metrics={"p99": METRIC, "n": stalls}))
    page.show_decision(told, ExperimentForm().plan(TREATMENT, restart=False))
    assert [rung.material for rung in page._ladder._rungs] == [1.05, 1.25]


def test_the_verdict_is_a_line_and_a_picture(qtbot):
    """Before and after as bars, also in numbers and for who does not see them."""
    page = VerdictPage()
    qtbot.addWidget(page)
    page.show()
    page.show_verdict(replace(VERDICT, primary=replace(METRIC, pooled_low=0.4, pooled_high=0.6)))
    assert page.bars.reading() == ("p99 etime was 20.0 ms before and 10.0 ms after the change.")
    rows = [[str(cell) for cell in row] for row in page.bars.numbers().rows]
    assert rows == [
        ["A, as it was", "20.0 ms", "–", "–"],
        ["B, with the change", "10.0 ms", "8.00 ms", "12.0 ms"],
    ]
    assert "interval" in page.bars.legend_label.text()
    page.show_verdict(replace(VERDICT, primary=replace(METRIC, a=None)))
    assert page.bars.numbers().rows == (), "no old picture under a new verdict"
    page.clear()


def test_the_band_does_not_say_better_twice(qtbot):
    band = VerdictBand()
    qtbot.addWidget(band)
    band.show_verdict(VERDICT)
    assert band.heading.text() == (
        "Operations are 2 times faster: p99 20.0 ms → 10.0 ms; "
        "chance alone does this in 3 of 100 experiments"
    )
    assert band.sentence.text() == "p99 went down."
    worse = replace(METRIC, verdict="worse", b=5e7)
    band.show_verdict(replace(VERDICT, primary=worse, warnings=(Message("Mind the gap."),)))
    assert band.property("mood") == "bad"
    assert band.heading.text().startswith("Operations are 2.5 times slower: ")
    assert band.sentence.text().endswith("Mind the gap.")


def test_the_plan_fits_into_a_small_window_in_german_too(qtbot, german, window):
    window.resize(1024, 700)
    qtbot.wait(20)
    window.show_screen("experiment")
    qtbot.wait(20)  # each is a step of a user's, with a turn of the window of its own
    window.experiment.show_body(window.experiment.stepper)
    window.experiment.go_to(DESIGN)
    qtbot.wait(50)
    assert window.width() == 1024
    for area in window.experiment.design.findChildren(QScrollArea):
        assert area.widget().width() <= area.viewport().width()


def test_the_names_of_fields_are_on_a_level_with_them(qtbot, window):
    window.show_screen("experiment")
    window.experiment.show_body(window.experiment.stepper)
    window.experiment.go_to(DESIGN)
    qtbot.wait(50)
    design = window.experiment.design
    for field in (design._design, design._pairs, design._slo, design._looks):
        [name] = [n for n in design.findChildren(QLabel) if n.buddy() is field]
        middles = [w.mapTo(design, w.rect().center()).y() for w in (name, field)]
        assert abs(middles[0] - middles[1]) <= 1, name.text()


def test_a_plan_on_the_practice_directory_says_how_fast_it_runs(qtbot, window, page):
    assert "faster than real time" not in page.summary.text()
    connect(window, Server(replace(FACTS, clock_rate=20.0)))
    page.set_treatment(TREATMENT, restart=False)
    assert "20 times faster than real time" in page.summary.text()
    idle(qtbot, window)
