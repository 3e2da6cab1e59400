import { messageOf } from "../core/errors.ts";
import type { Notice } from "../core/system.ts";
import type { ClientProcess } from "./client-process.ts";
import type { ContainerNode } from "./container-node.ts";
import type { ContainerStage } from "./container-stage.ts";
import { watchForDeaths } from "./death-watch.ts";
import { type Promotion, PromotionWatch } from "./sentinels.ts";
import { settleAll } from "./settle-all.ts";

/** What the system notices by itself during one run: promotions, and processes that die by themselves. */
export class NoticeBoard {
  readonly #listeners: ((notice: Notice) => void)[] = [];

  /** Begins to watch; what watches is put on `stack`. */
  static async start(
    stage: ContainerStage,
    clients: readonly ClientProcess[],
    stack: AsyncDisposableStack,
  ): Promise<NoticeBoard> {
    const board = new NoticeBoard();
    const tell = (notice: Notice): void => {
      for (const listener of board.#listeners) listener(notice);
    };
    const sentinels = stage.nodes.filter(({ role }) => role === "sentinel");
    const master = stage.nodes[0];
    const [deaths, promotions] = await settleAll([
      watchForDeaths(stage.engine, stage.home.runId, stage.mortals, clients, tell),
      sentinels.length === 0 || master === undefined
        ? undefined
        : PromotionWatch.start(
            sentinels.map(({ name }) => ({ name, address: stage.address(name) })),
            master.networkAddress,
            (promotion) => void describe(promotion, stage.nodes).then(tell),
          ),
    ]);
    stack.use(deaths);
    stack.use(promotions);
    return board;
  }

  onNotice(listener: (notice: Notice) => void): void {
    this.#listeners.push(listener);
  }
}

/** A promotion in the names of the nodes, with what the new master knows as evidence of what was lost. */
async function describe({ sentinel, from, to }: Promotion, nodes: readonly ContainerNode[]): Promise<Notice> {
  const nodeAt = (address: string): ContainerNode | undefined =>
    nodes.find(({ networkAddress }) => networkAddress === address);
  const promoted = nodeAt(to);
  const name = promoted?.name ?? to;
  const knew = await countKeys(promoted);
  const evidence = `${sentinel} announced ${name} as master in place of ${nodeAt(from)?.name ?? from}; ${knew}`;
  return { kind: "promotion", node: name, evidence };
}

async function countKeys(node: ContainerNode | undefined): Promise<string> {
  try {
    return `it had ${String(await node?.command("DBSIZE"))} key(s)`;
  } catch (error) {
    return `its keys could not be counted: ${messageOf(error)}`;
  }
}
