"""A client of redis-py as lockstorm's addresses need it, which says what honest answers depend on."""

from __future__ import annotations

from inspect import signature
from typing import Any, Callable, Dict, Tuple, Type

import redis
from lockstorm_worker import Environment, Failed, Indeterminate
from lockstorm_worker.client import now_ns
from redis.retry import Retry
from redis.sentinel import Sentinel

CONNECT_TIMEOUT_S = 1


class Attempts(Retry):
    """The library's own retries, with its defaults, counted: the effect of a command that was sent twice is less certain."""

    def __init__(self) -> None:
        default = signature(redis.Redis).parameters["retry"].default
        super().__init__(default._backoff, default._retries)
        self.failed = 0

    def __deepcopy__(self, memo: Any) -> "Attempts":
        return self

    def call_with_retry(self, do: Any, fail: Any, *words: Any, **named: Any) -> Any:
        """As the library's, and counts failures."""

        def counted(*failure: Any) -> Any:
            self.failed += 1
            return fail(*failure)

        return super().call_with_retry(do, counted, *words, **named)


class TimedRedis(redis.Redis):
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

    def discover_master(self, service_name: str) -> Tuple[str, int]:
        """As the library's, translated."""
        return self._environment.translate(*super().discover_master(service_name))


class Connected:
    """One client of Redis: its connection and its retries."""

    def __init__(self, environment: Environment, timeout_s: float, redis_class: Type[redis.Redis] = TimedRedis) -> None:
        servers = environment.servers
        self.attempts = Attempts()
        if servers["kind"] == "single":
            self.redis = redis_class(**servers["address"], **self._options(timeout_s))
        elif servers["kind"] == "sentinel":
            sentinel = MappedSentinel(environment, **self._options(timeout_s))
            self.redis = sentinel.master_for(servers["masterName"], redis_class=redis_class)
        else:
            raise ValueError(f"this lock does not run on {servers['kind']}")

    @classmethod
    def to_server(cls, address: Dict[str, Any], timeout_s: float, redis_class: Type[TimedRedis]) -> "Connected":
        """The client of one of several servers."""
        connected = cls.__new__(cls)
        connected.attempts = Attempts()
        connected.redis = redis_class(**address, **connected._options(timeout_s))
        return connected

    def _options(self, timeout_s: float) -> Dict[str, Any]:
        return {
            "socket_timeout": timeout_s,
            "socket_connect_timeout": CONNECT_TIMEOUT_S,
            "retry": self.attempts,
        }

    def certain(self, before: int, error: Exception) -> Exception:
        """This error, if each command was sent once since ``before``; otherwise what it says may be of the first one."""
        if self.attempts.failed == before:
            return error
        return Indeterminate(f"{error}; but a command was sent again, and the first may have been applied")

    def released(self, release: Callable[[], Any], refusal: Type[Exception]) -> bool:
        """Calls a release; False if it raises ``refusal``, by which the library says that the lock was not the caller's."""
        before = self.attempts.failed
        try:
            release()
        except refusal as error:
            if self.attempts.failed == before:
                return False
            raise self.certain(before, error) from error
        return True


def whole_seconds(ttl_ms: int) -> int:
    """What a library that takes whole seconds makes of a TTL: it rounds down."""
    if ttl_ms < 1000:
        raise Failed("this library has no lease that is shorter than a second")
    return ttl_ms // 1000
