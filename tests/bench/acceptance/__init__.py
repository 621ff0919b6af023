"""The acceptance table of the verdict: error rates and power on windows with a known truth.

    python -m tests.bench.acceptance [--quick] [--rows 1,2,3] [--seed N] [--output FILE]

prints every check measured against its bar, as a Markdown table. The windows come from a simulator
of LDAP etimes beside the checkout (../shared/verdict/simulator.py, or LDAP_WORKBENCH_SIMULATOR).
What was measured is kept in the output file, so a run that was stopped goes on where it was.
"""
