"""A and B are told apart by lightness alone: without colour, and by every colour vision."""

import numpy as np
import pytest
from PySide6.QtGui import QColor

from ldap_workbench.gui.parts.style.theme import chart_colours
from ldap_workbench.report.svg import LOOKS

# Machado, Oliveira and Fernandes (2009), severity 1.0; for linear RGB.
VISIONS = {
    "usual": np.eye(3),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "tritanopia": np.array(
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ]
    ),
}
APART, LEGIBLE = 2.0, 4.5
"""Contrast of A to B, and of each to the ground: it is drawn as text, too."""
OLD = {False: ("#0072b2", "#c04a00"), True: ("#56b4e9", "#ff9d4d")}
"""Arms of the same lightness, as they once were."""


def luminance(colour: str, vision: str = "usual") -> float:
    """Relative luminance (WCAG) as it is seen; what a picture without colour keeps."""
    srgb = np.array(QColor(colour).getRgbF()[:3])
    linear = np.where(srgb <= 0.04045, srgb / 12.92, ((srgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(VISIONS[vision] @ linear, 0.0, 1.0)
    return float(seen @ [0.2126, 0.7152, 0.0722])


def contrast(one: str, other: str, vision: str = "usual") -> float:
    """Contrast (WCAG) of two colours, 1 to 21."""
    dark, light = sorted((luminance(one, vision), luminance(other, vision)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("dark", [False, True])
def test_a_and_b_differ_in_lightness(dark, vision):
    colours = chart_colours(dark)
    assert contrast(colours.a, colours.b, vision) >= APART
    assert contrast(*colours.series[:2], vision) >= APART
    assert contrast(*OLD[dark], vision) < APART, "the measure tells old from new"


@pytest.mark.parametrize("dark", [False, True])
def test_each_arm_is_read_on_its_ground(dark):
    colours = chart_colours(dark)
    for arm in (colours.a, colours.b):
        assert contrast(arm, colours.ground) >= LEGIBLE


def test_the_report_draws_them_as_the_window_does():
    colours = chart_colours(False)
    assert (LOOKS["line-a"]["stroke"], LOOKS["line-b"]["stroke"]) == (colours.a, colours.b)
