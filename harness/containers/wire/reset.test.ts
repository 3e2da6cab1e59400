import { once } from "node:events";
import { connect, createServer, type AddressInfo, type Socket } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { reset } from "./reset.ts";

let accepted: Socket;
let other: Socket;
const server = createServer({ allowHalfOpen: true });

beforeEach(async () => {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  other = connect({ port: (server.address() as AddressInfo).port, allowHalfOpen: true });
  accepted = ((await once(server, "connection")) as [Socket])[0];
});

afterEach(async () => {
  other.destroy();
  accepted.destroy();
  server.close();
  await once(server, "close");
});

test("a reset connection is closed, and its peer sees the reset", async () => {
  const problem = once(other, "error");
  const closed = once(accepted, "close");
  reset(accepted);
  await closed;
  expect((await problem)[0]).toMatchObject({ code: "ECONNRESET" });
});

test("a connection whose end is being sent is closed too", async () => {
  // Rejects if it fails instead.
  const closed = once(accepted, "close");
  accepted.end();
  reset(accepted);
  await closed;
  expect(accepted.destroyed).toBe(true);
});

test("a connection that has ended can be reset", async () => {
  await new Promise<void>((resolve) => accepted.end(resolve));
  const closed = once(accepted, "close");
  reset(accepted);
  await closed;
});
