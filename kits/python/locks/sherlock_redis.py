"""``RedisLock`` of sherlock, unmodified, on one server or behind Sentinels. Leases are whole seconds."""

from __future__ import annotations

from typing import Any, Dict

from lockstorm_worker import Capabilities, Contended, Environment, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from redis_client import Connected, TimedRedis, whole_seconds
from sherlock import RedisLock
from sherlock.lock import LockException, LockTimeoutException

TIMEOUT_S = 1
RETRY_AFTER_S = 0.05


class ScriptedRedis(TimedRedis):
    """Remembers when it sent the last script, by which the library takes its locks."""

    def evalsha(self, *words: Any, **named: Any) -> Any:
        """As the library's."""
        self.sent_at_ns = now_ns()
        return super().evalsha(*words, **named)


class SherlockLock(LockClient):
    """``sherlock.RedisLock``; ``renew`` gives the lease its first length again."""

    capabilities = Capabilities(extend="same", ttl_granularity_ms=1000, waits=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._connected = Connected(environment, TIMEOUT_S, redis_class=ScriptedRedis)
        self._held: Dict[str, RedisLock] = {}

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        client = self._connected.redis
        timing = {"expire": whole_seconds(ttl_ms), "timeout": wait_ms / 1000, "retry_interval": RETRY_AFTER_S}
        lock = RedisLock(key, client=client, **timing)
        before = self._connected.attempts.failed
        try:
            taken = lock.acquire(blocking=wait_ms > 0)
        except LockTimeoutException:
            taken = False
        if not taken:
            raise self._connected.certain(before, Contended("acquire did not take it"))
        self._held[lock._owner] = lock
        return Grant(lock._owner, lock.expire * 1000, client.sent_at_ns)

    def extend(self, key: str, owner: str, ttl_ms: int) -> Grant:
        lock, before = self._held[owner], self._connected.attempts.failed
        if not lock.renew():
            raise self._connected.certain(before, Contended("renew returned False"))
        return Grant(owner, lock.expire * 1000, self._connected.redis.sent_at_ns)

    def release(self, key: str, owner: str) -> bool:
        return self._connected.released(self._held.pop(owner).release, LockException)

    def close(self) -> None:
        self._connected.redis.close()


if __name__ == "__main__":
    serve(SherlockLock)
