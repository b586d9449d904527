"""Terms unfolded, rewritten and saturated by equations."""
