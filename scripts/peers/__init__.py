"""Provers of others on our problems: what their users would write, and what they say to it.

* `common` what a peer is, how one is asked within seconds, names that a language can bear.
* `dafny`, `acl2` a translator each, with the options that the users of the system give.

Both are taken at their word. What a language cannot say raises `Untranslatable`, and is counted as such.
"""

from __future__ import annotations

from peers import acl2, dafny
from peers.common import Peer, Untranslatable

PEERS: tuple[Peer, ...] = (dafny.DAFNY, acl2.ACL2)

__all__ = ["PEERS", "Peer", "Untranslatable"]
