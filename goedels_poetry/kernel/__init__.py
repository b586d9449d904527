"""What `proved` rests on, and nothing else: each folder imports the standard library and itself alone."""
