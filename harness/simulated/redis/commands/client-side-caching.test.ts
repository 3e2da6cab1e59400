import { expect, test } from "vitest";
import { testServer, TestClient, TestClock } from "../testing/test-client.ts";

test("a simulation in which a lock turns client-side caching on ends, and names it", () => {
  const absent: string[] = [];
  const client = new TestClient(testServer(new TestClock(), { hooks: { absentCommand: (name) => absent.push(name) } }));
  expect(client.run("client tracking off")).toBe("+OK\r\n");
  expect(absent).toEqual([]);
  expect(client.run("client tracking on")).toMatch(/^-ERR client-side caching .* is not simulated\r\n$/);
  expect(absent).toEqual(["CLIENT TRACKING ON"]);
});
