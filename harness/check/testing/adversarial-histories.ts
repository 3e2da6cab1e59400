import type { HistoryEvent, HistoryHeader } from "../../history/history.ts";
import { HistoryScript } from "./history-script.ts";

type Shape = (script: HistoryScript, lines: number) => Generator<HistoryEvent>;

/** In turn, an acquire and a release by each client; `unknown` says whose release is not answered. */
function* turns(
  script: HistoryScript,
  lines: number,
  options: { clients: number; owner: (round: number, process: number) => string; unknown: (round: number) => boolean },
): Generator<HistoryEvent> {
  const processes = Array.from({ length: options.clients }, (_, client) => client);
  let next = options.clients;
  for (let round = 0; round * 4 < lines; round += 1) {
    const client = round % options.clients;
    const process = processes[client]!;
    const owner = options.owner(round, client);
    yield script.seek(process);
    yield script.granted(process, owner, round + 1);
    yield script.leave(process, owner);
    if (options.unknown(round)) {
      yield script.unknown(process, "release");
      processes[client] = next++;
    } else yield script.released(process);
  }
}

/** Each client writes in its turn; the audit comes at the end, in the order that `nth` gives it. */
function* auditedLate(script: HistoryScript, lines: number, nth: (n: number, writes: number) => number) {
  const writes = Math.floor(lines / 7);
  for (let n = 0; n < writes; n += 1) {
    const [process, owner] = [n % 10, `o${n}`];
    yield* [script.seek(process), script.granted(process, owner, n + 1)];
    yield* [script.write(process, owner, `d${n}`, n + 1), script.written(process, n)];
    yield* [script.leave(process, owner), script.released(process)];
  }
  for (let n = 0; n < writes; n += 1) {
    const position = nth(n, writes);
    yield script.audited(position, `o${position}`, `d${position}`, position + 1);
  }
}

