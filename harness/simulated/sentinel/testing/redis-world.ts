import type { Host } from "../../kernel/host.ts";
import { RedisNode } from "../../nodes/redis-node.ts";
import { REDIS_PORT } from "../../nodes/redis-process.ts";
import { SnapshotExchange } from "../../nodes/snapshot-exchange.ts";
import { SentinelGroup, type WorldNode, type WorldOptions } from "./sentinel-group.ts";

/** A simulated Redis server under Sentinels. */
export class WatchedNode implements WorldNode {
  readonly node: RedisNode;

  constructor(node: RedisNode) {
    this.node = node;
  }

  get host(): Host {
    return this.node.host;
  }

  get isMaster(): boolean {
    return !this.node.server.isReplica;
  }

  start(): void {
    this.node.start(true);
  }
}

/** Sentinels with simulated Redis servers. */
export class RedisWorld extends SentinelGroup<WatchedNode> {
  constructor(options: WorldOptions = {}) {
    const exchange = new SnapshotExchange();
    super(options, ({ kernel, network, index, master }) => {
      const node = new RedisNode({
        kernel,
        network,
        exchange,
        name: `node-${index}`,
        address: `10.0.0.${index + 1}`,
        version: "8.0.2",
        config: { save: "", "repl-diskless-sync-delay": "0", "repl-ping-replica-period": "1" },
        ...(master === undefined ? {} : { master: { host: master, port: REDIS_PORT } }),
      });
      return new WatchedNode(node);
    });
  }
}
