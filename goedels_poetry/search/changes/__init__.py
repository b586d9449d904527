"""The agents of a change to a file: survey, propose, verify, decide.

Nothing is rolled back before the decider has said so, and nothing that breaks what worked is ever kept.
"""
