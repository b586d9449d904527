"""The page of a run: one self-contained HTML file, or the same page with a server that keeps it up to date.

* `data`: ``run_data(store, since_seq=0)`` is everything that the page shows, as JSON values: the commit log as changes
  of nodes, so that the page can show any past moment. With ``since_seq`` only what later commits have written: an
  *update*. It is one consistent snapshot, read through a connection of its own, from any thread, also while another
  process works on the run. An update without a new commit has ``data["seq"] == data["since"]``; its ``under_way`` and
  ``result`` count all the same. ``data["result"]`` is None until the run has ended or stopped.
* `data`: ``render(data, title=..., live=None)`` puts whole data and the files of ``assets`` into one text: no network,
  and every text is data, never markup or code. With ``live=Live(...)`` the page opens ``events + "?since=SEQ"``
  (``&since=`` where there is a query), takes each unnamed message as one update in JSON, opens the address again after
  an error, and closes for good at an event named ``end``.

In the browser ``window.goedelsPoetry.applyUpdate(update)`` is false where the update begins after a commit that the
page has not seen: ask again with ``goedelsPoetry.seq()``.
"""
