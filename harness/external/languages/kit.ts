import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Language } from "../../../lock-impl/workers/workers.ts";
import { cacheFolder } from "../../core/cache-folder.ts";

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

/**
 * The folder in the user's cache for what is built from files of a kit. Its name changes with their names and contents.
 * @param isSource which files count, by their path in the kit
 */
export function buildFolder(language: Language, isSource: (path: string) => boolean): string {
  const kit = kitFolder(language);
  const hash = createHash("sha256");
  const paths = readdirSync(kit, { recursive: true, encoding: "utf8" }).filter(isSource).toSorted();
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(join(kit, path)));
  return join(cacheFolder(), `${language}-${hash.digest("hex").slice(0, 12)}`);
}
