"""Lean 4 as a proof language: real Lean reads, checks and judges; we only compose texts."""
