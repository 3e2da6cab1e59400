import { createReadStream, lstatSync, realpathSync } from "node:fs";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { ListedRun, StoreChange, StoreListing } from "../../../reports/html/store-listing.ts";
import { renderStorePage } from "../../../reports/html/store-page.ts";
import { messageOf, UserError } from "../../core/errors.ts";
import { systemReason } from "../../core/system-reason.ts";
import type { StoreReader } from "./read-store.ts";

/** Never another network: what is in a store is nobody else's. */
const HOST = "127.0.0.1";
const EVENTS = "/events";
/** How often the store is looked at while somebody watches, in milliseconds. */
const PACE_MS = 1000;

/** What a store holds for readers. Nothing else of it is served. */
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html; charset=utf-8",
  ".json": "application/json; charset=utf-8",
  ".jsonl": "text/plain; charset=utf-8",
  ".svg": "image/svg+xml",
};

/** A store as a site on the loopback interface, which notifies its pages of news. Disposing ends it. */
export class StoreServer implements AsyncDisposable {
  readonly #store: string;
  readonly #reader: StoreReader;
  readonly #server: Server;
  readonly #watchers = new Set<ServerResponse>();
  #listing: StoreListing;
  /** Counts the changes: a page that was made before the newest one is made again. */
  #version = 0;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  private constructor(store: string, reader: StoreReader, listing: StoreListing) {
    this.#store = realpathSync(store);
    this.#reader = reader;
    this.#listing = listing;
    this.#server = createServer((request, response) => this.#answer(request, response));
  }

  /**
   * @param port 0 for any that is free
   * @throws UserError when nothing can listen there
   */
  static async start(
    store: string,
    { reader, listing, port }: { readonly reader: StoreReader; readonly listing: StoreListing; readonly port: number },
  ): Promise<StoreServer> {
    const started = new StoreServer(store, reader, listing);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    started.#server.once("error", (error) =>
      reject(new UserError(`port ${port} cannot be used: ${systemReason(error)}`, "give another --port")),
    );
    started.#server.listen(port, HOST, resolve);
    await promise;
    return started;
  }

  /** Where a browser finds it. */
  get address(): string {
    return `http://${this.#host}/`;
  }

  get #host(): string {
    const address = this.#server.address();
    return `${HOST}:${typeof address === "object" && address !== null ? address.port : 0}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const watcher of this.#watchers) watcher.end();
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await Promise.all([closed, this.#looking]);
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const { method, headers, url = "/" } = request;
    // A page of another site that has this address under a name of its own must not read the store.
    if (headers.host !== this.#host && headers.host !== this.#host.replace(HOST, "localhost")) {
      refuse(response, 403, "only by the address that lockstorm printed");
    } else if (method !== "GET" && method !== "HEAD") refuse(response, 405, "only to read");
    else {
      const path = pathOf(url);
      if (path === EVENTS) this.#watch(request, response, url);
      else if (path === "/" || path === "/index.html") this.#sendPage(response);
      else this.#sendFile(path, response);
    }
  }

  #sendPage(response: ServerResponse): void {
    this.#look().then(
      () => send(response, renderStorePage(this.#listing, { live: `${EVENTS}?version=${this.#version}` })),
      (error: unknown) => refuse(response, 500, messageOf(error)),
    );
  }

  #sendFile(path: string | undefined, response: ServerResponse): void {
    const file = path === undefined ? undefined : this.#fileOf(path);
    const type = TYPES[extname(file ?? "")];
    if (file === undefined || type === undefined) {
      refuse(response, 404, "no such page in this store");
      return;
    }
    response.writeHead(200, { ...HEADERS, "content-type": type });
    createReadStream(file)
      .on("error", () => response.destroy())
      .pipe(response);
  }

  /** A regular file of the store; undefined for what is not there, hidden, or leads out of it. */
  #fileOf(path: string): string | undefined {
    const file = join(this.#store, path);
    try {
      const isInside = !relative(this.#store, realpathSync(file)).split(sep).includes("..");
      const isHidden = path.split("/").some((part) => part.startsWith("."));
      return isInside && !isHidden && lstatSync(file).isFile() ? file : undefined;
    } catch {
      return undefined;
    }
  }

  #watch(request: IncomingMessage, response: ServerResponse, url: string): void {
    response.writeHead(200, { ...HEADERS, "content-type": "text/event-stream" });
    const version = new URL(url, this.address).searchParams.get("version");
    const { campaigns } = this.#listing;
    // A page that reconnects may have missed news.
    if (version !== String(this.#version)) response.write(eventText("reload", {}));
    else response.write(eventText("change", { runs: [], gone: [], campaigns } satisfies StoreChange));
    this.#watchers.add(response);
    this.#timer ??= setInterval(() => void this.#look().catch(() => {}), PACE_MS);
    request.once("close", () => {
      this.#watchers.delete(response);
      if (this.#watchers.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    });
  }

  /** Looks for news, one look after another, and notifies the pages that watch. */
  #look(): Promise<void> {
    this.#looking = this.#looking.catch(() => {}).then(() => this.#lookOnce());
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const before = this.#listing;
    const now = await this.#reader.read();
    this.#listing = now;
    const change = changeBetween(before.runs, now);
    const isNew = change.runs.length + change.gone.length > 0 || !isDeepStrictEqual(before.campaigns, now.campaigns);
    const hasEnded = now.outcomes.length !== before.outcomes.length;
    if (!isNew && !hasEnded) return;
    this.#version += 1;
    this.#tell(hasEnded ? eventText("reload", {}) : eventText("change", change));
  }

  #tell(text: string): void {
    for (const watcher of this.#watchers) watcher.write(text);
  }
}

const HEADERS = {
  "cache-control": "no-store",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
} as const;

function send(response: ServerResponse, page: string): void {
  response.writeHead(200, { ...HEADERS, "content-type": "text/html; charset=utf-8" });
  response.end(page);
}

function refuse(response: ServerResponse, code: number, why: string): void {
  response.writeHead(code, { ...HEADERS, "content-type": "text/plain; charset=utf-8" });
  response.end(`${why}\n`);
}

/** The path of an address; undefined where it cannot be decoded. */
function pathOf(url: string): string | undefined {
  try {
    const path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? "/");
    return path.includes("\0") ? undefined : path;
  } catch {
    return undefined;
  }
}

function eventText(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The runs that are not as they were. Known ones are the same object as long as nothing changes in them. */
function changeBetween(before: readonly ListedRun[], { runs, campaigns }: StoreListing): StoreChange {
  const known = new Map(before.map((run) => [run.folder, run]));
  const changed = runs.filter((run) => !isSame(known.get(run.folder), run));
  const there = new Set(runs.map(({ folder }) => folder));
  return { runs: changed, gone: before.flatMap(({ folder }) => (there.has(folder) ? [] : [folder])), campaigns };
}

function isSame(before: ListedRun | undefined, run: ListedRun): boolean {
  return before === run || isDeepStrictEqual(before, run);
}
