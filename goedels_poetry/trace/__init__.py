"""Looking at runs, from their stores alone; nothing here changes one.

* `tree`: a proof tree as text, as Mermaid or Graphviz, or a value for notebooks.
* `explain`: why a goal is open: what was tried, how near it came, what would help.
* `events`: the events of a run with what each has cost, and two runs side by side; how a goal travels.
* `terminal` and `live`: what is shown while runs go on, in pipes and on terminals, and text for either.
* `wording`: stored statements and strategies as people write them; `proof_text`: a proof for people.
* `page`: a run as a page for browsers.

What was tried is read by `goedels_poetry.search.memory`; jobs write it: `goedels_poetry.protocol.trials`.
"""
