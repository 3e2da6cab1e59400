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

/** What happens to servers on purpose. All else that they seem to suffer is the machine's load. */
export interface Intended {
  /** Whether the first master is stopped. */
  readonly stopsMaster: boolean;
  /** How often each Sentinel tilts. */
  readonly tilts: number;
}

/** An event that at least one in this number of scripts has is not rare. */
const MANY = 4;

/** The events that one Sentinel has published, in order. */
export interface EventScript {
  /** `leader` for the one that was elected. */
  readonly role: "leader" | "other";
  /** Channel and message; the second time the same comes, with `#2` behind it, and so on. */
  readonly lines: readonly string[];
  /** False when it ends early, because the machine stalled: what would have followed depends on the load. */
  readonly isWhole: boolean;
}

/**
 * The script of each Sentinel, by its name, with roles instead of addresses and identities: M is the first master, P
 * the promoted replica, R another replica, L the leading Sentinel. So scripts of different runs can be compared.
 *
 * What happens after the machine stalled depends on its load, and is left out: all scripts end where a server seems
 * down that nobody stopped, or where a Sentinel tilts although nobody moved its clock. A Sentinel that does not run for
 * longer than two seconds tilts; a shorter stall only delays what it does. Also left out are masters that seem up again,
 * or down once more, and how many Sentinels have agreed so far.
 */
export function eventScripts(
  events: readonly PublishedEvent[],
  roles: Roles,
  intended: Intended,
): ReadonlyMap<string, EventScript> {
  const leader = events.find(({ channel }) => channel === "+elected-leader")?.sentinel;
  const promoted = events.find(({ channel }) => channel === "+selected-slave")?.message.split(" ")[2];
  const roleOf = new Map(
    roles.nodes.map((node) => [node, node === roles.master ? "M" : node === promoted ? "P" : "R"]),
  );
  for (const [name, address] of roles.sentinels) roleOf.set(address, name === leader ? "L" : "S");
  for (const [name, id] of roles.ids) roleOf.set(id, name === leader ? "L" : "S");
  const scripts = new Map<string, { role: EventScript["role"]; lines: string[]; isWhole: boolean }>();
  const counts = new Map<string, number>();
  for (const { sentinel, channel, message } of withoutMoments(events)) {
    const words = message.split(" ").map((word) => roleOf.get(word.replace(/:\d+$/, "")) ?? word);
    const line = [channel, ...words].join(" ").replace(/ #quorum .*/, "");
    const count = (counts.get(`${sentinel} ${line}`) ?? 0) + 1;
    counts.set(`${sentinel} ${line}`, count);
    if (showsStall(line, count, intended)) {
      for (const script of scripts.values()) script.isWhole = false;
      break;
    }
    if (/^-[so]down master /.test(line) || (count > 1 && /^.[so]down /.test(line))) continue;
    const script = scripts.get(sentinel) ?? {
      role: sentinel === leader ? "leader" : "other",
      lines: [],
      isWhole: true,
    };
    script.lines.push(count === 1 ? line : `${line} #${count}`);
    scripts.set(sentinel, script);
  }
  return scripts;
}

/** Whether a Sentinel publishes this only where a process did not run for long. */
function showsStall(line: string, count: number, { stopsMaster, tilts }: Intended): boolean {
  if (line.startsWith("+tilt ")) return count > tilts;
  const [, role] = /^\+sdown \S+ \S+ (\S+)/.exec(line) ?? [];
  return role !== undefined && (role !== "M" || !stopsMaster || count > 1);
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
 * The differences between a script and all `known` scripts of Sentinels in the same role. Empty when there is none:
 * - an event that none of them has;
 * - an event that this script, if it is whole, lacks although it has another one that never comes without it (only of
 *   events that many known scripts have: in the others it may be by chance);
 * - two events in an order that none of them has.
 */
export function unexplained(script: EventScript, known: readonly EventScript[]): readonly string[] {
  const peers = known.filter(({ role }) => role === script.role);
  const seen = new Set(peers.flatMap(({ lines }) => lines));
  const orders = new Set(peers.flatMap(({ lines }) => [...pairs(lines)]));
  return [
    ...script.lines.filter((line) => !seen.has(line)).map((line) => `never: ${line}`),
    ...[...missing(script, peers)].map((line) => `missing: ${line}`),
    ...[...pairs(script.lines.filter((line) => seen.has(line)))].filter((pair) => !orders.has(pair)),
  ];
}

function missing({ isWhole, lines }: EventScript, peers: readonly EventScript[]): ReadonlySet<string> {
  const whole = isWhole ? peers.filter((peer) => peer.isWhole).map((peer) => new Set(peer.lines)) : [];
  const withLine = ["", ...lines].map((line) => whole.filter((peer) => line === "" || peer.has(line)));
  const many = withLine.filter((those) => those.length > 0 && those.length * MANY >= whole.length);
  const never = many.flatMap(([first, ...others]) =>
    [...(first ?? [])].filter((line) => !lines.includes(line) && others.every((peer) => peer.has(line))),
  );
  return new Set(never);
}

function* pairs(lines: readonly string[]): Iterable<string> {
  for (const [index, line] of lines.entries()) {
    for (const later of lines.slice(index + 1)) yield `${line} BEFORE ${later}`;
  }
}
