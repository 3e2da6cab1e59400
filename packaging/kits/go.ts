import { join } from "node:path";
import { expectCode } from "../steps.ts";

/** The modules of the Go kit. */
const MODULES = [".", "locks", join("examples", "own-lock")];

/** Runs the tests of the Go kit with `go test`. Modules come from the user's cache of them, or from the proxy. */
export async function testGoKit(kit: string): Promise<void> {
  const env = { ...process.env, GOWORK: "off", GOFLAGS: "" };
  for (const module of MODULES) {
    const cwd = join(kit, module);
    // Its verdict must not be an earlier one.
    await expectCode(0, "go", ["test", "-count=1", "./..."], { cwd, env });
    const { stdout } = await expectCode(0, "gofmt", ["-l", "."], { cwd, env });
    if (stdout !== "") throw new Error(`not formatted: ${stdout}`);
  }
}
