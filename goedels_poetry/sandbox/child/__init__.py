"""What runs in the process of its own, before and beside the untrusted program. Standard library only, little of it.

``launch`` reads what is wanted, goes into namespaces (``namespaces``) and fills the folder (``folder``). ``keeper``
forks, watches, ends everything (``processes``), removes the folder where it is on a disk and reports.
``program`` shuts the fork in (``libc``, ``namespaces``) and becomes the program. ``libc`` has the
calls of the kernel that Python has no names for.
"""
