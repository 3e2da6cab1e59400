import { type Cache, createPathsMatcher, getTsconfig } from "get-tsconfig";
import { dirname } from "node:path";

/** What a project's tsconfig.json says that decides what its code does when it runs. */
export interface ProjectSettings {
  /** Whether every import stays that does not say that it is of a type. */
  readonly keepsImports: boolean;
  /** The files that a specifier can mean by `paths` and `baseUrl`, without their extensions. */
  readonly mapped: (specifier: string) => readonly string[];
}

const NONE: ProjectSettings = {
  keepsImports: false,
  mapped: () => [],
};

const byFolder = new Map<string, ProjectSettings>();
const files: Cache = new Map();

/** The settings for a file: those of the nearest tsconfig.json, with what it extends. One that cannot be read counts as none. */
export function settingsFor(path: string): ProjectSettings {
  const folder = dirname(path);
  let settings = byFolder.get(folder);
  if (settings === undefined) byFolder.set(folder, (settings = read(folder)));
  return settings;
}

function read(folder: string): ProjectSettings {
  let found;
  try {
    found = getTsconfig(folder, "tsconfig.json", files);
  } catch {
    return NONE;
  }
  if (found === null) return NONE;
  const { verbatimModuleSyntax } = found.config.compilerOptions ?? {};
  return {
    keepsImports: verbatimModuleSyntax === true,
    mapped: createPathsMatcher(found) ?? NONE.mapped,
  };
}
