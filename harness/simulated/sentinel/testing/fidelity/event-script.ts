/** An event of a Sentinel, real or simulated. */
export interface PublishedEvent {
  readonly sentinel: string;
  readonly channel: string;
  readonly message: string;
}

/** Addresses and identities of a run's servers. */
export interface Roles {
  /** Address of the master at first. */
  readonly master: string;
  /** Addresses of all data nodes. */
  readonly nodes: readonly string[];
  /** Identities of Sentinels by their names. */
  readonly ids: ReadonlyMap<string, string>;
  /** Addresses of Sentinels by their names. */
  readonly sentinels: ReadonlyMap<string, string>;
}

/** The events that one Sentinel has published, in order. */
export interface EventScript {
  /** `leader` for the one that was elected. */
  readonly role: "leader" | "other";
  /** Channel and message; the second time the same comes, with `#2` behind it, and so on. */
  readonly lines: readonly string[];
}

/**
 * The script of each Sentinel, by its name, with roles instead of addresses and identities: M is the first master, P
 * the promoted replica, R another replica, L the leading Sentinel. So scripts of different runs can be compared. Events
 * that depend on the machine's load are left out: living replicas and Sentinels that seem down, masters that seem down
 * or up for a moment, a first master that seems down once more after it was up again, and how many Sentinels have
 * agreed so far. No scenario stops a Sentinel or a replica, and none stops the first master twice.
 */
export function eventScripts(events: readonly PublishedEvent[], roles: Roles): ReadonlyMap<string, EventScript> {
  const leader = events.find(({ channel }) => channel === "+elected-leader")?.sentinel;
  const promoted = events.find(({ channel }) => channel === "+selected-slave")?.message.split(" ")[2];
  const roleOf = new Map(
    roles.nodes.map((node) => [node, node === roles.master ? "M" : node === promoted ? "P" : "R"]),
  );
  for (const [name, address] of roles.sentinels) roleOf.set(address, name === leader ? "L" : "S");
  for (const [name, id] of roles.ids) roleOf.set(id, name === leader ? "L" : "S");
  const scripts = new Map<string, { role: EventScript["role"]; lines: string[] }>();
  const counts = new Map<string, number>();
  for (const { sentinel, channel, message } of withoutMoments(events)) {
    const words = message.split(" ").map((word) => roleOf.get(word.replace(/:\d+$/, "")) ?? word);
    const line = [channel, ...words].join(" ").replace(/ #quorum .*/, "");
    if (/^[+-]sdown (slave [PR]|sentinel) |^-[so]down master /.test(line)) continue;
    const count = (counts.get(`${sentinel} ${line}`) ?? 0) + 1;
    if (count > 1 && /^.[so]down /.test(line)) continue;
    counts.set(`${sentinel} ${line}`, count);
    const script = scripts.get(sentinel) ?? { role: sentinel === leader ? "leader" : "other", lines: [] };
    script.lines.push(count === 1 ? line : `${line} #${count}`);
    scripts.set(sentinel, script);
  }
  return scripts;
}

/** Events, except for masters that seemed down to a Sentinel and up again before another Sentinel agreed. */
function withoutMoments(events: readonly PublishedEvent[]): readonly PublishedEvent[] {
  return events.filter((event, index) => {
    if (event.channel !== "+sdown" || !event.message.startsWith("master ")) return true;
    const next = events
      .slice(index + 1)
      .find(
        (each) => each.sentinel === event.sentinel && /^[+-][so]down$/.test(each.channel) && samePlace(each, event),
      );
    return next?.channel !== "-sdown";
  });
}

function samePlace(a: PublishedEvent, b: PublishedEvent): boolean {
  const place = ({ message }: PublishedEvent) => message.split(" ").slice(0, 4).join(" ");
  return place(a) === place(b);
}

/**
 * The differences between a script and all `known` scripts of Sentinels in the same role: an event that none of them
 * has, one that all of them have and this one does not, two events in an order that none of them has. Empty when there
 * is no difference.
 */
export function unexplained(script: EventScript, known: readonly EventScript[]): readonly string[] {
  const peers = known.filter(({ role }) => role === script.role).map(({ lines }) => lines);
  const [first = []] = peers;
  const always = first.filter((line) => peers.every((lines) => lines.includes(line)));
  const seen = new Set(peers.flat());
  const orders = new Set(peers.flatMap((lines) => [...pairs(lines)]));
  return [
    ...script.lines.filter((line) => !seen.has(line)).map((line) => `never: ${line}`),
    ...always.filter((line) => !script.lines.includes(line)).map((line) => `missing: ${line}`),
    ...[...pairs(script.lines.filter((line) => seen.has(line)))].filter((pair) => !orders.has(pair)),
  ];
}

function* pairs(lines: readonly string[]): Iterable<string> {
  for (const [index, line] of lines.entries()) {
    for (const later of lines.slice(index + 1)) yield `${line} BEFORE ${later}`;
  }
}
