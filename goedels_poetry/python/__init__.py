"""Python as a language of the framework: tested in a sandbox, fingerprinted, synthesised."""
