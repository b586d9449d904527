"""Language models by role: ask, schedule, cache, record and replay, account. Never the accepting gate.

Who calls whom:

* `client` has `Models`: a question (`requests`, also how attempts differ) to the model of a role. It fills in a prompt
  (`prompts`), looks into recording (`record`) and cache (`cache`), asks the server, reads the answer (`replies`) and
  charges it (`accounting`).
* `endpoint` is one model on one server, asked by `chat` over `http`, which says in one line why a server refused.
"""
