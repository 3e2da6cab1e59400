import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type * as testcontainers from "testcontainers";
import { UserError } from "../../core/errors.ts";
import { addCommand } from "../setup/package-manager.ts";

/** Major version of testcontainers that this code is written for. */
const MAJOR = 12;

/** Testcontainers as a package manager takes it: a version range that needs no quoting in a shell. */
export const TESTCONTAINERS = `testcontainers@${MAJOR}`;

/**
 * The client of container engines, an optional peer dependency: users who only simulate do not install it, nor its SSH
 * client and native addons.
 * @throws UserError with the command that installs it when it is missing, or when another major version is installed
 */
export function loadTestcontainers(places = usualPlaces()): typeof testcontainers {
  const found = findTestcontainers(places);
  const command = addCommand(process.cwd(), TESTCONTAINERS).words.join(" ");
  if (found === undefined) {
    throw new UserError("containers need testcontainers, which is not installed", `run \`${command}\``);
  }
  if (!found.version.startsWith(`${MAJOR}.`)) {
    throw new UserError(
      `testcontainers ${found.version} is installed, but lockstorm needs ${MAJOR}`,
      `run \`${command}\``,
    );
  }
  return createRequire(import.meta.url)(found.folder) as typeof testcontainers;
}

/**
 * First lockstorm's own folder, then the project in which the program was started: by `npx` or globally installed,
 * lockstorm is outside the project.
 */
function usualPlaces(): readonly string[] {
  return [import.meta.url, join(process.cwd(), "package.json")];
}

/**
 * Looks for testcontainers as a file in one of `places` would. It reads the folders itself, because Node caches that a
 * package was missing, and `setup` installs it in between.
 */
export function findTestcontainers(
  places = usualPlaces(),
): { readonly folder: string; readonly version: string } | undefined {
  for (const place of places) {
    for (const modules of createRequire(place).resolve.paths("testcontainers") ?? []) {
      const folder = join(modules, "testcontainers");
      const manifest = join(folder, "package.json");
      if (!existsSync(manifest)) continue;
      const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { readonly version: string };
      return { folder, version };
    }
  }
  return undefined;
}
