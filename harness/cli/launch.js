#!/usr/bin/env node
// Plain JavaScript that any Node runs: finds a Node that is new enough and starts the command line with it. A clone
// runs the sources as they are; the published package contains only compiled files.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const source = new URL("supervisor.ts", import.meta.url);
const fromSource = existsSync(source);
const main = fromSource ? source : new URL("../../dist/harness/cli/supervisor.js", import.meta.url);
// The sources contain `await using`, which is compiled away in the package.
const MINIMUM = fromSource ? [24, 0] : [22, 22];

const [major, minor] = process.versions.node.split(".").map(Number);
const newEnough = major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
const bundledNode = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"];
const INTERRUPTED = 130;

if (newEnough) {
  // Linux drops a signal that process 1 of a container does not listen to, and loading takes time.
  const leave = () => process.exit(INTERRUPTED);
  for (const signal of SIGNALS) process.on(signal, leave);
  const { supervise } = await import(main.href);
  supervise(process.argv.slice(2));
  // Only now: somebody always listens.
  for (const signal of SIGNALS) process.off(signal, leave);
} else if (existsSync(bundledNode)) {
  handOver(bundledNode);
} else {
  console.error(
    `lockstorm: Node ${process.versions.node} is too old; install Node ${MINIMUM.join(".")} or newer (24 is recommended)`,
  );
  process.exitCode = 254;
}

/** Runs the same command line on another Node, forwards signals, and ends with the same result. */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  // A terminal sends its signals to the whole group: the child takes the second one, which comes at once, as the first.
  for (const signal of SIGNALS) process.on(signal, () => child.kill(signal));
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
