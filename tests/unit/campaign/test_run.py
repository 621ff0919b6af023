"""A campaign on no server: what is tried, kept, reverted and confirmed, and how it goes on."""

import json
from dataclasses import replace
from types import SimpleNamespace

import pytest

from ldap_workbench.campaign.description import headline
from ldap_workbench.campaign.plan import Limits, make_campaign
from ldap_workbench.campaign.run import CampaignRun
from ldap_workbench.campaign.state import CAMPAIGNS, Fate, Stage
from ldap_workbench.experiment.plan import make_plan
from ldap_workbench.model.errors import ChangeError, KnobError, UsageError
from ldap_workbench.model.experiment import Design
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.message import NOTHING, Message
from ldap_workbench.model.progress import Cancel, no_progress
from ldap_workbench.report.campaign import campaign_html, to_markdown
from tests.unit.campaign.acting import FREE, TRIAL, Killed, Server, candidate, fates


def test_the_good_stays_and_is_confirmed_as_a_whole(play):
    server = Server({"a=1": "better", "c=1": "better", "a=1 + c=1": "better"})
    done = play(server, candidate("a"), candidate("b"), candidate("c"), candidate("d"))
    assert fates(done) == ["kept", "reverted", "kept", "reverted"]
    assert server.in_force == {"a": "1", "c": "1"}
    assert done.confirmed
    assert str(headline(done)) == (
        "Confirmed on fresh windows: a=1 + c=1, slo ×0.5 (×0.4 to ×0.6). It is kept."
    )
    # The share of 'a' passed on to 'b', and was gone with it; that of 'c' passed on to 'd'.
    assert server.told == [
        ("a=1", 0.0125), ("b=1", 0.025), ("c=1", 0.0125), ("d=1", 0.025), ("a=1 + c=1", 0.05),
    ]  # fmt: skip


def test_what_is_not_confirmed_is_reverted_to_the_last(play):
    server = Server({"a=1": "better", "c=1": "better"})
    done = play(server, candidate("a"), candidate("c"))
    assert server.in_force == {}
    assert not done.confirmed
    assert "not confirmed on fresh windows: inconclusive" in str(headline(done))


def test_nothing_good_needs_no_confirmation(play):
    server = Server({"a=1": "worse"})
    done = play(server, candidate("a"), candidate("b"))
    assert done.confirmation is None
    assert str(headline(done)).startswith("Nothing in the queue was better.")


STORED = Message("nsslapd-threadnumber was automatic; reverted, it is stored as 16.")


def test_the_headline_says_what_stays_stored(play):
    server = Server({"a=1": "worse"})
    server.left_stored = (STORED,)
    done = play(server, candidate("a"))
    rest = f"{STORED} All else is as it was before."
    assert str(headline(done)) == f"Nothing in the queue was better. {rest}"
    assert CAMPAIGNS.of(play.output).left_stored == (STORED,)
    server = Server({"a=1": "better", "c=1": "better"})
    server.left_stored = (STORED,)
    not_confirmed = headline(play(server, candidate("a"), candidate("c")))
    assert str(not_confirmed).endswith(f"Everything was reverted. {rest}")


def test_a_safety_limit_ends_one_treatment_not_the_campaign(play):
    server = Server({"a=1": "guard", "b=1": "better"})
    done = play(server, candidate("a"), candidate("b"))
    assert fates(done) == ["aborted", "kept"]
    assert str(done.entries[0].why) == "The p99 is over its limit."


def test_an_index_without_room_ends_one_treatment_not_the_campaign(play):
    server = Server({"b=1": "full", "c=1": "better"})
    plan = server.plan

    def plan_or_refuse(treatment):
        if str(treatment) == "a=1":
            raise KnobError(Message("No room."), safe=NOTHING)
        return plan(treatment)

    server.plan = plan_or_refuse
    done = play(server, candidate("a"), candidate("b"), candidate("c"))
    assert fates(done) == ["dropped", "aborted", "kept"]
    assert [str(entry.why) for entry in done.entries[:2]] == ["No room.", "The disk is full."]


