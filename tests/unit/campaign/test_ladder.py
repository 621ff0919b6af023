"""A ladder on no server: which levels go on, which one is confirmed, and what is said of them."""

import pytest

from ldap_workbench.campaign.description import describe, headline
from ldap_workbench.campaign.ladder import Rung, shape
from ldap_workbench.campaign.plan import Limits, make_ladder
from ldap_workbench.campaign.state import CAMPAIGNS
from ldap_workbench.model.errors import UsageError
from ldap_workbench.report.campaign import to_markdown
from tests.unit.campaign.acting import FREE, TRIAL, Killed, Server, candidate, fates

RATIOS = {"t=1": 1.4, "t=2": 1.1, "t=4": 0.9, "t=8": 0.6, "t=16": 0.8, "t=32": 1.6}


def levels(*values):
    return [candidate("t", value) for value in values or ("1", "2", "4", "8", "16", "32")]


@pytest.fixture
def climb(play):
    def on(server, *values, **more):
        server.ratios = RATIOS
        return play(server, *levels(*values), make=make_ladder, **more)

    return on


def test_the_better_half_goes_on_and_the_best_is_confirmed(climb):
    server = Server({"t=8": "better"})
    done = climb(server)
    assert server.pairs == [
        *((f"t={value}", 6) for value in (1, 2, 4, 8, 16, 32)),
        *((f"t={value}", 12) for value in (4, 8, 16)),
        ("t=8", 12),  # the confirmation
    ]
    assert fates(done) == [*["reverted"] * 7, "chosen", "reverted"]
    assert done.confirmed
    assert server.in_force == {"t": "8"}
    assert {level for _, level in server.told} == {0.05}


def test_a_choice_that_is_not_confirmed_is_reverted(climb):
    server = Server({})
    done = climb(server)
    assert server.in_force == {}
    assert "not confirmed on fresh windows" in str(headline(done))


def test_where_no_level_is_better_none_is_confirmed(climb):
    done = climb(Server({"t=64": "guard"}), "1", "2", "32", "64")
    assert done.confirmation is None
    assert str(headline(done)).startswith("No level was better.")


@pytest.mark.parametrize("word", ["not settled", "not comparable"])
def test_a_level_without_a_comparison_is_neither_chosen_nor_beaten_in_silence(climb, word):
    """t=8 has by far the best ratio, of a comparison that says nothing of it."""
    server = Server({"t=8": word, "t=16": "better"})
    done = climb(server)
    assert ("t=8", 12) not in server.pairs
    assert done.confirmation.treatment == "t=16"
    said = str(headline(done))
    assert said.startswith("Confirmed on fresh windows: t=16")
    assert f"Not ranked: t=8 ({word}). Whether they are better or worse" in said
    page = to_markdown(done)
    assert "Not ranked: t=8" in page
    assert "| t=8 | ×0.6 |" not in page
    assert "t=8 is better" not in page


def test_levels_that_had_settled_at_first_only_are_not_chosen(climb):
    class Moves(Server):
        """t=8 is not settled in the second round."""

        @property
        def verdicts(self):
            late = ("t=8", 12) in self.pairs
            return {"t=8": "not settled" if late else "inconclusive", "t=16": "better"}

        @verdicts.setter
        def verdicts(self, _):
            pass

    done = climb(Moves({}))
    assert done.confirmation.treatment == "t=16"
    assert "Not ranked: t=8 (not settled)." in str(headline(done))


def test_where_no_level_can_be_ranked_none_is_called_beaten(climb):
    words = ("not settled", "not comparable", "not settled", "not comparable")
    names = ("1", "2", "4", "8")
    done = climb(Server({f"t={n}": w for n, w in zip(names, words, strict=True)}), *names)
    assert done.confirmation is None
    said = str(headline(done))
    assert said.startswith("No level could be chosen. Not ranked: t=1 (not settled), ")
    assert "better." not in said


def test_a_level_that_a_safety_limit_ended_does_not_go_on(climb):
    server = Server({"t=8": "guard", "t=16": "better"})
    done = climb(server)
    assert ("t=8", 12) not in server.pairs
    assert done.confirmation.treatment == "t=16"


def test_killed_in_any_round_it_goes_on_where_it_was(climb, play):
    server = Server({"t=8": "better"})
    for dies in ("t=4", "t=16", "t=8"):
        server.dies_before = {dies}
        with pytest.raises(Killed):
            climb(server, campaign=CAMPAIGNS.of(play.output))
    done = climb(server, campaign=CAMPAIGNS.of(play.output))
    assert done.confirmed
    assert len(server.pairs) == 10 + 3


def test_hours_that_end_early_still_leave_a_choice(climb):
    one = 2 * (60 + 5 + 15)
    server = Server({"t=8": "better"})
    done = climb(server, limits=Limits(budget_s=(6 + 12) * one + 1))
    assert fates(done) == [*["reverted"] * 3, "chosen", *["reverted"] * 2, *["dropped"] * 3]
    assert done.confirmation.treatment == "t=8"


@pytest.mark.parametrize("count", [1, 3, 7])
def test_a_ladder_has_four_to_six_levels(count):
    with pytest.raises(UsageError, match="4 to 6 levels"):
        make_ladder(levels(*map(str, range(count))), TRIAL, FREE)


def test_its_plan_says_rounds_and_hours():
    said = [str(line) for line in describe(make_ladder(levels(), TRIAL, FREE))]
    assert said[0] == "Levels: t=1, t=2, t=4, t=8, t=16, t=32"
    assert "6 pairs, 12 pairs" in said[2]
    assert said[3].startswith("9 experiments and a confirmation")


def test_the_page_shows_every_level_with_its_interval(climb):
    page = to_markdown(climb(Server({"t=8": "better"})))
    assert "| t=1 | ×1.4 | ×1.12 to ×1.68 |" in page
    assert "U shape: t=8 is better than t=1 and than t=32." in page


@pytest.mark.parametrize(
    ("ratios", "said"),
    [
        ((1.0, 0.9, 1.0), "no shape is established"),
        ((1.5, 0.9, 0.8, 0.5), "One direction: d=4 is better than d=1; no level beyond"),
        ((0.5, 0.8, 1.5), "One direction: d=1 is better than d=2"),
        ((1.5, 0.5, 1.5), "U shape: d=2 is better than d=1 and than d=3."),
    ],
)
def test_the_shape_is_that_of_the_intervals(ratios, said):
    rungs = [
        Rung(f"d={n}", ratio, 0.85 * ratio, 1.15 * ratio) for n, ratio in enumerate(ratios, start=1)
    ]
    assert said in str(shape(rungs))
