import { beforeEach, expect, test } from "vitest";
import { droppedPackets, NodeFirewall } from "./node-firewall.ts";
import type { NodeShell } from "./node-shell.ts";

const LISTING = `Chain INPUT (policy ACCEPT 812 packets, 70211 bytes)
    pkts      bytes target     prot opt in     out     source               destination
       3      180 DROP       0    --  *      *       10.213.0.1           0.0.0.0/0
      42     2520 DROP       0    --  *      *       10.213.0.10          0.0.0.0/0
       7      420 ACCEPT     0    --  *      *       10.213.0.11          0.0.0.0/0
`;

test("a rule's packets are read from its own line, not from that of a similar address", () => {
  expect(droppedPackets(LISTING, "10.213.0.10")).toBe(42);
  expect(droppedPackets(LISTING, "10.213.0.1")).toBe(3);
  expect(droppedPackets(LISTING, "10.213.0.11")).toBe(0);
  expect(droppedPackets(LISTING, "10.213.0.12")).toBe(0);
});

let commands: string[];
let firewall: NodeFirewall;

beforeEach(() => {
  commands = [];
  const shell: Pick<NodeShell, "run"> = {
    run: async (command) => {
      commands.push(command);
      return LISTING;
    },
  };
  firewall = new NodeFirewall(shell);
});

test("only what is not in force yet is brought into force, and only once", async () => {
  firewall.drop("INPUT", "10.213.0.10");
  firewall.drop("INPUT", "10.213.0.10");
  firewall.drop("OUTPUT", "10.213.0.11");
  await firewall.settle();
  await firewall.settle();
  expect(commands).toEqual(["iptables -A INPUT -s 10.213.0.10 -j DROP && iptables -A OUTPUT -d 10.213.0.11 -j DROP"]);
});

test("what was never in force is not taken away; what is in force is", async () => {
  firewall.drop("INPUT", "10.213.0.10");
  firewall.accept("INPUT", "10.213.0.10");
  await firewall.settle();
  expect(commands).toEqual([]);
  firewall.drop("INPUT", "10.213.0.10");
  await firewall.settle();
  firewall.acceptAll();
  await firewall.settle();
  expect(commands.at(-1)).toBe("iptables -D INPUT -s 10.213.0.10 -j DROP");
});

test("after its container has ended all that is wanted is brought into force again", async () => {
  firewall.drop("INPUT", "10.213.0.10");
  await firewall.settle();
  firewall.forget();
  expect(await firewall.dropped("INPUT", "10.213.0.10")).toBe(0);
  await firewall.settle();
  expect(commands).toHaveLength(2);
  expect(await firewall.dropped("INPUT", "10.213.0.10")).toBe(42);
  expect(await firewall.dropped("OUTPUT", "10.213.0.10")).toBe(0);
});
