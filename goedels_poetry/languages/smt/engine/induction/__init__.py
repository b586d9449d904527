"""Which inductions are tried, and what their steps lack."""
