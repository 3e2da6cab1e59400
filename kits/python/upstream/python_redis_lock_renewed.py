"""``redis_lock.Lock`` of python-redis-lock 2.3 and 3.0 with ``auto_renewal``. Leases are whole seconds."""

from __future__ import annotations

import time

from lockstorm_worker import Capabilities, Contended, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from old_client import connect
from redis_lock import Lock, NotAcquired

RETRY_AFTER_S = 0.05


class RenewedLock(LockClient):
    """A thread of the library's renews at two thirds of the lease, and says nothing: the first lease is what a holder knows of."""

    capabilities = Capabilities(ttl_granularity_ms=1000, waits=True)

    def __init__(self, environment):
        super().__init__(environment)
        self._redis = connect(environment)
        self._held = {}

    def acquire(self, key, ttl_ms, wait_ms):
        give_up_at = time.monotonic() + wait_ms / 1000
        while True:
            lock = Lock(self._redis, key, expire=ttl_ms // 1000, auto_renewal=True)
            sent_at_ns = now_ns()
            if lock.acquire(blocking=False):
                owner = lock.id.hex() if isinstance(lock.id, bytes) else lock.id
                self._held[owner] = lock
                return Grant(owner, ttl_ms // 1000 * 1000, sent_at_ns)
            if time.monotonic() >= give_up_at:
                raise Contended("acquire returned False")
            time.sleep(RETRY_AFTER_S)

    def release(self, key, owner):
        try:
            self._held.pop(owner).release()
        except NotAcquired:
            return False
        return True


if __name__ == "__main__":
    serve(RenewedLock)
