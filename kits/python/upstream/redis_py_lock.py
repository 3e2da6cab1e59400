"""``redis.lock.Lock`` of redis-py 2.10 to 3, as an application names it. Before 3.0 that is the class without scripts."""

from __future__ import annotations

from lockstorm_worker import Capabilities, Contended, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from old_client import connect
from redis.exceptions import LockError
from redis.lock import Lock

RETRY_AFTER_S = 0.05


class RedisPyLock(LockClient):
    """With a timeout, and a token of the library's."""

    capabilities = Capabilities(waits=True)

    def __init__(self, environment):
        super().__init__(environment)
        self._redis = connect(environment)
        self._held = {}

    def acquire(self, key, ttl_ms, wait_ms):
        lock = Lock(self._redis, key, timeout=ttl_ms / 1000, sleep=RETRY_AFTER_S)
        # The try that succeeds may be a later one: from the first on, the lease ends too early and never too late.
        sent_at_ns = now_ns()
        if not lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000):
            raise Contended("acquire returned False")
        owner = lock.local.token.decode() if isinstance(lock.local.token, bytes) else lock.local.token
        self._held[owner] = lock
        return Grant(owner, ttl_ms, sent_at_ns)

    def release(self, key, owner):
        try:
            self._held.pop(owner).release()
        except LockError:
            return False
        return True


if __name__ == "__main__":
    serve(RedisPyLock)
