"""The page for administrators: every finding, when it is made, what it shows, what may be advised.

    .venv/bin/python packaging/findings_page.py        write docs/findings.md anew

Written from the data that the findings and the advice are made of, so that neither can say another
limit than the other.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from ldap_workbench.advice.evidence.wording import (
    can_be_of,
    definitions,
    families,
    filled,
    limits,
    names_in,
    step_of,
)
from ldap_workbench.advice.rules.basis import Basis
from ldap_workbench.advice.rules.rule import BY_HAND, Rule, every_rule
from ldap_workbench.advice.rules.values import values_of
from ldap_workbench.resources import resource
from ldap_workbench.servers.product import fits_product
from ldap_workbench.tuning.catalogue import load_catalogue, parse_setting
from ldap_workbench.tuning.versions import parsed

PAGE = Path(__file__).parents[1] / "docs" / "findings.md"
_HEAD = """\
# Findings, and what may be advised

This page lists every finding of `ldap-workbench findings` and of the window: when it is made, its
evidence, its confidence, what would disprove it, and which advice it may back.

- **Order.** Each card states its cost where the sources show it: seconds of worker threads an hour,
  and seconds an hour that clients waited. The larger of both decides the order. Five cards come
  first; findings with one cause form a group.
- **Advice** is given where its conditions hold on the server. It is ranked by its expected effect
  on the tail you optimise for, then by cost, then by risk. Advice of high risk comes last and never
  alone. Advice marked with a product is for that product only, and is given only where the log, the
  configuration or the server itself shows that it is one.

