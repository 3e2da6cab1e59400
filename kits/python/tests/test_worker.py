"""The conversation of a worker, with locks in memory."""

import asyncio
import io
import json
import math
import subprocess
import sys
import time
from pathlib import Path

import pytest
from lockstorm_worker import Capabilities, Contended, Environment, Failed, Grant, LockClient, serve

SOURCES = Path(__file__).parent.parent / "src"


class InMemory(LockClient):
    """Grants each key once."""

    capabilities = Capabilities(extend="same", fence=True)

    def __init__(self, environment: Environment) -> None:
        super().__init__(environment)
        self.owners = {}

    def acquire(self, key, ttl_ms, wait_ms):
        if key == "broken":
            raise OSError("the connection was reset")
        if key == "refused":
            raise Failed("out of memory")
        if key in self.owners:
            raise Contended("somebody holds it")
        self.owners[key] = "me"
        return Grant("me", ttl_ms - 10, time.monotonic_ns(), fence=7)

    def release(self, key, owner):
        self.environment.lost(key, owner)
        return self.owners.pop(key, None) == owner


def converse(*requests, lock=InMemory, first=None):
    """What a worker answers to these lines."""
    origin = time.monotonic_ns()
    opening = {"protocol": 1, "client": "client-0", "origin": str(origin), "servers": {"kind": "single"}}
    lines = [opening if first is None else first, *requests]
    output = io.StringIO()
    serve(lock, io.StringIO("".join(json.dumps(line) + "\n" for line in lines)), output)
    return [json.loads(line) for line in output.getvalue().splitlines()]


def operations(*requests):
    """The answers to these operations."""
    asked = [{"id": number, **request} for number, request in enumerate(requests)]
    return converse(*asked, {"op": "close"})[1:-1]


def acquire(key="k"):
    return {"op": "acquire", "key": key, "ttlMs": 1000, "waitMs": 0}


def test_is_ready_with_its_capabilities_and_closes():
    assert converse({"op": "close"}) == [
        {
            "ready": True,
            "capabilities": {
                "extend": "same",
                "ttlGranularityMs": 1,
                "reentrant": False,
                "fence": True,
                "waits": False,
                "supports": {"permits": False, "modes": False, "severalKeys": False, "fair": False},
            },
        },
        {"closed": True},
    ]


def test_describes_its_lock_without_connecting():
    class Unconnectable(InMemory):
        def __init__(self, environment):
            raise AssertionError("nobody asked to connect")

    assert [m["ready"] for m in converse(lock=Unconnectable, first={"protocol": 1, "describe": True})] == [True]


def test_a_lease_counts_from_before_it_was_sent():
    before = time.monotonic_ns()
    (granted,) = operations(acquire())
    after = time.monotonic_ns()
    assert granted.items() >= {"id": 0, "ok": True, "owner": "me", "validForMs": 990, "fence": 7}.items()
    assert 0 <= granted["grantedAt"] <= after - before


@pytest.mark.parametrize(
    ("key", "kind"), [("broken", "indeterminate"), ("refused", "error")], ids=["nobody knows", "certainly not"]
)
def test_says_how_an_operation_failed(key, kind):
    (failed,) = operations(acquire(key))
    assert (failed["ok"], failed["kind"]) == (False, kind)


@pytest.mark.parametrize("error", [asyncio.CancelledError, SystemExit])
def test_an_operation_that_is_cancelled_or_ends_its_thread_is_answered(error):
    class Cancelled(InMemory):
        def acquire(self, key, ttl_ms, wait_ms):
            raise error("no")

    [_, *answers, _] = converse({"id": 0, **acquire()}, {"id": 1, **acquire()}, {"op": "close"}, lock=Cancelled)
    assert answers == [
        {"id": id, "ok": False, "kind": "indeterminate", "reason": f"{error.__name__}: no"} for id in (0, 1)
    ]


def test_an_answer_that_json_does_not_have_shows_its_type_so_that_lockstorm_refuses_it():
    class InBytes(InMemory):
        def acquire(self, key, ttl_ms, wait_ms):
            return Grant(b"me", ttl_ms, time.monotonic_ns())

    [_, answer, _] = converse({"id": 0, **acquire()}, {"op": "close"}, lock=InBytes)
    assert (answer["id"], answer["ok"], answer["owner"]) == (0, True, {"type": "bytes"})


