"""A session from files that lie about: access logs, and what lies beside them."""
