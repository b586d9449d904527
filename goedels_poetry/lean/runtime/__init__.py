"""Lean, whichever way it is had: one protocol, and the pools that speak it.

* `protocol` says what every Lean can be asked, `opening` which Lean the settings mean, `pool` keeps several.
* `embedded` is Lean 4 compiled to WebAssembly, run by Node in a process without rights (`install`
  fetches it; the ``.cjs`` files are its programs); `native` is a Lean on this machine (``Driver.lean``);
  `kimina` is a server (`tokens` reads Lean's words).
* `driven` talks to a Lean that is a process of ours, `goedels_poetry.sandbox` takes its rights away.
* ``samples.lean`` is what an installation is tried on.
"""