def test_a_change_that_is_still_open_ends_it(play):
    server = Server({"a=1": "guard"})
    server.open_changes = lambda: [SimpleNamespace(session="somebody's")]
    with pytest.raises(ChangeError, match="still open"):
        play(server, candidate("a"))
    assert server.told == []


def test_another_value_of_what_stayed_is_not_tried(play):
    server = Server({"a=1": "better"})
    done = play(server, candidate("a"), candidate("a", "2"), candidate("b"))
    assert fates(done) == ["kept", "dropped", "reverted"]
    assert str(done.entries[1].why) == "a=1 stayed, and the two contradict each other in a."


def test_what_advice_excludes_is_not_tried(play):
    server = Server({"a=1": "better"})
    done = play(
        server,
        candidate("a", advice="cache-tmpfs", excludes=("cache-tiny",)),
        candidate("b", advice="cache-tiny"),
    )
    assert str(done.entries[1].why) == "a=1 stayed, which excludes it."


def test_what_the_server_has_already_is_not_tried(play):
    server = Server({})
    server.in_force["b"] = "1"
    done = play(server, candidate("a"), candidate("b"))
    assert fates(done) == ["reverted", "dropped"]


def test_the_budget_keeps_room_for_the_confirmation(play):
    server = Server({"a=1": "better"})
    one = 24 * (60 + 5 + 15)
    done = play(server, candidate("a"), candidate("b"), limits=Limits(budget_s=2 * one))
    assert fates(done) == ["kept", "dropped"]
    assert str(done.entries[1].why) == "The hours left do not hold it and the confirmation."
    short = Limits(budget_s=1e6, restarts=49)
    done = play(Server({}), candidate("r"), candidate("s", restart=True), limits=short)
    assert str(done.entries[1].why) == "The restarts left do not hold it and the confirmation."


@pytest.mark.parametrize("dies", ["a=1", "b=1", "c=1", "a=1 + c=1"])
def test_killed_anywhere_it_goes_on_where_it_was(play, dies):
    server = Server({"a=1": "better", "c=1": "better", "a=1 + c=1": "better"})
    server.dies_before = {dies}
    queue = (candidate("a"), candidate("b"), candidate("c"))
    with pytest.raises(Killed):
        play(server, *queue)
    stored = CAMPAIGNS.of(play.output)
    assert stored.stage is not Stage.DONE
    done = play(server, *queue, campaign=stored)
    assert fates(done) == ["kept", "reverted", "kept"]
    assert server.in_force == {"a": "1", "c": "1"}
    assert [name for name, _ in server.told].count(dies) == 2
    assert len(server.told) == 5


def test_killed_before_the_end_was_noted_it_is_not_run_again(play, monkeypatch):
    server = Server({"a=1": "better"})
    put = CampaignRun._put

    def dying(self, index, **changes):
        if changes.get("fate") is Fate.KEPT:
            raise Killed
        put(self, index, **changes)

    monkeypatch.setattr(CampaignRun, "_put", dying)
    with pytest.raises(Killed):
        play(server, candidate("a"))
    monkeypatch.setattr(CampaignRun, "_put", put)
    done = play(server, candidate("a"), campaign=CAMPAIGNS.of(play.output))
    assert fates(done) == ["kept"]
    assert [name for name, _ in server.told] == ["a=1", "a=1"]  # the second is the confirmation


def test_a_file_that_claims_to_have_kept_something_is_not_believed(play, monkeypatch):
    server = Server({"a=1": "better"})
    keep = server.keep

    def in_another_session(treatment, session):
        return keep(treatment, "/elsewhere.ldapwb")

    monkeypatch.setattr(server, "keep", in_another_session)
    with pytest.raises(ChangeError, match="the journal does not know"):
        play(server, candidate("a"))