This page is generated from the limits that the program uses:
`packaging/findings_page.py`."""
_SEVERITY = {1: "worth knowing", 2: "worth an experiment", 3: "likely the cause"}
_PRODUCTS = (
    ("389ds", "389"),
    ("dsee", "DSEE"),
    ("openldap", "OpenLDAP"),
    ("opendj", "OpenDJ"),
    ("unboundid", "UnboundID"),
)
_PRODUCTS_HAD = {"389ds": "389 DS", "openldap": "OpenLDAP", "opendj": "OpenDJ"}
"""Those whose knobs are tried."""
SETTINGS_FROM = {
    "index_settings": ("index.ATTRIBUTE=TYPES",),
    "removal_settings": ("index.ATTRIBUTE=eq",),
    "limit_settings": ("backend-index-entry-limit.ATTRIBUTE=20000",),
    "key_settings": ("nsIndexIDListScanLimit.ATTRIBUTE+=LIMIT",),
    "memberof_settings": ("memberOfAllBackends=off",),
    "changelog_settings": ("nsslapd-changelogmaxage=7d",),
    "cache_settings": ("nsslapd-cachememsize=SIZE",),
    "vlv_settings": ("vlv.NAME=BASE SCOPE FILTER ORDER",),
    "paged_settings": ("nsslapd-pagedlookthroughlimit=ENTRIES",),
    "entrydn_settings": ("index.entrydn=absent",),
    "heap_settings": ("java-args.heap=SIZE",),
    "scheduler_settings": (
        "kernel.sched_min_granularity_ns=10000000",
        "sched-features=NO_WAKEUP_PREEMPTION",
        "sched-base-slice=10000000",
    ),
    "map_settings": ("olcDbMaxSize=SIZE",),
    "sort_settings": ("olcSssVlvMax=4",),
    "limits_settings": ("olcLimits+=LIMITS",),
    "list_settings": ("olcBkMdbIdlExp=18",),
    "more_files_settings": ("LimitNOFILE=8192",),
    "fewer_files_settings": ("LimitNOFILE=10000",),
    "swap_settings": ("vm.swappiness=10",),
    "allocator_settings": ("nsslapd-malloc-trim-threshold=131072",),
    "thread_settings": ("nsslapd-numlisteners=2", "nsslapd-accesslog-compress=off"),
}
"""What computed settings (rules/values.py) are of; several where the server decides which."""


def handbook() -> str:
    """The whole page as Markdown."""
    parts = [_HEAD, _table_of_problems(), _table_of_products()]
    for title, findings in families().items():
        parts += [f"# {title}", *(_section(which) for which in findings)]
    return "\n\n".join([*parts, _table_of_advice()]) + "\n"


def _table_of_advice() -> str:
    """Which advice an experiment tries, on what that was tried, and why the other is by hand."""
    rules = every_rule()
    asked = [rule for rule in rules if rule.you_name]
    tried = [rule for rule in rules if rule.is_tried and not rule.you_name]
    rows = [
        "# Which advice is tried",
        "",
        f"An experiment tries {len(tried)} of {len(rules)} pieces of advice and puts back what it "
        f"changed, and {len(asked)} more once you name a folder or file. The last column has the "
        "versions of the servers, or the kernels of the hosts, on which the tests set it, proved "
        "it and put it back exactly. The others stay by hand for "
        f"one of these reasons: {'; '.join(BY_HAND.values())}.",
        "",
        "| advice | for | tried | on |",
        "|---|---|---|---|",
    ]
    for rule in rules:
        how = (
            f"{_how_tried(rule)} | {_tried_on(rule)}"
            if rule.is_tried
            else f"by hand | {BY_HAND[rule.by_hand]}: {rule.because}{_ran_on(rule)}"
        )
        rows.append(f"| {usual_title(rule)} | {_marks(rule)} | {how} |")
    return "\n".join(rows)


def _ran_on(rule: Rule) -> str:
    return f"; its commands were run on {_marks(rule)} {', '.join(rule.ran_on)}" * bool(rule.ran_on)


def _marks(rule: Rule) -> str:
    return ", ".join(mark for product, mark in _PRODUCTS if product in rule.products) or "all"


def _how_tried(rule: Rule) -> str:
    if rule.plan_option:
        return f"`{rule.plan_option}` of the experiment"
    if rule.settings_from == "index_settings":
        return "the missing indexes: `index.ATTRIBUTE=TYPES`"
    return ", ".join(f"`{setting}`" for setting in _settings(rule))


def _settings(rule: Rule) -> tuple[str, ...]:
    return (rule.you_name,) if rule.you_name else rule.settings or SETTINGS_FROM[rule.settings_from]


def _tried_on(rule: Rule) -> str:
    """Versions by product, in the words of the catalogue of knobs."""
    if rule.plan_option:
        return "389 DS on Linux"
    names = [parse_setting(text).knob for text in _settings(rule)]
    on: dict[str, set[str]] = {}
    for product in rule.products or ("389ds",):
        if product not in _PRODUCTS_HAD:
            continue
        known = load_catalogue(product)
        for knob in (known.knob(re.sub(r"\.(ATTRIBUTE|NAME)$", "", name)) for name in names):
            where = "Linux" if knob.on_host else str(_PRODUCTS_HAD[product])
            on.setdefault(where, set()).update(knob.verified)
    return (
        "; ".join(
            f"{where} {', '.join(sorted(versions, key=parsed))}"
            for where, versions in on.items()
            if versions
        )
        or "no real server yet"
    )


@cache
def problems() -> tuple[dict[str, Any], ...]:
    """What administrators report: `reported`, the `findings` that name it, where it was `made`."""
    text = resource("advice/problems.toml").read_text("utf-8")
    return tuple(tomllib.loads(text)["problem"])


def _table_of_problems() -> str:
    """A problem a row, with links to the findings below."""
    rows = [
        "# Which problem is named by which finding",
        "",
        "Problems that administrators report in the issue trackers and lists of their servers. The",
        "last column says on which real server the tests make it, or why they do not. Each is also",
        "tested against a log or configuration that has it, and the nearest one that has not.",
        "",
        "| problem | findings | made on a real server |",
        "|---|---|---|",
    ]
    for problem in problems():
        links = ", ".join(f"[`{which}`](#{_anchor(which)})" for which in problem["findings"])
        rows.append(f"| {problem['reported']} | {links} | {problem['made']} |")
    return "\n".join(rows)


_COLUMNS = (
    ("389ds", "389 DS"),
    ("dsee", "DSEE"),
    ("openldap", "OpenLDAP"),
    ("opendj", "OpenDJ, PingDS"),
    ("unboundid", "PingDirectory"),
)


def _table_of_products() -> str:
    """A finding a row and a product a column."""
    rows = [
        "# Which finding is made of which server",
        "",
        "— says that a finding is never made of that product. A number says how many pieces of its",
        "advice are for that product or for any host; 0 that there is none, and the finding itself",
        "says what to do or whom to ask; “only seen” that it says neither, and is made for what it",
        "shows. It is made where its sources are there: an imported log has no counters.",
        "",
        f"| finding | {' | '.join(title for _, title in _COLUMNS)} |",
        f"|---|{'---:|' * len(_COLUMNS)}",
    ]
    for which in definitions():
        cells = [_pieces_of_advice(which, product) for product, _ in _COLUMNS]
        rows.append(f"| [`{which}`](#{_anchor(which)}) | {' | '.join(cells)} |")
    return "\n".join(rows)


def _pieces_of_advice(which: str, product: str) -> str:
    """How much advice one product may be given of a finding."""
    if not can_be_of(which, product):
        return "—"
    backed = [rule for rule in every_rule() if which in rule.findings]
    count = sum(fits_product(rule.products, product) for rule in backed)
    return str(count) if count or _says_what_to_do(which, product) else "only seen"


def _says_what_to_do(which: str, product: str) -> bool:
    """Whether the finding itself does, or whom to ask, on a server of one product."""
    definition = definitions()[which]
    steps = (step_of(stored) for stored in definition.get("owner", ()))
    return "instead" in definition or any(fits_product(step.products, product) for step in steps)


def _anchor(which: str) -> str:
    """Of the heading of a finding, as GitHub and the site make it."""
    definition = definitions()[which]
    heading = f"{definition['title']} ({which}, {_SEVERITY[definition['severity']]})".lower()
    return re.sub(r"[^\w -]", "", heading).replace(" ", "-")


def _section(which: str) -> str:
    definition = definitions()[which]
    seen = definition["seen"].format(**limits(which))
    evidence = definition["evidence"].format(**limits(which))
    instead = [definition["instead"]] if "instead" in definition else []
    advised = "; ".join([*_advice(which), *instead]) or _nothing(definition)
    cost = definition.get("uncosted")
    text = (
        f"## {definition['title']} (`{which}`, {_SEVERITY[definition['severity']]})\n\n"
        f"- *Seen:* {seen}\n- *Evidence:* {evidence}\n- *May be advised:* {advised}.\n"
        f"- *Cost:* {f'not known where {cost}' if cost else 'of the operations it names'}.\n"
        f"- *Confidence:* {definition['confidence']}. *Disproved by:* {definition['disproof']}"
    )
    if owner := definition.get("owner"):
        steps = " ".join(step_of(step).text for step in owner)
        text += f"\n- *For the owner of the clients:* {steps}"
    return re.sub(r"(\d)%", r"\1 %", text)


def _nothing(definition: dict[str, Any]) -> str:
    """Why there is no advice."""
    if definition.get("owner"):
        return "nothing on the server: its owner can change the client"
    return "nothing: it says how far the window can be trusted"


def _advice(which: str) -> Iterator[str]:
    """Titles of advice, with the product where it is for one only."""
    rules = [rule for rule in every_rule() if which in rule.findings]
    titles: dict[str, list[str]] = {}
    for rule in rules:
        marks = [mark for product, mark in _PRODUCTS if product in rule.products]
        titles.setdefault(f"{usual_title(rule)} ({{}}{_drawbacks(rule)})", []).extend(marks)
    yield from (title.format(", ".join(marks)) for title, marks in titles.items() if marks)
    yield from (f"{usual_title(rule)}{_alone(rule)}" for rule in rules if not rule.products)


def usual_title(rule: Rule) -> str:
    """The title with the numbers of a server of which nothing is known."""
    values = values_of(Basis({}, None, {}))
    missing = names_in(rule.title) - values.keys()
    assert not missing, f"{rule.id}: its title needs what only a server tells: {missing}"
    return str(filled(rule.title, values))


def _drawbacks(rule: Rule) -> str:
    """What makes a treatment costly or dangerous: restart, offline, re-import, high risk."""
    drawbacks = [] if rule.takes == "live" else [rule.takes]
    drawbacks += ["high risk"] if rule.risk == "high" else []
    drawbacks += [] if rule.is_tried else ["by hand"]
    return "".join(f", {word}" for word in drawbacks)


def _alone(rule: Rule) -> str:
    drawbacks = _drawbacks(rule).removeprefix(", ")
    return f" ({drawbacks})" if drawbacks else ""


if __name__ == "__main__":
    PAGE.write_text(handbook(), "utf-8")
