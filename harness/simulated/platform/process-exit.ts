import { patch } from "./replace.ts";

/**
 * Patches `process.exit` and `process.abort`, which end the host's process and count as its failure. The throw stops
 * the code that called.
 */
export function patchProcessExit(): void {
  for (const name of ["exit", "abort"]) {
    patch(process, name, `process.${name}`, (host, [code]) => {
      const error = new Error(`the program called process.${name}(${typeof code === "number" ? code : ""})`);
      host.fail(`process.${name}`, error);
      host.kill();
      throw error;
    });
  }
}
