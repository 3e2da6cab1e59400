import diagnosticsChannel, { type Channel, type ChannelListener } from "node:diagnostics_channel";
import { current } from "../kernel/current-context.ts";
import type { Host } from "../kernel/host.ts";
import { replace } from "./replace.ts";

type Name = string | symbol;

/** The channels of one life of a host. */
interface Channels {
  readonly life: number;
  readonly byName: Map<Name, Channel>;
}

const channelsOf = new WeakMap<Host, Channels>();
const { channel, hasSubscribers, subscribe, tracingChannel, unsubscribe } = diagnosticsChannel;

/**
 * Patches `node:diagnostics_channel`, whose channels are known by their names in a whole process: a client of ioredis 6
 * or node-redis 5 publishes its commands on them, and who listens in one host must not hear the commands of another.
 */
export function patchDiagnosticsChannels(): void {
  const module = diagnosticsChannel;
  replace(module, "channel", (name: Name) => channelOf(name));
  replace(module, "hasSubscribers", (name: Name) =>
    current.host === null ? hasSubscribers(name) : channelOf(name).hasSubscribers,
  );
  replace(module, "subscribe", (name: Name, listener: ChannelListener) =>
    current.host === null ? subscribe(name, listener) : channelOf(name).subscribe(listener),
  );
  replace(module, "unsubscribe", (name: Name, listener: ChannelListener) =>
    current.host === null ? unsubscribe(name, listener) : channelOf(name).unsubscribe(listener),
  );
  replace(module, "tracingChannel", (given: Parameters<typeof tracingChannel>[0]) => {
    if (current.host === null || typeof given !== "string") return tracingChannel(given);
    const of = (stage: string): Channel<unknown, object> =>
      channelOf(`tracing:${given}:${stage}`) as Channel<unknown, object>;
    return tracingChannel({
      start: of("start"),
      end: of("end"),
      asyncStart: of("asyncStart"),
      asyncEnd: of("asyncEnd"),
      error: of("error"),
    });
  });
}

/** The channel of this name in the host whose program runs, or in this process. */
function channelOf(name: Name): Channel {
  const { host } = current;
  if (host === null) return channel(name);
  let own = channelsOf.get(host);
  if (own?.life !== host.life) channelsOf.set(host, (own = { life: host.life, byName: new Map() }));
  const known = own.byName.get(name);
  if (known !== undefined) return known;
  const made = channel(Symbol(`${host.name}: ${String(name)}`));
  replace(made, "name", name);
  own.byName.set(name, made);
  return made;
}
