import { beforeAll, expect, test } from "vitest";
import { MASTER_NAME } from "../core/topologies/sentinel.ts";
import type { ContainerNode } from "./nodes/container-node.ts";
import { describeWithEngine } from "./testing/engine-required.ts";
import { cutNodes, healNodes } from "./nodes/node-network.ts";
import { requestFailover } from "../core/topologies/ask-sentinels.ts";
import { type Promotion, PromotionWatch } from "./servers/sentinels.ts";
import { nodeOf, useServers } from "./testing/servers.ts";

const AWHILE = { timeout: 20_000, interval: 10 };

describeWithEngine("nodes and Sentinels", () => {
  const servers = useServers({ kind: "sentinel" });
  let master: ContainerNode;
  let replica: ContainerNode;
  let sentinels: readonly ContainerNode[];

  beforeAll(async () => {
    master = nodeOf(servers(), "node-0");
    replica = nodeOf(servers(), "node-1");
    sentinels = servers().nodes.filter(({ role }) => role === "sentinel");
    await servers().settle();
    // Here the master must stay the master, however long a test leaves it dead.
    const patient = ["SENTINEL", "SET", MASTER_NAME, "down-after-milliseconds", 600_000];
    for (const sentinel of sentinels) await sentinel.command(...patient);
  });

  /** How often the replica has begun to replicate from the master. */
  async function synchronisations(): Promise<string> {
    const stats = String(await master.command("INFO", "stats"));
    return ["sync_full", "sync_partial_ok"].map((name) => new RegExp(`${name}:(\\d+)`).exec(stats)?.[1]).join(" ");
  }

  async function set(value: string): Promise<void> {
    await master.command("SET", "k", value);
  }

  test("a cut in one direction holds back what the master says, until it is healed: on the same connection", async () => {
    const before = await synchronisations();
    await set("before");
    await expect.poll(() => replica.command("GET", "k"), AWHILE).toBe("before");
    expect(await cutNodes(master, replica)).toEqual({
      observed: true,
      detail: expect.stringMatching(/^node-1 dropped [1-9]\d* packets? from node-0$/),
    });
    await set("behind the cut");
    // The other replica hears it, and so does the master that this one still reaches: only one direction is cut.
    expect(await master.command("WAIT", 1, 1_000)).toBe(1);
    expect(await replica.command("GET", "k")).toBe("before");
    expect(await healNodes(master, replica)).toMatchObject({ observed: true });
    await expect.poll(() => replica.command("GET", "k"), AWHILE).toBe("behind the cut");
    expect(await synchronisations()).toBe(before);
  });

  test("a cut outlasts a restart of either end", async () => {
    for (const restarted of [replica, master]) {
      await cutNodes(replica, master);
      await restarted.kill();
      await restarted.start({ keepData: true });
      // A replica cannot even ask: its packets are dropped at one end or at both.
      const dropped = async (): Promise<number> =>
        (await replica.droppedPackets("OUTPUT", master.networkAddress)) +
        (await master.droppedPackets("INPUT", replica.networkAddress));
      const atFirst = await dropped();
      await expect.poll(dropped, AWHILE).toBeGreaterThan(atFirst);
      expect(await replica.command("INFO", "replication")).toContain("master_link_status:down");
      await healNodes(replica, master);
      await expect.poll(() => replica.command("INFO", "replication"), AWHILE).toContain("master_link_status:up");
    }
  });

  test("a cut from a node that does not run is not seen, and counts as soon as it does", async () => {
    await replica.pause();
    expect(await cutNodes(replica, master)).toEqual({
      observed: false,
      detail: "no packet from node-1 to node-0 was seen",
    });
    await replica.resume();
    await expect.poll(() => replica.droppedPackets("OUTPUT", master.networkAddress), AWHILE).toBeGreaterThan(0);
    await healNodes(replica, master);
  });

  test("a cut to a node that does not run is seen where the packets come from", async () => {
    await replica.kill();
    expect(await cutNodes(master, replica)).toEqual({
      observed: true,
      detail: expect.stringMatching(/^node-0 dropped [1-9]\d* packets? to node-1$/),
    });
    await replica.start({ keepData: true });
    expect(await replica.runInside(`iptables -S INPUT | grep -q ${master.networkAddress}`)).toBe(true);
    await healNodes(master, replica);
    expect(await replica.runInside(`! iptables -S INPUT | grep -q ${master.networkAddress}`)).toBe(true);
  });

  test("a Sentinel whose clock steps enters TILT; a small step does not show", async () => {
    const sentinel = nodeOf(servers(), "sentinel-2");
    await sentinel.command("SENTINEL", "DEBUG", "tilt-period", "300");
    expect(await sentinel.jumpClock(500)).toEqual({
      observed: false,
      detail: "sentinel-2 stepped by 500 ms, too little to show",
    });
    expect(await sentinel.jumpClock(11_000)).toEqual({ observed: true, detail: "sentinel-2 entered TILT" });
    const tilted = async (): Promise<boolean> =>
      String(await sentinel.command("INFO", "sentinel")).includes("sentinel_tilt:1");
    await expect.poll(tilted, AWHILE).toBe(false);
    expect(await sentinel.jumpClock(-11_500)).toEqual({ observed: true, detail: "sentinel-2 entered TILT" });
    await expect.poll(tilted, AWHILE).toBe(false);
  });

  test("a failover that a Sentinel was asked for is told of once", async () => {
    const promotions: Promotion[] = [];
    await using _watch = await PromotionWatch.start(
      sentinels.map(({ name }) => ({ name, address: servers().address(name) })),
      master.networkAddress,
      (promotion) => promotions.push(promotion),
    );
    expect(await requestFailover(sentinels)).toEqual({ observed: true, detail: "sentinel-0 began a failover" });
    expect(await requestFailover(sentinels)).toEqual({
      observed: false,
      refused: true,
      detail: expect.stringContaining("INPROG"),
    });
    await expect.poll(() => promotions, AWHILE).toHaveLength(1);
    const switched = async (sentinel: ContainerNode): Promise<string> =>
      String(await sentinel.command("SENTINEL", "GET-MASTER-ADDR-BY-NAME", "lockstorm"));
    const [promotion] = promotions;
    for (const sentinel of sentinels) await expect.poll(() => switched(sentinel), AWHILE).toBe(`${promotion?.to},6379`);
    expect(promotion).toMatchObject({ sentinel: "sentinel-0", from: master.networkAddress });
    expect(promotions).toHaveLength(1);
  });
});
