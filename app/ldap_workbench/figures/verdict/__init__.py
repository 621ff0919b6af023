"""What stands behind a verdict: pairs, ratios, the ledger, a campaign, a canary."""
