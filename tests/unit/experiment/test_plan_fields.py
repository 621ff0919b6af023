"""The numbers of a plan: what is stored under their names, and what may be stored."""

import math
from dataclasses import fields, replace

import pytest

from ldap_workbench.experiment.plan import is_measurable, make_plan
from ldap_workbench.model.experiment import Design, Plan
from ldap_workbench.model.knob import Treatment
from ldap_workbench.model.plan_fields import NS_PER_MS, OF_EVERY_PLAN, SLO, WINDOW

STORED = {field.name: field.default for field in fields(Plan)}

every_field = pytest.mark.parametrize("field", OF_EVERY_PLAN, ids=lambda field: field.name)


@every_field
def test_a_plan_has_the_default_of_the_field(field):
    per_unit = NS_PER_MS if field is SLO else 1
    if field is not WINDOW:  # nobody leaves it out
        assert STORED[field.name] == field.default * per_unit


@every_field
@pytest.mark.parametrize("number", [-1, math.inf, math.nan])
def test_a_plan_is_measured_by_finite_numbers_from_0_on(field, number):
    plan = make_plan(Treatment(()), Design(), window_s=30.0, seed=1)
    assert is_measurable(plan)
    assert not is_measurable(replace(plan, **{field.name: number}))


@every_field
def test_the_window_offers_the_default(field):
    assert field.least <= field.default <= field.most
