#!/usr/bin/env node
// Plain JavaScript that any Node runs: finds a Node that is new enough and hands over to the command line. In a clone the
// sources run as they are; in the published package there are only compiled files.
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import * as module from "node:module";
import { constants } from "node:os";
import { fileURLToPath } from "node:url";

const source = new URL("main.ts", import.meta.url);
const fromSource = existsSync(source);
const main = fromSource ? source : new URL("../../dist/harness/cli/main.js", import.meta.url);
// The sources hold `await using`, which is compiled away in the package.
const MINIMUM = fromSource ? [24, 0] : [22, 22];

const [major, minor] = process.versions.node.split(".").map(Number);
const newEnough = major > MINIMUM[0] || (major === MINIMUM[0] && minor >= MINIMUM[1]);
const bundledNode = fileURLToPath(new URL("../../node_modules/node/bin/node", import.meta.url));

if (newEnough) {
  // Compiled code is kept from one start to the next: half a start is compiling.
  module.enableCompileCache();
  const { main: run } = await import(main.href);
  await run(process.argv.slice(2));
} else if (existsSync(bundledNode)) {
  handOver(bundledNode);
} else {
  console.error(
    `lockstorm: Node ${process.versions.node} is too old; install Node ${MINIMUM.join(".")} or newer (24 is recommended)`,
  );
  process.exitCode = 254;
}

/** Runs the same command line on another Node, passes signals on, and ends as it ends. */
function handOver(node) {
  const child = spawn(node, [fileURLToPath(import.meta.url), ...process.argv.slice(2)], { stdio: "inherit" });
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    // A terminal sends its signals to the whole group: the child has SIGINT already.
    process.on(signal, () => signal !== "SIGINT" && child.kill(signal));
  }
  child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
}
