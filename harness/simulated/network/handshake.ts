import type { Host } from "../kernel/host.ts";
import { Connection } from "./connection.ts";
import type { Endpoint } from "./endpoint.ts";
import type { Network } from "./network.ts";

/** The outcome of an attempt to connect, reported in the connecting host. */
export interface Attempt {
  onConnect(end: Endpoint): void;
  onFailure(code: "ECONNREFUSED" | "ETIMEDOUT" | "EHOSTUNREACH"): void;
}

/** How long Linux keeps sending SYN packets (`tcp_syn_retries` 6: 1 + 2 + 4 + ... + 64 s). */
const CONNECT_TIMEOUT_US = 127_000_000;

/**
 * Opens a connection, as two operating systems do: a paused server accepts nothing but its machine answers; a dead one
 * refuses; one behind a cut, or without power, does not answer.
 * @returns a function that cancels the attempt
 */
export function openConnection(
  network: Network,
  from: Host,
  address: string,
  port: number,
  attempt: Attempt,
): () => void {
  const to = network.hostAt(from, address);
  network.noticeTry(from, address, port);
  let over = false;
  const finish = (tell: () => void): void => {
    if (over) return;
    over = true;
    timeout.cancel();
    tell();
  };
  const timeout = from.io(CONNECT_TIMEOUT_US, `connect timeout ${address}:${port}`, () => {
    finish(() => attempt.onFailure("ETIMEDOUT"));
  });
  if (to === undefined) {
    from.post(`no route to ${address}`, () => finish(() => attempt.onFailure("EHOSTUNREACH")));
    return () => finish(() => {});
  }

  const { kernel } = network;
  const [forth, back] = [network.link(from, to), network.link(to, from)];
  const name = network.nameConnection(from, to);
  const random = kernel.random(`handshake:${name}`);
  const { minUs, maxUs } = network.latencyBetween(from, to);
  const delay = (delayUs: number): number => random.integer(minUs, maxUs) + delayUs;
  const { life } = from;

  const syn = (): void => {
    if (over || from.life !== life || forth.holds("handshake", retrySyn)) return;
    const listening = to.state !== "dead" && network.isListening(to, port);
    const connection = listening ? new Connection(network, name, forth, back, network.freePort(from), port) : undefined;
    if (connection !== undefined) network.awaitOpening(connection);
    const label = `${connection === undefined ? "refused" : "connected"} ${name}`;
    const answer = (delayUs: number): void => {
      from.io(
        delayUs,
        label,
        () => finish(() => tell(attempt, connection)),
        () => arrives(connection),
      );
    };
    const arrives = (connection: Connection | undefined): boolean => {
      if (back.holds("handshake", () => answer(0))) return false;
      if (over || from.life !== life) connection?.client.reset();
      return true;
    };
    answer(delay(back.delayUs));
  };
  const retrySyn = (): void => void kernel.after(0, `syn ${name}`, syn);
  kernel.after(delay(forth.delayUs), `syn ${name}`, syn);
  return () => finish(() => {});
}

function tell(attempt: Attempt, connection: Connection | undefined): void {
  if (connection === undefined) {
    attempt.onFailure("ECONNREFUSED");
    return;
  }
  connection.client.out.sendControl("open");
  attempt.onConnect(connection.client);
}
