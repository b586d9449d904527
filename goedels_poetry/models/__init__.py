"""Language models by role: ask, schedule, cache, record and replay, account. Never the accepting gate.

Who calls whom:

* `client` has `Models`: a question (`requests`) to the model of a role. It fills in a prompt (`prompts`), looks into
  recording (`record`) and cache (`cache`), asks the server, reads the answer (`replies`) and charges it (`accounting`).
* `endpoint` is one model on one server, asked by `chat` over `http`; what goes wrong is told in one line by `faults`.
* `schedule` says how attempts differ: more samples, more heat.
* `reachability` is for the doctor: what is configured, and whether it answers.
"""
