import { MapReply, type Reply } from "../../redis/protocol/reply.ts";
import { SentinelGroup, type WorldOptions } from "./sentinel-group.ts";
import { NODE_PORT, StubNode } from "./stub-node.ts";

/** Sentinels with stub nodes, whose answers and roles a test can set. */
export class SentinelWorld extends SentinelGroup<StubNode> {
  constructor(options: WorldOptions = {}) {
    super(options, ({ kernel, network, index, master }) => {
      const host = kernel.host(`node-${index}`, { runs: "service" });
      network.add(host);
      const node = new StubNode(
        host,
        network,
        master === undefined ? {} : { master: { host: master, port: NODE_PORT } },
      );
      node.start();
      return node;
    });
  }
}

/** Fields of an instance as `SENTINEL MASTER` has them. */
export function fieldsOf(reply: Reply): ReadonlyMap<string, string> {
  if (!(reply instanceof MapReply)) throw new Error("not an instance");
  const words = reply.flat as readonly string[];
  return new Map(words.flatMap((name, index) => (index % 2 === 0 ? [[name, words[index + 1] ?? ""]] : [])));
}
