"""What a lock's author writes: one client of the lock, and how its operations end."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Callable, ClassVar, Dict, Optional, Sequence


class Contended(Exception):
    """Another client holds the lock, and this operation certainly changed nothing."""


class Failed(Exception):
    """The operation certainly had no effect, for another reason than contention."""


class Indeterminate(Exception):
    """Nobody knows whether the operation had its effect. Every other exception means the same."""


@dataclass(frozen=True)
class Capabilities:
    """What the lock can do. It decides what lockstorm asks for.

    ``extend``: ``"none"``, ``"same"`` (an extension always gives the lease its first length again) or ``"any"``.
    ``ttl_granularity_ms``: leases are whole multiples of this many milliseconds.
    ``permits``: a semaphore, asked by ``acquire_permits``. ``modes``: a read-write lock, asked by ``acquire_mode``.
    ``several_keys``: takes several keys in one acquisition, asked by ``acquire_keys``.
    ``fair``: waiting clients are granted the lock in the order in which they came, and ``Environment.queued`` says when one stands
    in the queue.
    """

    extend: str = "none"
    ttl_granularity_ms: int = 1
    reentrant: bool = False
    fence: bool = False
    waits: bool = False
    permits: bool = False
    modes: bool = False
    fair: bool = False
    several_keys: bool = False

    def message(self) -> Dict[str, Any]:
        """The capabilities as the protocol has them."""
        return {
            "extend": self.extend,
            "ttlGranularityMs": self.ttl_granularity_ms,
            "reentrant": self.reentrant,
            "fence": self.fence,
            "waits": self.waits,
            "supports": {
                "permits": self.permits,
                "modes": self.modes,
                "severalKeys": self.several_keys,
                "fair": self.fair,
            },
        }


@dataclass(frozen=True)
class Grant:
    """A lease that was granted.

    ``owner``: the value under which the lock is held, fresh for each acquisition.
    ``valid_for_ms``: how long the holder may trust the lease that was *really applied*; 0 promises nothing;
    ``math.inf`` says that the lock has no leases, and is held until it is released; its worker file says ``"leases": false``.
    ``sent_at_ns``: ``time.monotonic_ns()`` just *before* the request was sent that took the lock. The server's time begins later,
    so the lease that counts from here ends in time.
    ``fence``: the fencing token, if the lock has one.
    ``place``: the server (``node-2``), for locks that live on one of several.
    """

    owner: str
    valid_for_ms: float
    sent_at_ns: int
    fence: Optional[int] = None
    place: Optional[str] = None


@dataclass(frozen=True)
class Environment:
    """Who this client is, where its servers are, and whom it tells what the lock notices by itself.

    ``servers`` is as docs/protocol.md has it: a dictionary with ``kind`` and addresses ``{"host", "port"}``. Use these addresses
    only.
    """

    client: str
    servers: Dict[str, Any]
    tell: Callable[[Dict[str, Any]], None]
    origin_ns: int

    def translate(self, host: str, port: int) -> "tuple[str, int]":
        """The address to use for one that a Sentinel announced."""
        mapped = self.servers.get("natMap", {}).get(f"{host}:{port}")
        return (host, port) if mapped is None else (mapped["host"], mapped["port"])

    def lost(self, key: str, owner: str) -> None:
        """The lock found out by itself that this lease is gone."""
        self.tell({"event": "lost", "key": key, "owner": owner})

    def renewed(self, key: str, owner: str, valid_for_ms: float, sent_at_ns: int) -> None:
        """The lock prolonged this lease by itself, by a request that was sent at ``sent_at_ns``."""
        granted_at = sent_at_ns - self.origin_ns
        self.tell(
            {"event": "renewed", "key": key, "owner": owner, "validForMs": valid_for_ms, "grantedAt": granted_at}
        )

    def queued(self, key: str) -> None:
        """The server has answered that the acquire that runs stands in the queue for ``key``. Call it before the acquire ends, once
        for each place: again if it lost its place because it did not show itself in time, and took one at the end of the queue."""
        self.tell({"event": "queued", "key": key})


class LockClient:
    """One client of the lock. lockstorm asks for one operation at a time, always from the same thread.

    An operation that raises ``Contended`` or ``Failed`` certainly had no effect. With any other exception nobody knows.
    """

    capabilities: ClassVar[Capabilities] = Capabilities()

    def __init__(self, environment: Environment) -> None:
        """Connects the client. An exception here ends the run with one line."""
        self.environment = environment

    def acquire(self, key: str, ttl_ms: int, wait_ms: int) -> Grant:
        """Takes the lock for ``ttl_ms``, waiting up to ``wait_ms`` for another holder; 0 means one try."""
        raise NotImplementedError

    def acquire_permits(self, key: str, limit: int, permits: int, ttl_ms: int, wait_ms: int) -> Grant:
        """Takes so many permits of a semaphore that has ``limit`` of them, all in one grant. Only asked where ``permits`` is stated."""
        raise NotImplementedError

    def acquire_mode(self, key: str, mode: str, ttl_ms: int, wait_ms: int) -> Grant:
        """Takes a read-write lock: ``"shared"`` stands beside others of its kind, ``"exclusive"`` alone. Only asked where ``modes`` is stated."""
        raise NotImplementedError

    def acquire_keys(self, keys: Sequence[str], ttl_ms: int, wait_ms: int) -> Grant:
        """Takes all these keys or none, under one owner value. Only asked where ``several_keys`` is stated. ``extend`` and
        ``release`` name the first key, and mean all."""
        raise NotImplementedError

    def extend(self, key: str, owner: str, ttl_ms: int) -> Grant:
        """Prolongs a lease to ``ttl_ms`` from now."""
        raise NotImplementedError

    def release(self, key: str, owner: str) -> bool:
        """Gives the lock back. False says that it was certainly no longer this owner's."""
        raise NotImplementedError

    def close(self) -> None:
        """Closes the client."""


def now_ns() -> int:
    """The monotonic clock that leases count on."""
    return time.monotonic_ns()
