// What `require("lockstorm/jest")` gives: Jest's default is CommonJS, where it can neither require nor import a module of
// the other kind. Plain JavaScript without imports of ours; the verification runs in a process of its own.
"use strict";

const { fork } = require("node:child_process");
const { existsSync } = require("node:fs");
const { join } = require("node:path");
const { fileURLToPath } = require("node:url");

const DEFAULT_BUDGET_MS = 60_000;
/** What a test may take beyond its budget, in milliseconds: its processes have to start. */
const BEYOND_BUDGET_MS = 60_000;
const compiled = join(__dirname, "jest-process.js");
const program = existsSync(compiled) ? compiled : join(__dirname, "jest-process.ts");

/** A required property is violated. The message shows the shortest schedule that violates it, and how to replay it. */
class LockBrokenError extends Error {
  name = "LockBrokenError";
}

function lockstorm(name, options) {
  const called = new Error("called here");
  Error.captureStackTrace(called, lockstorm);
  const { test } = globalThis;
  if (typeof test !== "function") throw new Error("there is no global test function here: run it in Jest");
  if (typeof options.lock === "function") {
    throw new Error("in CommonJS the lock cannot be a function: give the path of a module that exports the driver");
  }
  const seconds = Number(process.env.LOCKSTORM_BUDGET);
  const budgetMs = seconds > 0 ? seconds * 1000 : (options.budgetMs ?? DEFAULT_BUDGET_MS);
  const file = fileOf(called);
  test(name, () => verify({ name, options, file }, called), budgetMs + BEYOND_BUDGET_MS);
}

function verify(asked, called) {
  return new Promise((resolve, reject) => {
    const child = fork(program, [], { execArgv: [], stdio: ["ignore", "ignore", "inherit", "ipc"] });
    child.once("error", reject);
    child.once("close", (code) => reject(new Error(`the verification process ended unexpectedly (${code})`)));
    child.once("message", ({ failure }) => {
      child.disconnect();
      if (failure === undefined) resolve();
      else reject(failureAt(called, failure));
    });
    child.send(asked);
  });
}

/** The failure at the line of the test file. */
function failureAt(called, { name, message, ...more }) {
  const error = name === "LockBrokenError" ? new LockBrokenError(message) : new Error(message);
  Object.assign(error, more, { name });
  error.stack = [`${name}: ${message}`, ...called.stack.split("\n").slice(1)].join("\n");
  return error;
}

/** The file of the first frame of a stack. */
function fileOf({ stack }) {
  const [, place = ""] = /\n\s+at (?:.*? \()?((?:file:\/\/)?[^\n]*?):\d+:\d+\)?(?:\n|$)/.exec(stack) ?? [];
  return place.startsWith("file:") ? fileURLToPath(place) : place;
}

exports.lockstorm = lockstorm;
exports.LockBrokenError = LockBrokenError;
