"""Looking at runs, from their stores alone; nobody here changes one.

* `tree`: a proof tree as text, Mermaid or Graphviz, `notebook`: as a value; `machine`: how a goal travels likewise.
* `explain`: why a goal is open: what was tried, how near it came, what would help.
* `events`: the events of a run with what each has cost.
* `progress`: chooses among `live` (the view on a terminal) and `lines` (pipes, logs, or nothing) while runs go on.
* `wording`: stored statements as people write them, `methods`: strategies likewise; `terminal`: text for terminals.
* `proof_text`, `page`, `compare`: a proof for people, a run as a page for browsers, two runs side by side.

The command line calls `progress`, `explain`, `events`, `tree` and `machine`; `live` and `page` call `tree` and
`explain`. What was tried is read by `goedels_poetry.memory.tried`; jobs write it: `goedels_poetry.languages.trials`.
"""
