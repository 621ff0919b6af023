"""Problems that administrators report: each has a finding, a case, the nearest one, a server.

The page docs/findings.md shows them with their findings (resources/advice/problems.toml).
"""

from __future__ import annotations

import ast
import re
import runpy
from functools import cache
from pathlib import Path

import pytest

from ldap_workbench.advice.evidence.wording import definitions

TESTS = Path(__file__).parents[2]
WRITER = runpy.run_path(str(TESTS.parent / "packaging" / "findings_page.py"))
handbook, problems = WRITER["handbook"], WRITER["problems"]
# In the order of the table: the file and its test that has the problem, the one that nearly has it
# (the same where one holds both), the one on a real server or practice directory, '' for none.
CASES = [
    (
        "test_group_writes",
        "test_internal_searches_inside_the_changes_are_counted",
        "test_some_searches_and_those_of_other_plugins_are_no_storm",
        "test_causes::test_a_storm_of_memberof_is_counted_and_was_foreseen",
    ),
    (
        "test_configuration_alone",
        "test_a_configuration_alone_tells",
        "test_a_configuration_that_is_nearly_so_says_nothing",
        "test_causes::test_the_configuration_that_a_server_wrote",
    ),
    (
        "test_search_kinds",
        "test_a_kind_of_search_that_takes_the_time",
        "test_a_kind_of_search_that_does_not",
        "test_server_causes::test_long_lists_of_an_index_and_none",
    ),
    (
        "test_beside",
        "test_pages_that_slow_others_are_told_with_what_it_costs_them",
        "test_pages_that_do_not_are_left_alone",
        "test_server_causes::test_pages_that_slow_all_others",
    ),
    (
        "test_search_kinds",
        "test_a_kind_of_search_that_takes_the_time",
        "test_a_kind_of_search_that_does_not",
        "test_causes::test_kinds_of_searches_that_cost",
    ),
    (
        "test_search_kinds",
        "test_a_kind_of_search_that_takes_the_time",
        "test_a_kind_of_search_that_does_not",
        "test_causes::test_kinds_of_searches_that_cost",
    ),
    (
        "test_repeats",
        "test_a_mod_of_34_s_among_2_to_3_s_ones_is_told",
        "test_three_times_as_slow_is_not_told",
        "test_advice::test_writes_that_wait_for_a_large_group",
    ),
    (
        "test_search_kinds",
        "test_a_kind_of_search_that_takes_the_time",
        "test_a_kind_of_search_that_does_not",
        "test_server_causes::test_searches_for_roles",
    ),
    (
        "test_beside",
        "test_the_difference_between_two_who_ask_the_same",
        "test_a_small_difference_few_searches_or_another_base",
        "test_causes::test_what_access_control_costs_is_measured_in_pairs",
    ),
    (
        "test_pressure",
        "test_one_thread_at_its_limit_beside_idle_processors",
        "test_a_thread_that_was_busy_for_a_moment_is_none",
        "test_server_causes::test_more_connections_than_descriptors",
    ),
    (
        "test_threads",
        "test_pauses_of_clients_are_no_waiting_for_a_worker",
        "test_short_pauses_and_busy_workers_are_no_pauses",
        "test_advice::test_nothing_is_said_of_a_healthy_server",
    ),
    (
        "test_timers",
        "test_a_narrow_peak_at_a_known_constant_has_its_name",
        "test_a_tail_of_load_has_no_peak",
        "",
    ),
    (
        "test_worker_pool",
        "test_all_workers_busy_with_a_queue",
        "test_a_queue_or_busy_workers_alone",
        "test_worker_pool::test_answers_tell_that_the_pool_is_full",
    ),
    (
        "test_replication",
        "test_searches_that_wait_for_changes",
        "test_searches_that_do_not_wait_or_are_few",
        "test_causes::test_searches_that_wait_for_changes",
    ),
    (
        "test_logs_and_errors",
        "test_binds_that_hash",
        "test_binds_that_hash",
        "test_lessons::test_the_verdict_is_the_truth",
    ),
    (
        "test_login_writes",
        "test_changes_inside_binds_are_counted_and_priced",
        "test_some_changes_inside_binds_are_no_finding",
        "test_causes::test_logins_that_write",
    ),
    (
        "test_serial_binds",
        "test_a_staircase_of_binds",
        "test_binds_that_do_not_wait_for_pam",
        "test_server_causes::test_binds_that_pam_serves_one_by_one",
    ),
    (
        "test_logs_and_errors",
        "test_deadlocks_against_etime",
        "test_other_lines_of_the_error_log_are_no_errors",
        "test_database_causes::test_writes_that_deadlock",
    ),
    (
        "test_upkeep",
        "test_locks_that_run_out",
        "test_locks_that_run_out",
        "test_database_causes::test_a_change_that_takes_the_locks_of_the_database",
    ),
    (
        "test_upkeep",
        "test_a_compaction_that_stops_operations",
        "test_a_compaction_that_nobody_notices_is_only_noted",
        "test_database_causes::test_a_compaction_that_stops_writes",
    ),
    (
        "test_configuration_alone",
        "test_a_configuration_alone_tells",
        "test_a_configuration_that_is_nearly_so_says_nothing",
        "test_replication_knobs::test_a_changelog_without_an_end_is_named",
    ),
    (
        "test_agreements",
        "test_an_agreement_that_cannot_connect",
        "test_an_agreement_that_works_or_meets_a_busy_replica",
        "test_replication_knobs::test_an_agreement_that_fails_is_named_and_one_that_is_off_is_not",
    ),
    (
        "test_disk",
        "test_writes_that_wait_for_flushes",
        "test_writes_that_wait_for_flushes",
        "test_database_causes::test_writes_that_wait_for_the_flush_of_their_disk",
    ),
    (
        "test_replication",
        "test_operations_stop_while_the_log_is_rotated",
        "test_files_that_end_without_a_pause",
        "test_server_causes::test_a_large_log_that_is_packed_when_it_is_rotated",
    ),
    (
        "test_resident",
        "test_memory_that_grows_all_along",
        "test_memory_that_its_caches_take",
        "test_openldap_causes::test_the_memory_that_slapd_takes_for_each_file_it_may_open",
    ),
    (
        "test_changelogs",
        "test_a_retro_changelog_without_an_age",
        "test_a_retro_changelog_that_forgets",
        "test_causes::test_the_configuration_that_a_server_wrote",
    ),
    (
        "test_search_kinds",
        "test_an_index_that_is_configured_and_not_used",
        "test_an_index_that_is_not_there_or_could_not_help",
        "test_server_causes::test_an_index_that_was_added_and_never_built",
    ),
    (
        "test_clients",
        "test_a_client_that_connects_for_each_search_is_named_with_its_cost",
        "test_few_or_rare_or_long_connections_are_no_missing_pool",
        "test_client_causes::test_clients_are_named_for_what_they_do",
    ),
    (
        "test_threads",
        "test_many_threads_on_few_busy_cores",
        "test_many_threads_on_few_busy_cores",
        "test_lessons::test_the_verdict_is_the_truth",
    ),
    (
        "test_upkeep",
        "test_a_long_free_list_with_slow_writes",
        "test_a_long_free_list_with_slow_writes",
        "test_openldap_causes::test_a_long_list_of_free_pages",
    ),
    (
        "test_dynlist",
        "test_what_is_computed_beside_the_same_search_without",
        "test_what_dynlist_did_not_cost",
        "test_openldap_causes::test_what_dynlist_costs_each_search",
    ),
    (
        "test_aliases",
        "test_aliases_that_cost_beside_the_same_search_without",
        "test_aliases_that_cost_nothing",
        "test_openldap_causes::test_aliases_that_are_followed",
    ),
    (
        "test_index_keys",
        "test_a_value_that_is_slow_though_few_entries_have_it",
        "test_values_that_are_slow_for_another_reason",
        "test_openldap_causes::test_a_key_that_had_too_many_entries_is_a_range",
    ),
    (
        "test_changelogs",
        "test_writes_that_stop_as_often_as_the_accesslog_is_purged",
        "test_stalls_that_the_purge_does_not_explain",
        "",
    ),
    (
        "test_resident",
        "test_the_table_of_connections_of_slapd",
        "test_a_limit_that_was_raised_later_or_is_usual",
        "test_openldap_causes::test_the_memory_that_slapd_takes_for_each_file_it_may_open",
    ),
    (
        "test_configuration_alone",
        "test_a_configuration_alone_tells",
        "test_a_configuration_that_is_nearly_so_says_nothing",
        "test_openldap_causes::test_every_connection_waits_for_the_dns",
    ),
    (
        "test_index_keys",
        "test_opendj_marks_a_value_that_too_many_entries_have",
        "test_opendj_without_an_index_at_all_or_with_a_good_one",
        "test_opendj::test_a_value_that_too_many_entries_have",
    ),
    (
        "test_upkeep",
        "test_work_of_the_server_has_a_beginning_and_an_end",
        "test_a_compaction_that_nobody_notices_is_only_noted",
        "test_server_causes::test_work_of_the_server_beside_its_clients",
    ),
    (
        "test_upkeep",
        "test_a_host_that_waits",
        "test_a_host_that_hardly_waits",
        "test_server_causes::test_a_limit_of_its_group_holds_the_server_back",
    ),
    (
        "test_known_defects",
        "test_a_defect_that_shows",
        "test_a_defect_that_does_not_show",
        "",
    ),
]


