import type Dockerode from "dockerode";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { withinDeadline } from "../engine/engine.ts";
import { runLabels } from "../cleanup/labels.ts";

/** What a container with a node's rights can do on this machine. */
export interface ContainerAbilities {
  /** The firewall takes rules: partitions between nodes. */
  readonly iptables: boolean;
  /** The kernel has the network emulator. */
  readonly netem: boolean;
  /** Everything the probe wrote, where something failed. */
  readonly output: string;
}

const PROBE = `
  iptables -A INPUT -s 192.0.2.1 -j DROP && iptables -S INPUT | grep -q 192.0.2.1 && echo has:iptables
  tc qdisc add dev lo root netem delay 1ms && echo has:netem
`;

/** Tries it in a separate container without a network, which is removed again. */
export async function probeContainer(engine: Dockerode, image: string): Promise<ContainerAbilities> {
  const container = await engine.createContainer({
    Image: image,
    Entrypoint: ["/bin/sh", "-c", PROBE],
    Labels: runLabels(`probe-${process.pid}`),
    HostConfig: { CapAdd: ["NET_ADMIN"], NetworkMode: "none" },
  });
  try {
    const stream = await container.attach({ stream: true, stdout: true, stderr: true });
    const merged = new PassThrough();
    container.modem.demuxStream(stream, merged, merged);
    stream.once("end", () => merged.end());
    await container.start();
    const output = await withinDeadline("run a probe", text(merged));
    return { iptables: output.includes("has:iptables"), netem: output.includes("has:netem"), output: output.trim() };
  } finally {
    await container.remove({ force: true });
  }
}
