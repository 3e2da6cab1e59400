"""``sherlock.RedisLock``. Leases are whole seconds."""

from __future__ import annotations

import time

from lockstorm_worker import Capabilities, Contended, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from old_client import connect
from sherlock import RedisLock
from sherlock.lock import LockException

RETRY_AFTER_S = 0.05


class SherlockLock(LockClient):
    """Renews by ``renew``, which gives the lease its first length again."""

    capabilities = Capabilities(extend="same", ttl_granularity_ms=1000, waits=True)

    def __init__(self, environment):
        super().__init__(environment)
        self._redis = connect(environment)
        self._held = {}

    def acquire(self, key, ttl_ms, wait_ms):
        give_up_at = time.monotonic() + wait_ms / 1000
        while True:
            lock = RedisLock(key, client=self._redis, expire=ttl_ms // 1000)
            sent_at_ns = now_ns()
            if lock.acquire(blocking=False):
                self._held[lock._owner] = lock
                return self._grant(lock, sent_at_ns)
            if time.monotonic() >= give_up_at:
                raise Contended("acquire returned False")
            time.sleep(RETRY_AFTER_S)

    def extend(self, key, owner, ttl_ms):
        lock, sent_at_ns = self._held[owner], now_ns()
        if not lock.renew():
            raise Contended("renew returned False")
        return self._grant(lock, sent_at_ns)

    def release(self, key, owner):
        try:
            self._held.pop(owner).release()
        except LockException:
            return False
        return True

    def _grant(self, lock, sent_at_ns):
        return Grant(lock._owner, lock.expire * 1000, sent_at_ns)


if __name__ == "__main__":
    serve(SherlockLock)
