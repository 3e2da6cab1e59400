"""The lock of python-redis-lock (``redis_lock.Lock``), unmodified, on one server or behind Sentinels. Leases are whole seconds."""

from __future__ import annotations

from typing import Dict

from lockstorm_worker import Capabilities, Contended, Environment, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from redis_client import Connected, whole_seconds
from redis_lock import Lock, NotAcquired

LONGEST_WAIT_S = 2
TIMEOUT_S = LONGEST_WAIT_S + 1
"""Longer than the longest wait: BLPOP must not time out before it is answered."""


class PythonRedisLock(LockClient):
    """``redis_lock.Lock`` without renewal. A caller that waits blocks in BLPOP until it is woken."""

    capabilities = Capabilities(extend="any", ttl_granularity_ms=1000, waits=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._connected = Connected(environment, TIMEOUT_S)
        self._held: Dict[str, Lock] = {}

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        expire_s = whole_seconds(ttl_ms)
        client = self._connected.redis
        lock = Lock(client, key, expire=expire_s)
        before = self._connected.attempts.failed
        # The library takes whole seconds, and no wait that is longer than the lease.
        wait_s = min(max(1, wait_ms // 1000), LONGEST_WAIT_S, expire_s)
        if not (lock.acquire(timeout=wait_s) if wait_ms > 0 else lock.acquire(blocking=False)):
            raise self._connected.certain(before, Contended("acquire returned False"))
        self._held[lock.id] = lock
        return Grant(lock.id, expire_s * 1000, client.sent_at_ns)

    def extend(self, key: str, owner: str, ttl_ms: int) -> Grant:
        expire_s = whole_seconds(ttl_ms)
        before = self._connected.attempts.failed
        sent_at_ns = now_ns()
        try:
            self._held[owner].extend(expire_s)
        except NotAcquired as error:
            raise self._connected.certain(before, Contended(str(error))) from error
        return Grant(owner, expire_s * 1000, sent_at_ns)

    def release(self, key: str, owner: str) -> bool:
        return self._connected.released(self._held.pop(owner).release, NotAcquired)

    def close(self) -> None:
        self._connected.redis.close()


if __name__ == "__main__":
    serve(PythonRedisLock)
