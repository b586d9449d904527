"""A real Ray cluster of several nodes on this machine: each a raylet of its own, on loopback, that can be killed.

The head has no processor, so that all work is on nodes that may be lost.
"""

import os
from pathlib import Path
from typing import Any

QUICKLY = {"health_check_initial_delay_ms": 0, "health_check_period_ms": 500, "health_check_failure_threshold": 3}
"""A node that is gone counts as gone within two seconds, instead of half a minute."""
MEMORY = 5 << 30


class Nodes:
    """Connected from when it is made until `close`."""

    def __init__(self) -> None:
        os.environ.update(
            RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0",  # loopback alone; see goedels_poetry.cluster.seats
            RAY_USAGE_STATS_ENABLED="0",
            RAY_worker_niceness="0",
        )
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "_system_config": QUICKLY, "include_dashboard": False, "object_store_memory": 80 << 20}
        self._cluster = Cluster(initialize_head=True, head_node_args=head)
        import ray

        ray.init(address=self._cluster.address, log_to_driver=False, configure_logging=False)
        self.ray = ray
        self.address = str(self._cluster.address)

    def add(self, cpus: int = 1, memory: int = MEMORY, processor: int | None = None) -> Any:
        """A node; ``processor``: the only one of the machine that anything there runs on."""
        before = os.sched_getaffinity(0)
        if processor is not None:
            os.sched_setaffinity(0, {processor})
        try:
            return self._cluster.add_node(
                num_cpus=cpus, memory=memory, object_store_memory=80 << 20, include_dashboard=False
            )
        finally:
            os.sched_setaffinity(0, before)

    @property
    def logs(self) -> Path:
        """The folder of the logs of all nodes and workers."""
        return Path(self.ray._private.worker._global_node.get_logs_dir_path())

    def kill(self, node: Any) -> None:
        """As a machine that is switched off: nothing there says good-bye."""
        self._cluster.remove_node(node, allow_graceful=False)

    def close(self) -> None:
        self.ray.shutdown()
        self._cluster.shutdown()
