"""`goedels-poetry serve`: runs in the browser, live, and started from there. On this machine only, with a token.

Who calls whom: `server` opens the socket and ends everything in order; in front of the addresses of `application`
stands the gate of `access`. The pages read runs by way of `looking`, `events` follows one while it goes on, `desk`
starts and stops them; `answers` is how anything is said. The files of the list's page are in ``assets``; the page of a
run is that of `goedels_poetry.trace.page`. Needs the extra ``serve``: nobody but the command imports it.
"""
