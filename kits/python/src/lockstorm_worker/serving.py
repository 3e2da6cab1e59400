"""The program around a lock: lines of JSON in and out, as docs/protocol.md has them."""

from __future__ import annotations

import json
import math
import os
import queue
import sys
import threading
import time
from typing import Any, Callable, Dict, Optional, TextIO, Type

from .client import Contended, Environment, Failed, Grant, LockClient, now_ns

PROTOCOL = 1
"""The version of the protocol that this package speaks."""

Message = Dict[str, Any]


def serve(lock: Type[LockClient], lines: Optional[TextIO] = None, output: Optional[TextIO] = None) -> None:
    """Holds the lock for lockstorm until it says that it is done, or its end of the pipe closes.

    What the program prints goes to standard error: standard output is for the protocol only.
    """
    Worker(lock, sys.stdin if lines is None else lines, _protocol_output() if output is None else output).run()


def _protocol_output() -> TextIO:
    """Standard output for the protocol; all other output goes to standard error from now on."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    return os.fdopen(kept, "w", encoding="utf-8")


class Worker:
    """One conversation with lockstorm."""

    def __init__(self, lock: Type[LockClient], lines: TextIO, output: TextIO) -> None:
        self._lock = lock
        self._lines = lines
        self._output = output
        self._writing = threading.Lock()

    def run(self) -> None:
        """Speaks from the first line to the last."""
        first = json.loads(self._lines.readline())
        if first.get("protocol") != PROTOCOL:
            self._say({"ready": False, "reason": f"this worker speaks version {PROTOCOL} of the protocol"})
            return
        ready = {"ready": True, "capabilities": self._lock.capabilities.message()}
        if first.get("describe"):
            self._say(ready)
            return
        origin = int(first["origin"])
        try:
            client = self._lock(Environment(first["client"], first["servers"], self._say, origin))
        except Exception as error:  # the author's code: lockstorm reports any error in one line
            self._say({"ready": False, "reason": _in_words(error)})
            return
        self._say(ready)
        self._converse(client, origin)

    def _converse(self, client: LockClient, origin: int) -> None:
        """Operations have a thread of their own, so that the clock is answered while one runs."""
        requests: "queue.Queue[Optional[Message]]" = queue.Queue()
        operations = threading.Thread(target=self._perform_all, args=(client, origin, requests), daemon=True)
        operations.start()
        for line in self._lines:
            request = json.loads(line)
            if request["op"] == "close":
                requests.put(None)
                operations.join(1)
                client.close()
                self._say({"closed": True})
                return
            if request["op"] == "clock":
                self._say({"id": request["id"], **_clock()})
            else:
                requests.put(request)

    def _perform_all(self, client: LockClient, origin: int, requests: "queue.Queue[Optional[Message]]") -> None:
        while True:
            request = requests.get()
            if request is None:
                return
            self._say({"id": request["id"], **_perform(client, origin, request)})

    def _say(self, message: Message) -> None:
        line = json.dumps(message, default=_type_of)
        with self._writing:
            self._output.write(line + "\n")
            self._output.flush()


def _clock() -> Message:
    return {"ok": True, "wallMs": time.time_ns() // 1_000_000, "monotonicNs": str(now_ns())}


def _perform(client: LockClient, origin: int, request: Message) -> Message:
    operation: Callable[[], Message] = {
        "acquire": lambda: _granted(_acquire(client, request), origin),
        "extend": lambda: _granted(client.extend(request["key"], request["owner"], request["ttlMs"]), origin),
        "release": lambda: {"ok": True, "released": client.release(request["key"], request["owner"])},
    }.get(request["op"], _unsupported)
    try:
        return operation()
    except Contended as error:
        return _failure("contended", error)
    except Failed as error:
        return _failure("error", error)
    except NotImplementedError as error:
        return _failure("unsupported", error)
    except BaseException as error:  # also of the library's, also a cancellation: nobody knows how far it got
        return _failure("indeterminate", error)


def _acquire(client: LockClient, request: Message) -> Grant:
    key, ttl_ms, wait_ms = request["key"], request["ttlMs"], request["waitMs"]
    if "limit" in request:
        return client.acquire_permits(key, request["limit"], request.get("permits", 1), ttl_ms, wait_ms)
    if "mode" in request:
        return client.acquire_mode(key, request["mode"], ttl_ms, wait_ms)
    if "alsoKeys" in request:
        return client.acquire_keys([key, *request["alsoKeys"]], ttl_ms, wait_ms)
    return client.acquire(key, ttl_ms, wait_ms)


def _unsupported() -> Message:
    raise NotImplementedError("this worker does not know this operation")


def _granted(grant: Grant, origin: int) -> Message:
    message: Message = {
        "ok": True,
        "owner": grant.owner,
        "grantedAt": max(0, grant.sent_at_ns - origin),
    }
    if grant.valid_for_ms != math.inf:
        message["validForMs"] = max(0, grant.valid_for_ms)
    if grant.fence is not None:
        message["fence"] = grant.fence
    if grant.place is not None:
        message["place"] = grant.place
    return message


def _failure(kind: str, error: BaseException) -> Message:
    return {"ok": False, "kind": kind, "reason": _in_words(error)}


def _type_of(value: Any) -> Message:
    """For what JSON does not have, such as an owner in bytes: lockstorm refuses the answer and names the field."""
    return {"type": type(value).__name__}


def _in_words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"[:2000]
