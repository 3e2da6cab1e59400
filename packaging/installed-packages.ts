/** The packages that an installation of this one brings into a project. */
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Packages that talk to container engines or over SSH, and their parts. */
const CONTAINER_CLIENT = /docker|ssh|testcontainers|protobufjs|grpc|cpu-features|archiver|^tar/;

/** How far a document's figure may be from the measured one. */
const LEEWAY_MB = 1;

/** The size of an installation. */
export interface Installation {
  readonly packages: number;
  readonly bytes: number;
}

/**
 * Prints the size of the installation for a user who only simulates.
 * @param documents by path: documents that tell the size
 * @throws when it contains a client of container engines or native code, or a document tells another size
 */
export function expectLean(folder: string, documents: Readonly<Record<string, string>>): void {
  const modules = join(folder, "node_modules");
  const manifest = JSON.parse(readFileSync(join(modules, ".package-lock.json"), "utf8")) as InstalledPackages;
  const ours = Object.entries(manifest.packages).filter(
    ([path]) => !/^node_modules\/(@types\/node|undici-types)$/.test(path),
  );
  const unwanted = [
    ...ours
      .filter(([path, { hasInstallScript }]) => hasInstallScript === true || CONTAINER_CLIENT.test(path))
      .map(([path]) => path),
    ...globSync("**/{*.node,binding.gyp}", { cwd: modules }),
  ];
  if (unwanted.length > 0) throw new Error(`installed: ${unwanted.join(", ")}`);
  const bytes = ours.reduce((sum, [path]) => sum + bytesIn(join(folder, path)), 0);
  console.log(`      ${ours.length} packages, ${(bytes / 1e6).toFixed(1)} MB`);
  const wrong = wrongSizes(documents, { packages: ours.length, bytes });
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
}

/** What documents say of an installation's size (`15 packages (15 MB)`), where it is not so, or is not said. */
export function wrongSizes(
  documents: Readonly<Record<string, string>>,
  { packages, bytes }: Installation,
): readonly string[] {
  return Object.entries(documents).flatMap(([path, text]) => {
    const [said, count, megabytes] = /(\d+) packages[ ,(]+(\d+) MB/.exec(text) ?? [];
    if (said === undefined) return [`${path} does not say how large an installation is`];
    if (Number(count) === packages && Math.abs(Number(megabytes) - bytes / 1e6) <= LEEWAY_MB) return [];
    return [`${path} says "${said}", and an installation has ${packages} packages, ${(bytes / 1e6).toFixed(1)} MB`];
  });
}

interface InstalledPackages {
  /** By path: `node_modules/zod`. */
  readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>>;
}

/** The size of a package's files, without packages nested in it. */
function bytesIn(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter(({ name }) => name !== "node_modules")
    .reduce((sum, entry) => {
      const path = join(folder, entry.name);
      return sum + (entry.isDirectory() ? bytesIn(path) : statSync(path).size);
    }, 0);
}
