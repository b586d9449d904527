"""Certificates of SMT-LIB theorems: written, checked from nothing, and the levels beside the kernel."""