def test_what_a_kill_left_open_is_reverted_first(play):
    server = Server({})
    server.dies_before = {"a=1"}
    with pytest.raises(Killed):
        play(server, candidate("a"))
    stored = CAMPAIGNS.of(play.output)
    server.open = [SimpleNamespace(session=stored.entries[0].session)]
    play(server, candidate("a"), campaign=stored)
    assert server.open == []


def test_its_state_is_read_as_it_was_written(play):
    done = play(Server({"a=1": "better"}), candidate("a", why=Message("Slow binds")))
    assert CAMPAIGNS.of(play.output) == done


@pytest.mark.parametrize(
    ("queue", "trial", "limits", "said"),
    [
        ((), TRIAL, FREE, "needs treatments"),
        ((candidate("a"), candidate("a")), TRIAL, FREE, "in the queue twice"),
        ((candidate("a"),), TRIAL, Limits(60.0), "does not hold one experiment"),
        (tuple(map(candidate, "abcdefghij")), replace(TRIAL, looks=(6, 12)), FREE, ""),
        (
            tuple(map(candidate, "abcdefghij")),
            make_plan(Treatment(()), Design("pairs", 8), window_s=60, seed=1),
            FREE,
            "With 10 treatments, 8 pairs of windows are too few for a verdict",
        ),
        (
            (candidate("a"),),
            make_plan(Treatment(()), Design("abba", 4), window_s=60, seed=1),
            FREE,
            "randomised pairs",
        ),
    ],
)
def test_a_plan_that_cannot_find_anything_is_refused(queue, trial, limits, said):
    if not said:
        assert make_campaign(queue, trial, limits)
        return
    with pytest.raises(UsageError, match=said):
        make_campaign(queue, trial, limits)


def test_the_page_for_the_change_board(play):
    server = Server({"a=1": "better"})
    page = to_markdown(play(server, candidate("a"), candidate("b|c")))
    assert "| a=1 | kept | better | ×0.5 | ×0.4 to ×0.6 | 0.001 | 0.025 |" in page
    assert "| b\\|c=1 | reverted | inconclusive |" in page
    assert "    ldap-workbench revert lab 7" in page


def test_one_that_is_ended_reverts_all_that_stayed(play):
    server = Server({"a=1": "better"})
    server.dies_before = {"b=1"}
    with pytest.raises(Killed):
        play(server, candidate("a"), candidate("b"))
    assert server.in_force == {"a": "1"}
    run = CampaignRun(
        server, server, CAMPAIGNS.of(play.output), progress=no_progress, cancel=Cancel()
    )
    done = run.revert_all()
    assert server.in_force == {}
    assert done.stage is Stage.STOPPED
    assert CAMPAIGNS.of(play.output).ended
    assert str(headline(done)) == "The campaign was stopped. The server is as it was before."


def test_all_campaigns_are_found_and_a_broken_file_is_counted(play, tmp_path):
    done = play(Server({}), candidate("a"))
    (CAMPAIGNS.path(play.output).parent / "x.json").write_text("{")
    assert CAMPAIGNS.all() == ([done], 1)


def test_one_that_an_earlier_version_left_goes_on(play):
    """Its file does not say what reverts left stored: the journal does."""
    server = Server({"a=1": "better"})
    server.dies_before = {"b=1"}
    server.left_stored = (STORED,)
    queue = (candidate("a"), candidate("b"))
    with pytest.raises(Killed):
        play(server, *queue)
    path = CAMPAIGNS.path(play.output)
    written = json.loads(path.read_text("utf-8"))
    del written["left_stored"]
    path.write_text(json.dumps(written), "utf-8")
    done = play(server, *queue, campaign=CAMPAIGNS.of(play.output))
    assert done.left_stored == (STORED,)
    assert done.ended


def test_the_page_for_a_change_board_shows_names_as_text(play):
    server = Server({"a=<b>1": "better"})
    done = play(server, candidate("a", "<b>1"), candidate("b"))
    page = campaign_html(done)
    assert "a=&lt;b&gt;1" in page
    assert "<b>1" not in page
    assert "ldap-workbench revert lab 7" in page
    assert "×0.5" in page