/** Histories that are made to be hard to judge: each asks how the cost grows with its length. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  "one owner value, releases unanswered": (script, lines) =>
    turns(script, lines, { clients: 1, owner: () => "x", unknown: () => true }),
  "one owner value for all clients, every other release unanswered": (script, lines) =>
    turns(script, lines, { clients: 10, owner: () => "x", unknown: (round) => round % 2 === 0 }),
  "an owner value a client, a third of the releases unanswered": (script, lines) =>
    turns(script, lines, { clients: 10, owner: (_, client) => `c${client}`, unknown: (round) => round % 3 === 0 }),
  "every release unanswered": (script, lines) =>
    turns(script, lines, { clients: 10, owner: (round) => `o${round}`, unknown: () => true }),
  *"open overlapping grants"(script, lines) {
    for (let process = 0; process * 2 < lines; process += 1) {
      yield script.seek(process, 1e8);
      yield script.granted(process, `o${process}`, process + 1);
    }
  },
  *"open overlapping grants, then all released"(script, lines) {
    const clients = Math.floor(lines / 4);
    for (let process = 0; process < clients; process += 1) {
      yield script.seek(process, 1e8);
      yield script.granted(process, `o${process}`, process + 1);
    }
    for (let process = 0; process < clients; process += 1) {
      yield script.leave(process, `o${process}`);
      yield script.released(process);
    }
  },
  *"grants with one owner value, released by others"(script, lines) {
    const clients = Math.floor(lines / 4);
    for (let process = 0; process < clients; process += 1) {
      yield script.seek(process, 1e8);
      yield script.granted(process, "x");
    }
    for (let process = 0; process < clients; process += 1) {
      yield script.leave(clients + process, "x");
      yield script.released(clients + process);
    }
  },
  *"a quarter unanswered acquires"(script, lines) {
    let process = 0;
    for (let line = 0; line < lines; line += 8) {
      yield script.seek(process++);
      for (let round = 0; round < 2; round += 1) {
        const [owner, own] = [`o${line}-${round}`, process++];
        yield script.seek(own);
        yield script.granted(own, owner);
        yield script.leave(own, owner);
        yield script.released(own);
      }
    }
  },
  *"acquires of unknown outcome between grants, each client under a new process number"(script, lines) {
    const processes = [0, 1, 2, 3, 4];
    for (let turn = 0; turn * 6 < lines; turn += 1) {
      const [doubtful, client] = [turn % 5, (turn + 2) % 5];
      yield script.seek(processes[doubtful]!, 10);
      yield script.unknown(processes[doubtful]!, "acquire");
      processes[doubtful] = turn + 5;
      script.wait(20);
      yield script.seek(processes[client]!, 10);
      yield script.granted(processes[client]!, `o${turn}`);
      yield script.leave(processes[client]!, `o${turn}`);
      yield script.released(processes[client]!);
    }
  },
  *"unanswered acquires of many lease lengths"(script, lines) {
    let process = 0;
    for (let line = 0; line < lines; line += 5) {
      yield script.seek(process++, 100 + script.pick(10_000));
      const own = process++;
      yield script.seek(own, 100 + script.pick(10_000));
      yield script.granted(own, `o${own}`);
      yield script.leave(own, `o${own}`);
      yield script.released(own);
    }
  },
  *"all acquires invoked first, granted in turn"(script, lines) {
    const clients = Math.floor(lines / 4);
    for (let process = 0; process < clients; process += 1) yield script.seek(process, 1000);
    for (let process = 0; process < clients; process += 1) {
      yield script.granted(process, `o${process}`, process + 1);
      yield script.leave(process, `o${process}`);
      yield script.released(process);
    }
  },
  *"all acquires invoked first, granted in reverse"(script, lines) {
    const clients = Math.floor(lines / 4);
    for (let process = 0; process < clients; process += 1) yield script.seek(process, 1000);
    for (let process = clients - 1; process >= 0; process -= 1) {
      yield script.granted(process, `o${process}`);
      yield script.leave(process, `o${process}`);
      yield script.released(process);
    }
  },
  *"slow acquires, whose leases may be over on arrival"(script, lines) {
    for (let process = 0; process * 4 < lines; process += 100) {
      for (let one = 0; one < 100; one += 1) yield script.seek(process + one, 50);
      for (let one = 0; one < 100; one += 1) {
        script.wait(60);
        yield script.granted(process + one, `o${process + one}`);
      }
      for (let one = 0; one < 100; one += 1) yield script.leave(process + one, `o${process + one}`);
      for (let one = 0; one < 100; one += 1) yield script.released(process + one, false);
    }
  },
  *"waits longer than a lease, behind an acquire that is never answered"(script, lines) {
    yield script.seek(0);
    for (let turn = 1; turn * 4 < lines; turn += 1) {
      yield script.seek(turn, 20);
      script.wait(10);
      if (turn <= 5) continue;
      const [process, owner, isLate] = [turn - 5, `o${turn - 5}`, turn % 32 === 0];
      yield script.granted(process, owner);
      if (isLate) script.wait(25);
      yield* [script.leave(process, owner), script.released(process, !isLate)];
    }
  },
  *"leases that expire, never released"(script, lines) {
    for (let process = 0; process * 2 < lines; process += 1) {
      yield script.seek(process, 10);
      yield script.granted(process, `o${process}`);
      script.wait(20);
    }
  },
  *"one open acquire for the whole history"(script, lines) {
    yield script.seek(1_000_000);
    yield* turns(script, lines, { clients: 10, owner: (round) => `o${round}`, unknown: () => false });
  },
  *"one open acquire, owner values used again"(script, lines) {
    yield script.seek(1_000_000);
    yield* turns(script, lines, { clients: 10, owner: (_, client) => `c${client}`, unknown: () => false });
  },
  *"a key for every acquisition"(script, lines) {
    for (let round = 0; round * 4 < lines; round += 1) {
      const process = round % 10;
      const key = `k${round}`;
      yield script.seek(process, 1000, key);
      yield script.granted(process, `o${round}`, 1, key);
      yield script.leave(process, `o${round}`, key);
      yield script.released(process, true, key);
    }
  },
  *"a held key for every acquisition"(script, lines) {
    for (let round = 0; round * 2 < lines; round += 1) {
      const key = `k${round}`;
      yield script.seek(round % 10, 1e8, key);
      yield script.granted(round % 10, `o${round}`, 1, key);
    }
  },
  *"keys whose owner values overlap"(script, lines) {
    for (let round = 0; round * 40 < lines; round += 1) {
      const key = `k${round}`;
      for (let one = 0; one < 10; one += 1) yield script.seek(one, 1000, key);
      for (let one = 0; one < 10; one += 1) yield script.granted(one, "x", undefined, key);
      for (let one = 0; one < 10; one += 1) yield script.leave(one, "x", key);
      for (let one = 0; one < 10; one += 1) yield script.released(one, true, key);
    }
  },
  *"one hold, extended all the time"(script, lines) {
    yield script.seek(0);
    yield script.granted(0, "x");
    for (let line = 2; line < lines; line += 2) {
      yield script.prolong(0, "x");
      yield script.prolonged(0, "x");
    }
  },
  *"extensions of many lengths, unanswered"(script, lines) {
    yield script.seek(0);
    yield script.granted(0, "x");
    for (let process = 1; process * 2 < lines; process += 1) {
      yield script.prolong(process, "x", 500 + script.pick(1000));
      yield script.unknown(process, "extend");
    }
  },
  *"extensions under way a hundred at a time"(script, lines) {
    yield script.seek(1000);
    yield script.granted(1000, "x");
    for (let line = 2; line < lines; line += 200) {
      for (let process = 0; process < 100; process += 1) yield script.prolong(process, "x");
      for (let process = 0; process < 100; process += 1) yield script.prolonged(process, "x");
    }
  },
  *"re-entered and never left"(script, lines) {
    for (let line = 0; line < lines; line += 2) {
      yield script.seek(0, 1e8);
      yield script.granted(0, "x", 1);
    }
  },
  *"re-entered, then left, with unanswered extensions"(script, lines) {
    const depth = Math.floor(lines / 6);
    for (let round = 0; round < depth; round += 1) {
      yield script.seek(0, 1e8);
      yield script.granted(0, "x", 1);
      yield script.prolong(round + 1, "x", 1e8 - round);
      yield script.unknown(round + 1, "extend");
    }
    for (let round = 0; round < depth; round += 1) {
      yield script.leave(0, "x");
      yield script.released(0);
    }
  },
  *"reused owner values that overlap"(script, lines) {
    for (let line = 0; line < lines; line += 8) {
      const [one, other] = [line % 7, 7 + (line % 5)];
      yield script.seek(one);
      yield script.granted(one, "x");
      yield script.leave(one, "x");
      yield script.seek(other);
      yield script.released(one);
      yield script.granted(other, "x");
      yield script.leave(other, "x");
      yield script.released(other);
    }
  },
  *"fifty clients of one owner value at once"(script, lines) {
    for (let line = 0; line < lines; line += 200) {
      for (let process = 0; process < 50; process += 1) yield script.seek(process);
      for (let process = 0; process < 50; process += 1) yield script.granted(process, "x");
      for (let process = 0; process < 50; process += 1) yield script.leave(process, "x");
      for (let process = 0; process < 50; process += 1) yield script.released(process);
    }
  },
  *"refused all the time"(script, lines) {
    yield script.seek(0, 1e8);
    yield script.granted(0, "x");
    for (let line = 2; line < lines; line += 2) {
      yield script.seek(1 + (line % 100));
      yield script.refused(1 + (line % 100));
    }
  },
  *"lost and taken again"(script, lines) {
    for (let line = 0; line < lines; line += 3) {
      const process = line % 10;
      yield script.seek(process);
      yield script.granted(process, "x", line + 1);
      yield script.lost(process, "x");
    }
  },
  *"clients killed while thousands hold"(script, lines) {
    for (let process = 0; process * 3 < lines; process += 1) {
      yield script.seek(process, 1e8);
      yield script.granted(process, `o${process}`);
      yield script.kill(Math.floor(process / 2));
    }
  },
  *"writes without an audit"(script, lines) {
    yield script.seek(0, 1e8);
    yield script.granted(0, "x", 1);
    for (let line = 2; line < lines; line += 2) {
      yield script.write(0, "x", `d${line}`, 1);
      yield script.written(0, line);
    }
  },
  "writes, audited from the last to the first": (script, lines) =>
    auditedLate(script, lines, (n, writes) => writes - 1 - n),
  "writes, audited in no order": (script, lines) => auditedLate(script, lines, (n, writes) => (n * 7919) % writes),
  *"writes of clients whose answers are lost"(script, lines) {
    for (let process = 0; process * 4 < lines; process += 1) {
      yield script.seek(process, 1e8);
      yield script.granted(process, `o${process}`, process + 1);
      yield script.write(process, `o${process}`, `d${process}`, process + 1);
      yield script.unknown(process, "write");
    }
  },
  *"lost notices for owners that nobody knows"(script, lines) {
    for (let line = 0; line < lines; line += 1) yield script.lost(line % 10, `o${line}`);
  },
  *"acquires that are never answered"(script, lines) {
    for (let process = 0; process < lines; process += 1) yield script.seek(process);
  },
  *"faults that never end, and releases that find nothing"(script, lines) {
    for (let line = 0; line < lines; line += 5) {
      yield script.disturb("partition", `node-${line}`);
      yield script.seek(0);
      yield script.granted(0, `o${line}`);
      yield script.leave(0, `o${line}`);
      yield script.released(0, false);
    }
  },
  *"always two holders"(script, lines) {
    yield script.seek(0);
    yield script.granted(0, "o0");
    for (let round = 1; round * 4 < lines; round += 1) {
      yield* [script.seek(round % 2), script.granted(round % 2, `o${round}`)];
      yield* [script.leave((round - 1) % 2, `o${round - 1}`), script.released((round - 1) % 2)];
    }
  },
  *"thousands of failovers, and double grants"(script, lines) {
    for (let line = 0; line * 9 < lines; line += 1) {
      if (line % 20 === 0 && line < 180_000) yield script.disturb("failover", "node-0");
      for (const process of [0, 1]) {
        yield script.seek(process);
        yield script.granted(process, `o${line}-${process}`, line + 1);
      }
      for (const process of [0, 1]) yield* [script.leave(process, `o${line}-${process}`), script.released(process)];
    }
  },
  *"a lease prolonged each time that another was granted it"(script, lines) {
    yield script.seek(0, 100);
    yield script.granted(0, "own");
    for (let line = 0; line * 6 < lines; line += 1) {
      script.wait(200);
      yield* [script.seek(1), script.granted(1, `o${line}`)];
      yield* [script.prolong(0, "own", 100), script.prolonged(0, "own")];
      yield* [script.leave(1, `o${line}`), script.released(1)];
    }
  },
  *"mutex: released by anybody"(script, lines) {
    for (let line = 0; line < lines; line += 4) {
      const process = line % 12;
      yield script.seek(process);
      yield script.granted(process, `o${line}`);
      yield script.leave(process + 100, `o${line - 4}`);
      yield script.released(process + 100);
    }
  },
  *"mutex: fifty releases under way"(script, lines) {
    for (let line = 0; line < lines; line += 200) {
      for (let process = 0; process < 50; process += 1) yield script.seek(process, 50);
      for (let process = 50; process < 100; process += 1) yield script.leave(process, `o${process}`);
      for (let process = 0; process < 50; process += 1) {
        yield script.granted(process, `p${process}`);
        yield script.released(process + 50);
      }
    }
  },
};

/** First line of such a history. If the number of clients is unknown, any process may continue as any other. */
export const ADVERSARIAL_HEADER: HistoryHeader = { format: "lockstorm-history", version: 1, timeUnit: "ns" };

/** The events of a shape, about as many as asked for. */
export function adversarialEvents(shape: string, lines: number): Generator<HistoryEvent> {
  const make = SHAPES[shape];
  if (make === undefined) throw new Error(`no shape "${shape}"`);
  return make(new HistoryScript(), lines);
}
