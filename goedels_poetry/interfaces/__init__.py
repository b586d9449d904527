"""Other ways in than the command line: what editors, test runners, agents and build servers speak."""
