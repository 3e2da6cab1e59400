"""``Lock`` of walrus, unmodified, on one server or behind Sentinels."""

from __future__ import annotations

import time
import uuid
from typing import Any, Dict

from lockstorm_worker import Capabilities, Contended, Environment, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from redis_client import Connected
from walrus import Database
from walrus.lock import Lock

TIMEOUT_S = 1
RETRY_AFTER_S = 0.05


class TimedDatabase(Database):
    """Remembers when it sent the last script, by which the library takes its locks."""

    sent_at_ns = 0

    def evalsha(self, *words: Any, **named: Any) -> Any:
        """As the library's."""
        self.sent_at_ns = now_ns()
        return super().evalsha(*words, **named)


class WalrusLock(LockClient):
    """``walrus.Lock``. Its own wait has no end, so a caller that waits tries again."""

    capabilities = Capabilities(waits=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._connected = Connected(environment, TIMEOUT_S, redis_class=TimedDatabase)
        self._held: Dict[str, Lock] = {}

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        database, before = self._connected.redis, self._connected.attempts.failed
        give_up_at = time.monotonic() + wait_ms / 1000
        while True:
            owner = uuid.uuid4().hex
            lock = database.lock(key, ttl=ttl_ms, lock_id=owner)
            if lock.acquire(block=False):
                self._held[owner] = lock
                return Grant(owner, ttl_ms, database.sent_at_ns)
            if time.monotonic() >= give_up_at or self._connected.attempts.failed != before:
                raise self._connected.certain(before, Contended("acquire returned False"))
            time.sleep(RETRY_AFTER_S)

    def release(self, key: str, owner: str) -> bool:
        before = self._connected.attempts.failed
        released = self._held.pop(owner).release()
        if not released and self._connected.attempts.failed != before:
            raise self._connected.certain(before, RuntimeError("release returned False"))
        return released

    def close(self) -> None:
        self._connected.redis.close()


if __name__ == "__main__":
    serve(WalrusLock)
