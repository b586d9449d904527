"""The page of a run: one self-contained HTML file, or the same page with a server that keeps it up to date.

`run_data(store, since_seq=0) -> dict`
    Everything that the page shows, as JSON values: the commit log as changes of nodes, so that the page can show any
    past moment. With ``since_seq`` only what commits later than it have written: an *update*. One consistent
    snapshot, read through a connection of its own, so it may be called from any thread and for a run that another
    process works on. An update without a new commit has ``data["seq"] == data["since"]``; its ``under_way`` and
    ``result`` count all the same. ``data["result"]`` is None until the run has ended or stopped.

`render(data, *, title, live=None) -> str`
    The page. ``data`` is of ``run_data(store)``, whole. No network; every text is data and never markup or code.
    ``live=Live(...)`` says where the page gets updates.

`Live(events, home=None, stop=None)`
    Addresses on the page's own origin. ``events``: of server-sent events; the page opens ``events + "?since=SEQ"``
    (``&since=`` where there is a query), takes the data of each unnamed message as one update in JSON (``run_data``),
    and closes for good when an event named ``end`` comes. After an error it opens the address again, with the ``since``
    that it has. ``home``: where the link at the top leads; ``stop``: POSTed, with an empty body, by the button Stop.

`content_security_policy(live=False) -> str`
    The page's policy, for a server that sends it as a header, too; the page has it as a ``meta`` element anyway.

In the browser, for another script: ``window.goedelsPoetry.applyUpdate(update) -> boolean`` (false: it begins after a
commit that the page has not seen; ask again with ``goedelsPoetry.seq()``), ``goedelsPoetry.seq() -> number``.

`compare` shows two runs side by side. `html` puts `data` and the files of ``assets`` into one text; `data` reads the
store's log, the result and the text of the proof. The scripts become one in this order: ``model.js`` (the run at any
commit), ``highlight.js``, ``tree.js``, ``detail.js``, ``timeline.js``, ``main.js``.
"""
