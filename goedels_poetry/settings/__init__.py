"""Settings: defaults < configuration file < environment < arguments.

The file is ``config.toml`` in the data directory; environment variables are ``GOEDELS_POETRY__<NAME>``,
nested ones ``GOEDELS_POETRY__BUDGETS__WALL_SECONDS``.
"""
