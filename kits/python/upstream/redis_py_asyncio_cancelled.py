"""``redis.asyncio.lock.Lock`` without a timeout, in an application that cancels a release once, as at the end of its time, and then
releases again."""

from __future__ import annotations

import asyncio
import math
import threading

import redis.asyncio
from lockstorm_worker import Capabilities, Contended, Grant, LockClient, serve
from lockstorm_worker.client import now_ns
from redis.asyncio.lock import Lock
from redis.exceptions import LockError

RETRY_AFTER_S = 0.05
TIMEOUT_S = 3


class CancelledLock(LockClient):
    """Held until it is released."""

    capabilities = Capabilities(waits=True)

    def __init__(self, environment):
        super().__init__(environment)
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._held = {}
        self._redis = self._run(self._connect())

    def acquire(self, key, ttl_ms, wait_ms):
        sent_at_ns = now_ns()
        owner = self._run(self._take(key, wait_ms))
        return Grant(owner, math.inf, sent_at_ns)

    def release(self, key, owner):
        return self._run(self._give_back(self._held.pop(owner)))

    async def _connect(self):
        return redis.asyncio.Redis(**self.environment.servers["address"], socket_timeout=TIMEOUT_S)

    async def _take(self, key, wait_ms):
        lock = Lock(self._redis, key, sleep=RETRY_AFTER_S, thread_local=False)
        if not await lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000):
            raise Contended("acquire returned False")
        owner = lock.local.token.decode()
        self._held[owner] = lock
        return owner

    async def _give_back(self, lock):
        released = asyncio.ensure_future(lock.release())
        released.cancel()
        try:
            await released
        except asyncio.CancelledError:
            pass
        try:
            await lock.release()
        except LockError:
            return False
        return True

    def _run(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()


if __name__ == "__main__":
    serve(CancelledLock)
