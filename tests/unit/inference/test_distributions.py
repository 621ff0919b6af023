"""Our distributions against SciPy's over wide grids, and against exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import special

from ldap_workbench.inference.counts.distributions import (
    beta_quantile,
    binomial_at_most,
    binomial_quantile,
    poisson_limit,
    t_limit,
    t_two_sided,
)

CHANCES = np.array([0, 1e-9, 1e-5, 1e-3, 0.01, 0.1, 0.5, 0.9, 0.95, 0.99, 0.999, 0.99999, 1])
FREEDOMS = [0.5, 1, 1.5, 2, 3, 4.7, 7, 10, 23.4, 100, 1e3, 1e4, 1e6, 1e8]


@pytest.mark.parametrize("n", [1, 2, 5, 20, 100, 10**4, 10**6, 10**8])
def test_a_binomial_is_that_of_boost(n):
    for z in np.linspace(-6, 6, 25):
        k = np.clip(np.floor(n * CHANCES + z * np.sqrt(n * CHANCES * (1 - CHANCES))), 0, n)
        # SciPy's own bdtr, from Cephes, has lost nine digits at n = 10^8; its betaincc is Boost's.
        wanted = special.betaincc(k + 1, np.maximum(n - k, 1), CHANCES)
        wanted[k >= n] = 1.0
        np.testing.assert_allclose(binomial_at_most(k, n, CHANCES), wanted, rtol=1e-11, atol=1e-300)


def test_a_binomial_is_the_exact_sum():
    p = Fraction(3, 16)
    exact, sums = Fraction(0), []
    for k in range(61):
        exact += math.comb(60, k) * p**k * (1 - p) ** (60 - k)
        sums.append(float(exact))
    np.testing.assert_allclose(binomial_at_most(np.arange(61), 60, float(p)), sums, rtol=1e-14)


@pytest.mark.parametrize("n", [0, 1, 5, 20, 1000, 10**6, 10**8])
@pytest.mark.parametrize("share", [1e-6, 0.025, 0.5, 0.975, 1 - 1e-6])
def test_a_binomial_quantile_is_the_smallest_count_with_its_share(n, share):
    k = binomial_quantile(share, n, CHANCES)
    assert (binomial_at_most(k, n, CHANCES) >= share * (1 - 1e-11)).all()
    above = k > 0
    below = binomial_at_most(k[above] - 1, n, CHANCES[above])
    assert (below < share * (1 + 1e-11)).all()


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_students_t_is_that_of_boost(freedom):
    for t in (1e-3, 0.3, 1.0, 1.96, 3.0, 5.0, 12.7, 40.0):
        wanted = special.betainc(freedom / 2, 0.5, freedom / (freedom + t * t))
        if t * t < freedom:  # freedom / (freedom + t^2) has lost its digits
            wanted = special.betaincc(0.5, freedom / 2, t * t / (freedom + t * t))
        assert t_two_sided(t, freedom) == pytest.approx(wanted, rel=1e-11, abs=1e-300)
        assert t_two_sided(-t, freedom) == t_two_sided(t, freedom)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_a_limit_of_t_is_that_of_scipy(freedom):
    for alpha in (0.5, 0.1, 0.05, 0.01, 0.002, 1e-4):
        wanted = special.stdtrit(freedom, 1 - alpha / 2)
        assert t_limit(alpha, freedom) == pytest.approx(wanted, rel=1e-10)


def test_t_without_freedom_is_unknown_and_with_all_of_it_the_normal():
    assert math.isnan(t_limit(0.05, 0.0))
    assert math.isnan(t_limit(0.05, math.nan))
    assert t_limit(0.05, math.inf) == pytest.approx(1.959963984540054, rel=1e-14)
    assert t_two_sided(1.959963984540054, math.inf) == pytest.approx(0.05, rel=1e-14)
    assert t_two_sided(0.0, 7) == 1.0


@pytest.mark.parametrize("n", [1, 2, 5, 30, 300, 10**4])
@pytest.mark.parametrize("share", [0.025, 0.975])
def test_a_quantile_of_beta_is_that_of_boost(n, share):
    for k in {1, 2, n // 2, n - 1, n} & set(range(1, n + 1)):
        wanted = special.betaincinv(k, n - k + 1, share)
        assert beta_quantile(share, k, n - k + 1) == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("n", [0, 1, 2, 5, 30, 300, 10**4])
@pytest.mark.parametrize("share", [0.5, 0.95, 0.999])
def test_a_poisson_limit_is_that_of_boost(n, share):
    assert poisson_limit(n, share) == pytest.approx(special.gammaincinv(n + 1, share), rel=1e-11)
