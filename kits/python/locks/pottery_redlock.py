"""``Redlock`` of pottery, unmodified, on one server or on a majority of several."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Tuple

from lockstorm_worker import Capabilities, Contended, Environment, Failed, Grant, Indeterminate, LockClient, serve
from lockstorm_worker.client import now_ns
from pottery import Redlock
from pottery.exceptions import ExtendUnlockedLock, ReleaseUnlockedLock, TooManyExtensions
from redis_client import Connected, TimedRedis

TIMEOUT_S = 1
DRIFT_FACTOR = 0.01
"""The library's own part of a lease that it leaves for clocks that drift; and two milliseconds more."""
DRIFT_MS = 2


class AnsweringRedis(TimedRedis):
    """Remembers the last SET: its value, and whether it took the lock, or None if it was not answered."""

    value: Any = None
    answer: Optional[bool] = None

    def set(self, name: Any, value: Any, *words: Any, **named: Any) -> Any:
        """As the library's."""
        self.value, self.answer = value, None
        taken = super().set(name, value, *words, **named)
        self.answer = bool(taken)
        return taken


class PotteryRedlock(LockClient):
    """``pottery.Redlock``: an extension gives the lease its first length again, three times at most."""

    capabilities = Capabilities(extend="same", waits=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        servers = environment.servers
        addresses = servers["nodes"] if servers["kind"] == "redlock" else [servers["address"]]
        self._nodes: List[Connected] = [
            Connected.to_server(address, TIMEOUT_S, redis_class=AnsweringRedis) for address in addresses
        ]
        self._held: Dict[str, Tuple[Redlock, int]] = {}

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        masters = {node.redis for node in self._nodes}
        lock = Redlock(key=key, masters=masters, auto_release_time=ttl_ms / 1000)
        before = self._failed()
        if wait_ms > 0:
            taken = lock.acquire(timeout=wait_ms / 1000)
        else:
            taken = lock.acquire(blocking=False)
        if not taken:
            raise self._refused(before)
        owner = lock._uuid
        self._held[owner] = lock, ttl_ms
        # Each try has a value of its own, and some servers may not have been asked yet.
        return granted(owner, ttl_ms, min(n.redis.sent_at_ns for n in self._nodes if n.redis.value == owner))

    def extend(self, key: str, owner: str, ttl_ms: int) -> Grant:
        lock, first_ms = self._held[owner]
        before, sent_at_ns = self._failed(), now_ns()
        try:
            lock.extend()
        except TooManyExtensions as error:
            raise Failed(str(error)) from error
        except ExtendUnlockedLock as error:
            raise self._certain(before, Contended(str(error))) from error
        return granted(owner, first_ms, sent_at_ns)

    def release(self, key: str, owner: str) -> bool:
        lock, _ = self._held.pop(owner)
        before = self._failed()
        try:
            lock.release()
        except ReleaseUnlockedLock as error:
            if self._failed() == before:
                return False
            raise Indeterminate(str(error)) from error
        return True

    def close(self) -> None:
        for node in self._nodes:
            node.redis.close()

    def _failed(self) -> List[int]:
        return [node.attempts.failed for node in self._nodes]

    def _refused(self, before: List[int]) -> Exception:
        """Certainly contended, if a majority said that another client has the lock, and each of those was asked once."""
        certain = [
            node.redis.answer is False and node.attempts.failed == failed
            for node, failed in zip(self._nodes, before)
        ]
        if sum(certain) > len(self._nodes) // 2:
            return Contended("acquire returned False")
        return Indeterminate("acquire returned False, but not a majority said that another client has the lock")

    def _certain(self, before: List[int], error: Exception) -> Exception:
        if self._failed() == before:
            return error
        return Indeterminate(f"{error}; but a command was not answered, and may have been applied")


def granted(owner: str, ttl_ms: int, sent_at_ns: int) -> Grant:
    """What the library counts on: the TTL that it computes from seconds, less what it leaves for drift."""
    applied_ms = int(ttl_ms / 1000 * 1000)
    return Grant(owner, applied_ms - ttl_ms * DRIFT_FACTOR - DRIFT_MS, sent_at_ns)


if __name__ == "__main__":
    serve(PotteryRedlock)
