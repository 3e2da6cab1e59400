"""The asyncio lock of redis-py (``redis.asyncio.lock.Lock``), unmodified, on one server or behind Sentinels."""

from __future__ import annotations

import asyncio
import threading
from inspect import signature
from typing import Any, Coroutine, Dict, Tuple, TypeVar

import redis.asyncio
from lockstorm_worker import Capabilities, Contended, Environment, Grant, Indeterminate, LockClient, serve
from lockstorm_worker.client import now_ns
from redis.asyncio.lock import Lock
from redis.asyncio.retry import Retry
from redis.asyncio.sentinel import Sentinel
from redis.exceptions import LockError

TIMEOUT_S = 1
RETRY_AFTER_S = 0.05

Result = TypeVar("Result")


class Attempts(Retry):
    """The library's own retries, with its defaults, counted: the effect of a command that was sent twice is less certain."""

    def __init__(self) -> None:
        default = signature(redis.asyncio.Redis).parameters["retry"].default
        super().__init__(default._backoff, default._retries)
        self.failed = 0

    def __deepcopy__(self, memo: Any) -> "Attempts":
        return self

    async def call_with_retry(self, do: Any, fail: Any, *words: Any, **named: Any) -> Any:
        """As the library's, and counts failures."""

        def counted(*failure: Any) -> Any:
            self.failed += 1
            return fail(*failure)

        return await super().call_with_retry(do, counted, *words, **named)


class TimedRedis(redis.asyncio.Redis):
    """Remembers when it sent the last SET, which is when a lease that it took begins at the earliest."""

    sent_at_ns = 0

    def set(self, *words: Any, **named: Any) -> Any:
        """As the library's."""
        self.sent_at_ns = now_ns()
        return super().set(*words, **named)


class MappedSentinel(Sentinel):
    """Uses the links of this client in place of the addresses that Sentinels announce."""

    def __init__(self, environment: Environment, **options: Any) -> None:
        addresses = [(address["host"], address["port"]) for address in environment.servers["sentinels"]]
        super().__init__(addresses, **options)
        self._environment = environment

    async def discover_master(self, service_name: str) -> Tuple[str, int]:
        """As the library's, translated."""
        return self._environment.translate(*await super().discover_master(service_name))


class RedisPyAsyncioLock(LockClient):
    """``redis.asyncio.lock.Lock`` with a timeout; extensions replace the TTL. Its event loop has a thread of its own."""

    capabilities = Capabilities(extend="any", waits=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self._attempts = Attempts()
        self._held: Dict[str, Lock] = {}
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        self._redis = self._run(self._connect())

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        before = self._attempts.failed

        async def take() -> Tuple[bool, Lock]:
            lock = Lock(self._redis, key, timeout=ttl_ms / 1000, sleep=RETRY_AFTER_S, thread_local=False)
            return await lock.acquire(blocking=wait_ms > 0, blocking_timeout=wait_ms / 1000), lock

        taken, lock = self._run(take())
        if not taken:
            raise self._certain(before, Contended("acquire returned False"))
        owner = lock.local.token.decode()
        self._held[owner] = lock
        return Grant(owner, applied_ms(ttl_ms), self._redis.sent_at_ns)

    def extend(self, key: str, owner: str, ttl_ms: int) -> Grant:
        before = self._attempts.failed
        sent_at_ns = now_ns()
        try:
            self._run(self._held[owner].extend(ttl_ms / 1000, replace_ttl=True))
        except LockError as error:
            raise self._certain(before, Contended(str(error))) from error
        return Grant(owner, applied_ms(ttl_ms), sent_at_ns)

    def release(self, key: str, owner: str) -> bool:
        before = self._attempts.failed
        lock = self._held.pop(owner)

        async def give_back() -> None:
            await lock.release()

        try:
            self._run(give_back())
        except LockError as error:
            if self._attempts.failed == before:
                return False
            raise self._certain(before, error) from error
        return True

    def close(self) -> None:
        self._run(self._redis.aclose())
        self._loop.call_soon_threadsafe(self._loop.stop)

    def _run(self, work: "Coroutine[Any, Any, Result]") -> Result:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _connect(self) -> TimedRedis:
        servers = self.environment.servers
        options = {"socket_timeout": TIMEOUT_S, "socket_connect_timeout": TIMEOUT_S, "retry": self._attempts}
        if servers["kind"] == "single":
            return TimedRedis(**servers["address"], **options)
        if servers["kind"] == "sentinel":
            sentinel = MappedSentinel(self.environment, **options)
            return sentinel.master_for(servers["masterName"], redis_class=TimedRedis)
        raise ValueError(f"this lock does not run on {servers['kind']}")

    def _certain(self, before: int, error: Exception) -> Exception:
        """This error, if each command was sent once since ``before``; otherwise what it says may be of the first one."""
        if self._attempts.failed == before:
            return error
        return Indeterminate(f"{error}; but a command was sent again, and the first may have been applied")


def applied_ms(ttl_ms: int) -> int:
    """The TTL that the library computes from seconds."""
    return int(ttl_ms / 1000 * 1000)


if __name__ == "__main__":
    serve(RedisPyAsyncioLock)
