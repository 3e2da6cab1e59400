import { text } from "node:stream/consumers";
import { expect, test } from "vitest";
import { isInstalled, runProgram } from "./host-programs.ts";

test("a program that succeeds", async () => {
  const program = runProgram("sh", ["-c", "echo out; echo complaint >&2"]);
  expect(await text(program.output)).toBe("out\n");
  await program.success;
});

test("a program that fails tells the line that matters", async () => {
  const failure = (script: string): Promise<void> => {
    const program = runProgram("sh", ["-c", script]);
    program.output.resume();
    return program.success;
  };
  await expect(failure("echo 'E: no such package' >&2; echo 'see the manual' >&2; exit 100")).rejects.toThrow(
    "E: no such package",
  );
  await expect(failure("echo first >&2; echo last >&2; exit 1")).rejects.toThrow("last");
  await expect(failure("exit 3")).rejects.toThrow("sh ends with exit code 3");
});

test("a program that this machine does not have", async () => {
  expect(isInstalled("sh")).toBe(true);
  expect(isInstalled("no-such-program")).toBe(false);
  await expect(runProgram("no-such-program", []).success).rejects.toThrow("ENOENT");
});
