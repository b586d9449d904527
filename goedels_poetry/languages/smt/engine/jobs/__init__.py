"""What runs in worker processes: goals, sketches and replies of models as JSON."""
