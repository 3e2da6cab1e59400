import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Language } from "../../../lock-impl/workers/workers.ts";

/** The folder of a language's kit. Sources and the compiled package lie at different depths beside it. */
export function kitFolder(language: Language): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "kits"))) {
    const above = dirname(folder);
    if (above === folder) throw new Error("the kits are missing from this installation");
    folder = above;
  }
  return join(folder, "kits", language);
}
