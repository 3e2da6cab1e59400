import { expect, test } from "vitest";
import type { Notice } from "../core/system.ts";
import { type CountingServer, FloodWatch } from "./flood-watch.ts";

/** A server that answers `INFO` with these counts, one after another. */
function server(counts: readonly (number | Error)[]): CountingServer {
  const left = [...counts];
  return {
    name: "node-0",
    expectedState: "running",
    command: async (...args) => {
      expect(args).toEqual(["INFO", "stats"]);
      const count = left.shift() ?? expect.unreachable();
      if (count instanceof Error) throw count;
      return `# Stats\r\ntotal_connections_received:12\r\ntotal_commands_processed:${count}\r\n`;
    },
  };
}

/** What is noticed when one server is looked at every 500 ms. */
async function noticed(counts: readonly (number | Error)[]): Promise<readonly Notice[]> {
  const notices: Notice[] = [];
  const watch = new FloodWatch([server(counts)], (notice) => notices.push(notice));
  for (let look = 0; look < counts.length; look += 1) {
    watch.look(look * 500);
    // The answer is there after a few microtasks.
    await new Promise(setImmediate);
  }
  return notices;
}

test("a server that executes 5,000 commands in a second is noticed", async () => {
  expect(await noticed([100, 2_600])).toEqual([
    { kind: "flooded", name: "node-0", evidence: "clients had node-0 execute 2,500 commands within 500 ms" },
  ]);
});

test.each([
  ["executes fewer", [100, 2_599, 5_098]],
  ["had executed many before the run", [5_000_000, 5_000_100]],
  ["was started again meanwhile, so that it counts from 0", [60_000, 10, 2_000]],
  ["did not answer in between, so that nobody knows since when it counts", [100, new Error("timed out"), 5_100]],
])("one that %s is not", async (_, counts) => {
  expect(await noticed(counts)).toEqual([]);
});

test("a server that a fault has stopped is not asked", () => {
  let asked = 0;
  const command = async (): Promise<string> => {
    asked += 1;
    return "";
  };
  const stopped: CountingServer = { name: "node-0", expectedState: "paused", command };
  const running: CountingServer = { ...stopped, name: "node-1", expectedState: "running" };
  new FloodWatch([stopped, running], () => {}).look(0);
  expect(asked).toBe(1);
});