@cache
def functions_of(file: Path) -> set[str]:
    tree = ast.parse(file.read_text("utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def exists(name: str, folder: str) -> bool:
    module, _, function = name.partition("::")
    (file,) = (TESTS / folder).rglob(f"{module}.py")
    return function in functions_of(file)


def test_there_are_forty_problems_each_with_its_cases() -> None:
    assert len(problems()) == len(CASES) == 40


@pytest.mark.parametrize(("problem", "cases"), [*zip(problems(), CASES, strict=True)])
def test_a_problem_has_findings_a_case_the_nearest_one_and_a_server_or_why_none(
    problem: dict[str, object], cases: tuple[str, str, str, str]
) -> None:
    module, case, near, live = cases
    assert problem["findings"]
    assert set(problem["findings"]) <= definitions().keys()  # type: ignore[call-overload]
    assert exists(f"{module}::{case}", "unit/advice")
    assert exists(f"{module}::{near}", "unit/advice")
    assert bool(live) != str(problem["made"]).startswith("not made: ")
    assert not live or exists(live, "live")


def test_links_of_the_table_lead_to_the_findings() -> None:
    page = handbook()
    headings = {
        re.sub(r"[^\w -]", "", line.removeprefix("## ").lower()).replace(" ", "-")
        for line in page.splitlines()
        if line.startswith("## ")
    }
    assert set(re.findall(r"\]\(#([^)]*)\)", page)) <= headings
