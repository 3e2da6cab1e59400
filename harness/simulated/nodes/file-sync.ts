import type { Host } from "../kernel/host.ts";
import type { RedisServer } from "../redis/server.ts";
import type { Disk } from "./disk.ts";

/** How long fdatasync takes in the background, in microseconds: about the time of a solid-state disk. */
const SYNC_US = { least: 500, most: 4000 };

/**
 * Syncs the append-only file as `appendfsync` says (Redis source, aof.c, flushAppendOnlyFile): `always` before any
 * reply; `everysec` in the background, at once when the last sync was a second or more ago by the server's wall clock,
 * which may jump; `no` never, although an operating system would after about half a minute.
 */
export class FileSync {
  readonly #host: Host;
  readonly #server: RedisServer;
  readonly #disk: Disk;
  readonly #onSynced: () => void;
  #lastMs: number;
  #underWay = false;

  /** @param onSynced called when a sync in the background has ended */
  constructor(host: Host, server: RedisServer, disk: Disk, onSynced: () => void) {
    this.#host = host;
    this.#server = server;
    this.#disk = disk;
    this.#onSynced = onSynced;
    this.#lastMs = server.nowMs;
  }

  /** Call it whenever something may have been written, before replies leave. */
  flush(): void {
    const { config, nowMs, replication } = this.#server;
    if (!config.enabled("appendonly")) return;
    if (this.#disk.unsynced === 0) {
      // Bytes that changed no data count as synced too, such as a ping of the master.
      if (!this.#underWay) this.#server.syncedOffset = replication.offset;
      return;
    }
    const policy = config.text("appendfsync");
    if (policy === "always") {
      this.#disk.sync();
      this.#lastMs = nowMs;
      this.#server.syncedOffset = replication.offset;
    } else if (policy === "everysec" && this.#isDue()) {
      this.#lastMs = nowMs;
      if (!this.#underWay) this.#begin();
    }
  }

  /** The file was started again from the current data. */
  restart(): void {
    this.#lastMs = this.#server.nowMs;
    this.#server.syncedOffset = this.#server.replication.offset;
  }

  #isDue(): boolean {
    const { isModern, nowMs } = this.#server;
    // 7.0 compares whole seconds.
    if (isModern) return nowMs - this.#lastMs >= 1000;
    return Math.floor(nowMs / 1000) > Math.floor(this.#lastMs / 1000);
  }

  #begin(): void {
    this.#underWay = true;
    const mark = this.#disk.end;
    const { offset } = this.#server.replication;
    this.#host.timer(this.#host.random("fsync").integer(SYNC_US.least, SYNC_US.most), "fsync", () => {
      this.#underWay = false;
      this.#disk.sync(mark);
      this.#server.syncedOffset = Math.max(
        this.#server.syncedOffset,
        Math.min(offset, this.#server.replication.offset),
      );
      this.#onSynced();
    });
  }
}
