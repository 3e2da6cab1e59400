"""The lock of redis-py (``redis.lock.Lock``), unmodified, on one server or behind Sentinels."""

from __future__ import annotations

from typing import Dict

from lockstorm_worker import Capabilities, Contended, Environment, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from redis.exceptions import LockError
from redis.lock import Lock
from redis_client import Connected


TIMEOUT_S = 1
RETRY_AFTER_S = 0.05


class RedisPyLock(LockClient):
    """``redis.lock.Lock`` with a timeout; extensions replace the TTL."""

    capabilities = Capabilities(extend="any", waits=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._connected = Connected(environment, TIMEOUT_S)
        self._held: Dict[str, Lock] = {}

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        client = self._connected.redis
        lock = Lock(client, key, timeout=ttl_ms / 1000, sleep=RETRY_AFTER_S)
        before = self._connected.attempts.failed
        if not lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000):
            raise self._connected.certain(before, Contended("acquire returned False"))
        owner = lock.local.token.decode()
        self._held[owner] = lock
        return Grant(owner, applied_ms(ttl_ms), client.sent_at_ns)

    def extend(self, key: str, owner: str, ttl_ms: int) -> Grant:
        before = self._connected.attempts.failed
        sent_at_ns = now_ns()
        try:
            self._held[owner].extend(ttl_ms / 1000, replace_ttl=True)
        except LockError as error:
            raise self._connected.certain(before, Contended(str(error))) from error
        return Grant(owner, applied_ms(ttl_ms), sent_at_ns)

    def release(self, key: str, owner: str) -> bool:
        return self._connected.released(self._held.pop(owner).release, LockError)

    def close(self) -> None:
        self._connected.redis.close()


def applied_ms(ttl_ms: int) -> int:
    """The TTL that the library computes from seconds."""
    return int(ttl_ms / 1000 * 1000)


if __name__ == "__main__":
    serve(RedisPyLock)
