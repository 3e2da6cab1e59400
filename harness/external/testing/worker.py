"""A worker for tests, pure standard library: a lock by SET NX PX on one server. Its first argument is what it gets wrong."""

import json
import os
import signal
import socket
import sys
import time
import uuid

RELEASE = "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('DEL',KEYS[1]) end return 0"
EXTEND = "if redis.call('GET',KEYS[1])==ARGV[1] then return redis.call('PEXPIRE',KEYS[1],ARGV[2]) end return 0"

mistake = sys.argv[1] if len(sys.argv) > 1 else ""


class Redis:
    """One connection, which is made anew after each error."""

    def __init__(self, address):
        self.address = address
        self.connection = None

    def call(self, *words):
        try:
            if self.connection is None:
                self.connection = socket.create_connection((self.address["host"], self.address["port"]), 1)
                self.connection.settimeout(1)
                self.reader = self.connection.makefile("rb")
            parts = b"".join(b"$%d\r\n%s\r\n" % (len(w), w) for w in (str(word).encode() for word in words))
            self.connection.sendall(b"*%d\r\n%s" % (len(words), parts))
            return self.reply()
        except OSError:
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            raise

    def reply(self):
        line = self.reader.readline()
        if not line:
            raise OSError("the connection was closed")
        kind, rest = line[:1], line[1:].strip()
        if kind == b"$":
            size = int(rest)
            return None if size < 0 else self.reader.read(size + 2)[:-2]
        if kind == b"-":
            raise ValueError(rest.decode())
        return int(rest) if kind == b":" else rest


def say(message):
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()


def is_first():
    """Whether no other worker in this folder has asked."""
    try:
        os.close(os.open("asked", os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def answer(redis, origin, request):
    op, key = request["op"], request.get("key")
    if op == "clock":
        return {"ok": True, "wallMs": time.time_ns() // 1_000_000, "monotonicNs": str(time.monotonic_ns())}
    sent = time.monotonic_ns() - origin
    try:
        if op == "release":
            if mistake == "blind-release":
                return {"ok": True, "released": redis.call("DEL", key) == 1}
            return {"ok": True, "released": redis.call("EVAL", RELEASE, 1, key, request["owner"]) == 1}
        if op == "extend":
            if redis.call("EVAL", EXTEND, 1, key, request["owner"], request["ttlMs"]) != 1:
                return {"ok": False, "kind": "contended", "reason": "the lease is gone"}
            return {"ok": True, "owner": request["owner"], "validForMs": request["ttlMs"], "grantedAt": sent}
        if mistake == "seconds" and request["ttlMs"] % 1000 > 0:
            return {"ok": False, "kind": "error", "reason": "whole seconds, please"}
        owner = "" if mistake == "empty-owner" else uuid.uuid4().hex
        if mistake == "permits":
            owner += f":{request.get('permits', 1)} of {request.get('limit')}"
        if mistake == "several":
            owner += ":" + "+".join([key, *request["alsoKeys"]])
        expiry = [] if mistake == "endless" else ["PX", request["ttlMs"]]
        if redis.call("SET", key, owner, "NX", *expiry) is None:
            if mistake == "late" or (mistake == "late-once" and is_first()):
                time.sleep(3)
            return {"ok": False, "kind": "contended", "reason": "another client holds it"}
        valid_ms = request["ttlMs"] * (3 if mistake == "long-lease" else 1)
        granted = sent + 10**12 if mistake == "future" else sent
        if mistake == "endless":
            return {"ok": True, "owner": owner, "grantedAt": granted}
        return {"ok": True, "owner": owner, "validForMs": valid_ms, "grantedAt": granted}
    except OSError as error:
        kind = "error" if mistake == "certain" else "indeterminate"
        return {"ok": False, "kind": kind, "reason": str(error)}


def main():
    first = json.loads(sys.stdin.readline())
    if mistake == "garbage":
        print("Hello!", flush=True)
    if mistake == "array":
        print("[]", flush=True)
    if mistake == "pretty":
        print(json.dumps({"ready": True}, indent=2), flush=True)
    if mistake == "mark":
        print(end="\ufeff")
    if mistake == "exit":
        sys.exit("no licence for this lock")
    if mistake == "group" and "client" in first:
        os.killpg(0, signal.SIGKILL)
    if mistake == "hang":
        time.sleep(600)
    if mistake == "flood":
        while True:
            sys.stdout.write("x" * 65536)
    if mistake == "refuse-once" and "client" in first and is_first():
        return say({"ready": False, "reason": "no licence for this lock, for now"})
    if mistake == "refuse":
        return say({"ready": False, "reason": "no licence for this lock"})
    supports = {"supports": {"permits": mistake == "permits"}} if mistake in ("permits", "mutex") else {}
    if mistake == "several":
        supports = {"supports": {"severalKeys": True}}
    if mistake in ("fair", "unqueued"):
        supports = {"supports": {"fair": True}}
    if mistake == "seconds":
        supports = {"ttlGranularityMs": 1000}
    if mistake == "unexplained":
        return say({"ready": False})
    if mistake == "capability":
        return say({"ready": True, "capabilities": {"extend": "yes"}})
    if mistake == "ready-twice":
        say({"ready": True, "capabilities": {}})
    say({"ready": True} if mistake == "bare" else {"ready": True, "capabilities": {"extend": "any", **supports}})
    if "describe" in first:
        return None
    if mistake == "deaf":
        time.sleep(600)
    origin = int(first["origin"])
    redis = Redis(first["servers"]["address"])
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "close":
            return say({"closed": True})
        if request["op"] == "acquire" and mistake == "die":
            print("the worker dies", file=sys.stderr, flush=True)
            os._exit(7)
        if request["op"] == "acquire" and mistake == "chatter":
            print("acquiring", flush=True)
        if request["op"] == "acquire" and mistake == "fair":
            say({"event": "queued", "key": request["key"]})
        if request["op"] == "acquire" and mistake == "gone":
            say({"event": "gone", "key": request["key"]})
        if request["op"] == "acquire" and mistake == "mute":
            os.close(1)
            time.sleep(600)
        if request["op"] == "acquire" and mistake == "late-group":
            os.killpg(0, signal.SIGKILL)
        if request["op"] == "acquire" and mistake == "abort":
            os.kill(os.getpid(), signal.SIGABRT)
        reply = {"id": request["id"], **answer(redis, origin, request)}
        if mistake == "clock" and "monotonicNs" in reply:
            reply["monotonicNs"] = str(int(reply["monotonicNs"]) - 10**9)
        if mistake == "coarse" and "monotonicNs" in reply:
            # The clock has just ticked, so that its reading is between those before and after.
            tick = time.monotonic_ns() // 10**7
            while time.monotonic_ns() // 10**7 == tick:
                pass
            reply["monotonicNs"] = str((tick + 1) * 10**7)
        if mistake == "ones":
            reply["ok"] = 1 if request["op"] == "acquire" else reply["ok"]
        if mistake == "latin-1" and request["op"] == "acquire":
            sys.stdout.reconfigure(encoding="latin-1")
            print('{"id": %d, "ok": true, "owner": "caf\u00e9", "grantedAt": 0}' % request["id"], flush=True)
            continue
        if mistake == "numberless" and request["op"] == "acquire":
            del reply["id"]
        say(reply)
        if mistake == "twice" and request["op"] == "acquire":
            say(reply)


main()