def test_contention_a_release_and_what_is_not_supported():
    answers = operations(
        acquire(),
        acquire(),
        {"op": "extend", "key": "k", "owner": "me", "ttlMs": 1},
        {"op": "release", "key": "k", "owner": "me"},
        {"op": "dance"},
    )
    assert [answer.get("kind") for answer in answers] == [
        None,
        "contended",
        "unsupported",
        None,
        None,
        "unsupported",
    ]
    assert answers[3] == {"event": "lost", "key": "k", "owner": "me"}
    assert answers[4]["released"] is True


class Shared(InMemory):
    """Tells how it was asked."""

    capabilities = Capabilities(permits=True, modes=True)

    def acquire_permits(self, key, limit, permits, ttl_ms, wait_ms):
        return Grant(f"{permits} of {limit}", math.inf, time.monotonic_ns())

    def acquire_mode(self, key, mode, ttl_ms, wait_ms):
        return Grant(mode, ttl_ms, time.monotonic_ns())


def test_asks_for_permits_and_modes_where_they_are_supported():
    asked = [{"limit": 3, "permits": 2}, {"limit": 3}, {"mode": "shared"}, {}]
    requests = [{"id": number, **acquire(), **sharing} for number, sharing in enumerate(asked)]
    ready, *answers, _ = converse(*requests, {"op": "close"}, lock=Shared)
    assert ready["capabilities"]["supports"] == {"permits": True, "modes": True, "severalKeys": False, "fair": False}
    assert [answer["owner"] for answer in answers] == ["2 of 3", "1 of 3", "shared", "me"]


class FirstCome(InMemory):
    """Grants each key in the order of a queue."""

    capabilities = Capabilities(waits=True, fair=True)

    def acquire(self, key, ttl_ms, wait_ms):
        self.environment.queued(key)
        return super().acquire(key, ttl_ms, wait_ms)


def test_a_place_in_the_queue_is_told_before_the_answer():
    ready, queued, granted, _ = converse({"id": 0, **acquire()}, {"op": "close"}, lock=FirstCome)
    assert ready["capabilities"]["supports"] == {"permits": False, "modes": False, "severalKeys": False, "fair": True}
    assert queued == {"event": "queued", "key": "k"}
    assert granted["owner"] == "me"


class SeveralKeys(InMemory):
    """Takes all its keys or none, and tells which."""

    capabilities = Capabilities(several_keys=True)

    def acquire_keys(self, keys, ttl_ms, wait_ms):
        return Grant("+".join(keys), ttl_ms, time.monotonic_ns())


def test_asks_for_several_keys():
    requests = [{"id": 0, **acquire(), "alsoKeys": ["l", "m"]}, {"id": 1, **acquire("n")}]
    ready, several, one, _ = converse(*requests, {"op": "close"}, lock=SeveralKeys)
    assert ready["capabilities"]["supports"]["severalKeys"] is True
    assert [several["owner"], one["owner"]] == ["k+l+m", "me"]


def test_a_lock_without_leases_states_no_validity():
    _, granted, _ = converse({"id": 0, **acquire(), "limit": 1}, {"op": "close"}, lock=Shared)
    assert "validForMs" not in granted


@pytest.mark.parametrize("sharing", [{"limit": 1}, {"mode": "shared"}, {"alsoKeys": ["l"]}])
def test_a_mutex_is_no_semaphore_and_has_no_readers_nor_several_keys(sharing):
    (answer,) = operations({**acquire(), **sharing})
    assert answer["kind"] == "unsupported"


def test_the_clock_is_this_machines():
    before = time.monotonic_ns()
    (shown,) = operations({"op": "clock"})
    assert before <= int(shown["monotonicNs"]) <= time.monotonic_ns()


@pytest.mark.parametrize("first", [{"protocol": 2}, None], ids=["another version", "a lock that cannot connect"])
def test_says_why_it_is_not_ready(first):
    class Broken(InMemory):
        def __init__(self, environment):
            raise OSError("no licence")

    (answer,) = converse(lock=Broken, first=first)
    assert answer["ready"] is False


def test_what_a_lock_prints_does_not_reach_the_protocol():
    program = """
import os
from lockstorm_worker import LockClient, serve
class Chatty(LockClient):
    def __init__(self, environment):
        print("hello"); os.system("echo from a child")
serve(Chatty)
"""
    first = {"protocol": 1, "client": "c", "origin": "0", "servers": {}}
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=json.dumps(first) + '\n{"op":"close"}\n',
        env={"PYTHONPATH": str(SOURCES)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert [list(json.loads(line))[0] for line in done.stdout.splitlines()] == ["ready", "closed"]
    assert "from a child" in done.stderr
