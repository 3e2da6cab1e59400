import { once } from "node:events";
import { connect } from "node:net";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { runCli, startCli } from "../testing/run-cli.ts";
import { runMain } from "../testing/run-main.ts";

/** A plan with a fault that waits for what a client does. */
const OF_A_RUN = fileURLToPath(new URL("../../../docs/locks/plans/redlock.json", import.meta.url));

test("ends by SIGTERM, and its port is free then", { tags: "long" }, async () => {
  const { child, result } = startCli(["serve", "--no-prompt", "--clients", "1"]);
  const [greeting] = (await once(child.stdout ?? child, "data")) as [Buffer];
  const port = Number(/redis-cli -p (\d+)/.exec(greeting.toString())?.[1]);
  const socket = connect(port, "127.0.0.1");
  socket.write("PING\r\n");
  expect(String(await once(socket, "data"))).toBe("+PONG\r\n");
  child.kill("SIGTERM");
  expect(await result).toMatchObject({ code: 130, signal: null });
  const [refused] = (await once(connect(port, "127.0.0.1"), "error")) as [NodeJS.ErrnoException];
  expect(refused.code).toBe("ECONNREFUSED");
});

test("ends with its input", { tags: "long" }, async () => {
  const { code, stdout, stderr } = await runCli(["serve", "--clients", "1"], { input: "status\nfailover\n" });
  expect([code, stderr]).toEqual([0, ""]);
  expect(stdout).toContain("node-0  running  master  0 keys\n");
  expect(stdout).toContain('there is no fault "failover" here; choose one of partition');
});

test.each([
  [["--topology", "postgres"], '--topology cannot be "postgres"'],
  [["--clients", "99"], '--clients "99" is not a whole number from 1 to 16'],
  [["--fault", "kill node-7"], 'there is no "node-7" here'],
  [["--plan", "/nowhere/plan.json"], "/nowhere/plan.json cannot be read"],
  [["--plan", OF_A_RUN], "fault 0 of the plan waits for a message, which nobody sees here"],
  [["now"], 'serve takes no "now"'],
])("%j is refused in one line", { tags: "long" }, async (words, problem) => {
  const { code, stdout, stderr } = await runMain(["serve", ...words]);
  expect([code, stdout]).toEqual([254, ""]);
  expect(stderr).toContain(problem);
  expect(stderr.trimEnd().split("\n")).toHaveLength(1);
});

test("a recording that cannot be written ends it in one line", { tags: "long" }, async () => {
  const { code, stderr } = await runMain(["serve", "--no-prompt", "--record", "/dev/full"]);
  expect([code, stderr]).toEqual([
    254,
    "lockstorm: /dev/full cannot be written: there is no space left; free space and repeat the command, a campaign with --resume\n",
  ]);
});
