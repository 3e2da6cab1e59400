import { UserError } from "../../core/errors.ts";
import type { Edge, Evidence, NetworkControl } from "../../core/system.ts";
import type { ContainerNode } from "../nodes/container-node.ts";
import { type Direction, type Link, linkName } from "../links/links.ts";
import { cutNodes, healNodes } from "../nodes/node-network.ts";

type Place =
  | { readonly kind: "link"; readonly link: Link; readonly direction: Direction }
  | { readonly kind: "nodes"; readonly from: ContainerNode; readonly to: ContainerNode };

/**
 * Network faults of a containerized run. Edges with a client at one end are Toxiproxy links; edges between nodes are
 * firewall rules inside the containers. Nothing touches the host's own firewall.
 */
export class ContainerNetwork implements NetworkControl {
  readonly #links: ReadonlyMap<string, Link>;
  readonly #nodes: readonly ContainerNode[];

  /** @param links by name, `client-0->node-2` */
  constructor(links: ReadonlyMap<string, Link>, nodes: readonly ContainerNode[]) {
    this.#links = links;
    this.#nodes = nodes;
  }

  cut(edge: Edge): Promise<Evidence> {
    const place = this.#place(edge);
    return place.kind === "link" ? place.link.hold(place.direction) : cutNodes(place.from, place.to);
  }

  stall(edge: Edge): Promise<Evidence> {
    const place = this.#place(edge);
    return place.kind === "link" ? place.link.hold(place.direction) : notBetweenNodes("stall", edge);
  }

  delay(edge: Edge, ms: number): Promise<Evidence> {
    const place = this.#place(edge);
    return place.kind === "link" ? place.link.delay(place.direction, ms) : notBetweenNodes("delay", edge);
  }

  reset(edge: Edge): Promise<Evidence> {
    const place = this.#place(edge);
    return place.kind === "link" ? place.link.reset() : notBetweenNodes("reset", edge);
  }

  heal(edge: Edge): Promise<Evidence> {
    const place = this.#place(edge);
    return place.kind === "link" ? place.link.heal(place.direction) : healNodes(place.from, place.to);
  }

  #place({ from, to }: Edge): Place {
    const forward = this.#links.get(linkName(from, to));
    if (forward !== undefined) return { kind: "link", link: forward, direction: "upstream" };
    const backward = this.#links.get(linkName(to, from));
    if (backward !== undefined) return { kind: "link", link: backward, direction: "downstream" };
    const source = this.#nodes.find(({ name }) => name === from);
    const target = this.#nodes.find(({ name }) => name === to);
    if (source !== undefined && target !== undefined) return { kind: "nodes", from: source, to: target };
    throw new UserError(`this run has no link from ${from} to ${to}`, "correct the targets of the fault");
  }
}

/** There is no proxy between nodes, and not every kernel has `tc netem`: only partitions work there. */
function notBetweenNodes(what: string, { from, to }: Edge): Promise<Evidence> {
  return Promise.resolve({ observed: false, detail: `containers cannot ${what} ${from} to ${to}, only cut it` });
}
