/** An event of a Sentinel, real or simulated. */
export interface PublishedEvent {
  readonly sentinel: string;
  readonly channel: string;
  readonly message: string;
}

/** Who is who in a run. */
export interface Cast {
  /** Address of the master at first. */
  readonly master: string;
  /** Addresses of all data nodes. */
  readonly nodes: readonly string[];
  /** Identities of Sentinels by their names. */
  readonly ids: ReadonlyMap<string, string>;
  /** Addresses of Sentinels by their names. */
  readonly sentinels: ReadonlyMap<string, string>;
}

/** What one Sentinel has published, in order. */
export interface EventScript {
  /** `leader` for the one that was elected. */
  readonly role: "leader" | "other";
  /** Channel and message; the second time the same comes, with `#2` behind it, and so on. */
  readonly lines: readonly string[];
}

/**
 * The script of each Sentinel, by its name, with roles instead of addresses and identities: M is the first master, P the
 * replica that was promoted, R another one, L the Sentinel that led. So scripts of different runs can be compared. Left
 * out is what depends on how busy a machine is: living replicas and Sentinels that seem down, masters that seem down or up
 * for a moment, and how many Sentinels have agreed so far. No scenario stops a Sentinel or a replica.
 */
export function eventScripts(events: readonly PublishedEvent[], cast: Cast): ReadonlyMap<string, EventScript> {
  const leader = events.find(({ channel }) => channel === "+elected-leader")?.sentinel;
  const promoted = events.find(({ channel }) => channel === "+selected-slave")?.message.split(" ")[2];
  const roleOf = new Map(cast.nodes.map((node) => [node, node === cast.master ? "M" : node === promoted ? "P" : "R"]));
  for (const [name, address] of cast.sentinels) roleOf.set(address, name === leader ? "L" : "S");
  for (const [name, id] of cast.ids) roleOf.set(id, name === leader ? "L" : "S");
  const scripts = new Map<string, { role: EventScript["role"]; lines: string[] }>();
  const counts = new Map<string, number>();
  for (const { sentinel, channel, message } of withoutMoments(events)) {
    const words = message.split(" ").map((word) => roleOf.get(word.replace(/:\d+$/, "")) ?? word);
    const line = [channel, ...words].join(" ").replace(/ #quorum .*/, "");
    if (/^[+-]sdown (slave [PR]|sentinel) |^-[so]down master /.test(line)) continue;
    const count = (counts.get(`${sentinel} ${line}`) ?? 0) + 1;
    if (count > 1 && /^.[so]down master /.test(line)) continue;
    counts.set(`${sentinel} ${line}`, count);
    const script = scripts.get(sentinel) ?? { role: sentinel === leader ? "leader" : "other", lines: [] };
    script.lines.push(count === 1 ? line : `${line} #${count}`);
    scripts.set(sentinel, script);
  }
  return scripts;
}

/** Events but for masters that seemed down to a Sentinel and up again before it had another to agree with. */
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
 * What a script has that none of `known`, of Sentinels in the same role, can explain: an event that none has, one that
 * all of them have and it has not, two events in an order in which none has them. Empty when it is as they are.
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
