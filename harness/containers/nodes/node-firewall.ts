import type { NodeShell } from "./node-shell.ts";

/** `INPUT` drops what comes from a peer, `OUTPUT` what goes to it. */
export type Chain = "INPUT" | "OUTPUT";

/**
 * The packets that one node drops, by firewall rules inside its container. It remembers the requested rules, because a
 * paused container takes no rules, and a restarted one has lost them.
 */
export class NodeFirewall {
  readonly #shell: Pick<NodeShell, "run">;
  readonly #wanted = new Set<string>();
  readonly #inForce = new Set<string>();

  constructor(shell: Pick<NodeShell, "run">) {
    this.#shell = shell;
  }

  /** Records a rule; `settle` brings it into force. */
  drop(chain: Chain, peer: string): void {
    this.#wanted.add(rule(chain, peer));
  }

  /** Records that a rule is no longer wanted; `settle` removes it. */
  accept(chain: Chain, peer: string): void {
    this.#wanted.delete(rule(chain, peer));
  }

  /** Records that no rule is wanted any more. */
  acceptAll(): void {
    this.#wanted.clear();
  }

  /** Call it when the container has ended: its rules are gone with its network. */
  forget(): void {
    this.#inForce.clear();
  }

  /**
   * Brings the recorded rules into force. Its container must be running.
   * @throws HarnessError when iptables fails
   */
  async settle(): Promise<void> {
    const added = [...this.#wanted].filter((wanted) => !this.#inForce.has(wanted));
    const removed = [...this.#inForce].filter((present) => !this.#wanted.has(present));
    if (added.length + removed.length === 0) return;
    const commands = [...added.map((each) => `iptables -A ${each}`), ...removed.map((each) => `iptables -D ${each}`)];
    await this.#shell.run(commands.join(" && "));
    for (const each of added) this.#inForce.add(each);
    for (const each of removed) this.#inForce.delete(each);
  }

  /** How many packets a rule has dropped since it came into force; 0 when it is not in force. */
  async dropped(chain: Chain, peer: string): Promise<number> {
    if (!this.#inForce.has(rule(chain, peer))) return 0;
    return droppedPackets(await this.#shell.run(`iptables -nvxL ${chain}`), peer);
  }
}

function rule(chain: Chain, peer: string): string {
  return chain === "INPUT" ? `INPUT -s ${peer} -j DROP` : `OUTPUT -d ${peer} -j DROP`;
}

/** Packets that the DROP rule for `peer` has counted, from the listing of `iptables -nvxL`. */
export function droppedPackets(listing: string, peer: string): number {
  for (const line of listing.split("\n")) {
    const columns = line.trim().split(/\s+/);
    if (columns[2] === "DROP" && columns.includes(peer)) return Number(columns[0]);
  }
  return 0;
}
