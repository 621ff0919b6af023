"""A verdict as a session holds it, with its evidence."""

import json

from ldap_workbench.model.units import NS_PER_S
from ldap_workbench.model.verdict import Verdict
from ldap_workbench.model.window import Window
from ldap_workbench.session.codec import from_json

START = 1_795_161_600 * NS_PER_S


WINDOWS = [
    Window(1, "A1", START, START + 60 * NS_PER_S, arm="A", pair=0),
    Window(2, "B1", START + 100 * NS_PER_S, START + 160 * NS_PER_S, arm="B", pair=0),
]


LEDGER = {
    "threshold_ns": 1e8,
    "arms": {
        "A": {
            "hours": 0.5,
            "count": 3,
            "per_hour": 6,
            "stalled_s_per_hour": 12.5,
            "longest_ns": 9e9,
        },
        "B": {"hours": 0.5, "count": 0, "per_hour": 0, "stalled_s_per_hour": 0, "longest_ns": None},
    },
    "stalls": [
        {"arm": "A", "pair": 0, "start_s": 7.5, "length_ns": 9e9, "operations": 40},
        {"arm": "B", "pair": 9, "start_s": 1.0, "length_ns": 2e8, "operations": 7},
    ],
    "listed": 2,
    "of": 2,
}


SHIFT = {
    "p": [0.1, 0.5, 0.9, 0.99],
    "ratio": [1.0, 0.9, 0.5, 0.25],
    "low": [0.9, 0.8, 0.4, 0.1],
    "high": [1.1, 1.0, 0.6, 0.5],
}


def a_verdict(**details):
    """As a session holds it."""
    primary = {
        "metric": "p50", "verdict": "better", "ratio": 0.5, "low": 0.4, "high": 0.6, "n_pairs": 6
    }  # fmt: skip
    words = {"comparable": True, "why": "", "design": "pairs:6", "sentence": "Better."}
    stored = words | {"primary": primary, "metrics": {"p50": primary}, "details": details}
    return from_json(Verdict, json.dumps(stored))
