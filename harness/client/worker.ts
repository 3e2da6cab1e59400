/**
 * The client process of a containerized run: one operating-system process per client, so that it can be stopped,
 * skewed and killed like a real one. It speaks JSON lines.
 *
 * In, first line: `{"client":"client-0","lock":"single","servers":{..},"resource":{..},"checks":{..},"origin":".."}`
 * (`origin`: the reading of the monotonic clock, nanoseconds in a string, from which `grantedAt` counts).
 * Out, once connected: `{"ready":true}`, or `{"ready":false,"reason":".."}` and the end.
 * In, then: `{"id":1,"op":"acquire","key":"k","ttlMs":1000,"waitMs":0}`; out: `{"id":1,"ok":true,"owner":".."}`, or, if the
 * driver has made it impossible to go on, `{"id":1,"unusable":{"reason":"..","hint":".."}}`.
 * In, at any time: `{"id":2,"op":"clock"}`; out: `{"id":2,"ok":true,"wallMs":1790000000000}`.
 * Out, unasked: `{"event":"lost","key":"k","owner":".."}`, `{"event":"renewed",..}`, and, before an error that nobody caught ends
 * the process, `{"event":"crashed","evidence":"..","stack":[..]}`. The process ends when its standard input does.
 */
import { flushCompileCache } from "node:module";
import { createInterface } from "node:readline";
import { messageWithPlace } from "../core/crash.ts";
import { messageOf, type UnusableClientError } from "../core/errors.ts";
import type { ResourceChecks } from "../core/plan.ts";
import type { ClientRequest } from "../core/system.ts";
import type { Address, Servers } from "../core/lock-driver.ts";
import { crashOf } from "../core/crash.ts";
import { ClientProgram } from "./client-program.ts";
import { loadDriver } from "./load-driver.ts";

/** First line on a worker's standard input. */
export interface WorkerConfiguration {
  readonly client: string;
  readonly lock: string;
  readonly servers: Servers;
  readonly resource: Address;
  readonly checks: ResourceChecks;
  readonly origin: string;
  /** Whether this process leads a process group, whose processes all end with it. */
  readonly leadsGroup?: true;
}

const write = process.stdout.write.bind(process.stdout);
// A driver's output goes to the log; on standard output it would appear in the middle of a message.
process.stdout.write = process.stderr.write.bind(process.stderr);

function send(message: object): void {
  write(`${JSON.stringify(message)}\n`);
}

async function start(configuration: WorkerConfiguration): Promise<ClientProgram> {
  const origin = BigInt(configuration.origin);
  const program = await ClientProgram.start({
    driver: await loadDriver(configuration.lock),
    environment: { client: configuration.client, servers: configuration.servers },
    resource: configuration.resource,
    checks: configuration.checks,
    // All processes of a machine share one monotonic clock, and no fault steps it.
    trueNow: () => Number(process.hrtime.bigint() - origin),
  });
  process.on("uncaughtExceptionMonitor", (error, origin) => send({ event: "crashed", ...crashOf(origin, error) }));
  program.onLost((lost) => send({ event: "lost", ...lost }));
  program.onRenewed((renewed) => send({ event: "renewed", ...renewed }));
  program.onQueued((queued) => send({ event: "queued", ...queued }));
  return program;
}

async function answerClock(program: ClientProgram, id: number): Promise<void> {
  try {
    send({ id, ok: true, wallMs: await program.wallMs() });
  } catch (error) {
    send({ id, ok: false, kind: "indeterminate", reason: messageOf(error) });
  }
}

async function answer(program: ClientProgram, id: number, request: ClientRequest): Promise<void> {
  try {
    send({ id, ...(await program.perform(request)) });
  } catch (error) {
    // It rejects with nothing else.
    const { message: reason, hint } = error as UnusableClientError;
    send({ id, unusable: { reason, hint } });
  }
}

async function main(): Promise<void> {
  let program: ClientProgram | undefined;
  let leadsGroup = false;
  for await (const line of createInterface({ input: process.stdin })) {
    if (program === undefined) {
      const configuration = JSON.parse(line) as WorkerConfiguration;
      leadsGroup = configuration.leadsGroup === true;
      program = await start(configuration);
      send({ ready: true });
      // For the next client: this one will be killed, and Node writes the cache only at a normal exit.
      flushCompileCache();
    } else {
      const { id, ...request } = JSON.parse(line) as (ClientRequest | { op: "clock" }) & { id: number };
      if (request.op === "clock") void answerClock(program, id);
      // Not awaited: the harness may ask for several operations at a time, and for the clock in between.
      else void answer(program, id, request);
    }
  }
  await program?.[Symbol.asyncDispose]();
  // What a lock in another language started may live on.
  if (leadsGroup) process.kill(-process.pid, "SIGKILL");
}

main().then(
  () => process.exit(0),
  (error: unknown) => {
    send({ ready: false, reason: messageWithPlace(error) });
    process.exit(1);
  },
);
