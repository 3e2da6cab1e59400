/** The packages that an installation of this one brings into a project. */
import { globSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

/** Packages that talk to container engines or over SSH, and their parts. */
const CONTAINER_CLIENT = /docker|ssh|testcontainers|protobufjs|grpc|cpu-features|archiver|^tar/;

/**
 * Prints the size of the installation for a user who only simulates.
 * @throws when it contains a client of container engines or native code
 */
export function expectLean(folder: string): void {
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
