import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { HarnessError } from "../../core/errors.ts";

/** What a node image can hold: Redis 8.0, Redis 7.0 or Valkey 8.1. */
export const NODE_SERVERS = ["redis8", "redis7", "valkey"] as const;
export type NodeServer = (typeof NODE_SERVERS)[number];

/** The version of Toxiproxy to build; the Dockerfile has it as a default too. */
export const TOXIPROXY_VERSION = "2.12.0";

/** One of our images, and how it is built. */
export interface Image {
  /** `lockstorm-node:redis8-<hash>`. The hash covers the files it is built from, so that a name means one content. */
  readonly name: string;
  /** Folder with its Dockerfile, the context of the build. */
  readonly directory: string;
  readonly buildArguments: Readonly<Record<string, string>>;
  /** Our image that it is built on; absent where that is Debian's. */
  readonly base?: Image;
  /** Whether the build fetches over TLS, and so must trust what this machine trusts. */
  readonly downloadsOverTls: boolean;
}

/**
 * The folder `docker` of this package. Sources are two levels below the package's root, compiled files three: so this
 * searches upwards.
 */
export const DOCKER_DIRECTORY = findDockerDirectory(import.meta.dirname);

/** The image of a data node or Sentinel that runs `server`. */
export function nodeImage(server: NodeServer): Image {
  const directory = join(DOCKER_DIRECTORY, "node");
  return {
    name: `lockstorm-node:${server}-${hashFolder(directory)}`,
    directory,
    buildArguments: { SERVER: server },
    downloadsOverTls: false,
  };
}

/** The image of a PostgreSQL server: a node with another server in it. */
export function postgresImage(): Image {
  return onNode("postgres", "17");
}

/** The image of a ZooKeeper server: likewise. */
export function zookeeperImage(): Image {
  return onNode("zookeeper", "3.9");
}

/** An image built on the node image of Redis, for its firewall, its clock library and its user. */
function onNode(folder: string, version: string): Image {
  const directory = join(DOCKER_DIRECTORY, folder);
  const base = nodeImage("redis8");
  const hash = createHash("sha256")
    .update(`${base.name} ${hashFolder(directory)}`)
    .digest("hex")
    .slice(0, 12);
  return {
    name: `lockstorm-${folder}:${version}-${hash}`,
    directory,
    base,
    buildArguments: {},
    downloadsOverTls: false,
  };
}

/** The image of the Toxiproxy server. */
export function toxiproxyImage(): Image {
  const directory = join(DOCKER_DIRECTORY, "toxiproxy");
  const goProxy = process.env["GOPROXY"];
  return {
    name: `lockstorm-toxiproxy:${TOXIPROXY_VERSION}-${hashFolder(directory)}`,
    directory,
    buildArguments: { VERSION: TOXIPROXY_VERSION, ...(goProxy !== undefined && { GOPROXY: goProxy }) },
    downloadsOverTls: true,
  };
}

/** Name of the image that nodes run unless another server was requested. */
export const NODE_IMAGE = nodeImage("redis8").name;

/** Name of the image of a PostgreSQL server. */
export const POSTGRES_IMAGE = postgresImage().name;

/** Name of the image of a ZooKeeper server. */
export const ZOOKEEPER_IMAGE = zookeeperImage().name;

/** Name of the image of the Toxiproxy server. */
export const TOXIPROXY_IMAGE = toxiproxyImage().name;

/** The first 12 hexadecimal digits of a SHA-256 over the names and contents of the folder's files. */
export function hashFolder(directory: string): string {
  const hash = createHash("sha256");
  for (const name of readdirSync(directory).sort()) {
    const content = readFileSync(join(directory, name));
    hash.update(`${name}\0${content.length}\0`).update(content);
  }
  return hash.digest("hex").slice(0, 12);
}

function findDockerDirectory(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    const candidate = join(folder, "docker");
    if (existsSync(join(candidate, "node", "Dockerfile"))) return candidate;
    if (dirname(folder) === folder) throw new HarnessError("the folder docker is missing from this installation");
  }
}
