"""`goedels-poetry serve`: runs in the browser, live, and started from there. On this machine only, with a token.

Who calls whom: `server` opens the socket and ends everything in order; the gate of `access` comes before its
addresses and says how anything is answered. `run_manager` reads runs for the pages,
starts and stops them. The files of the list's page are in ``assets``; the page of a run is that of
`goedels_poetry.trace.page`. Needs the extra ``serve``: only the command imports it.
"""
