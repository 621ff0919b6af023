"""The scripts that take pictures have all they import: no other test does."""

import importlib

import pytest


@pytest.mark.parametrize("name", ["tour", "cases_tour", "tutorial_tour"])
def test_a_tour_has_all_its_parts(name):
    assert callable(importlib.import_module(f"tests.{name}").main)
