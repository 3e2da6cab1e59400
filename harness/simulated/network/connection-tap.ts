/** Told when requests or replies have arrived. True: they wait, and `goOn` is called once. */
export type ArrivalTap = (messages: readonly TappedMessage[], goOn: () => void) => boolean;

/** A request and its reply, as they pass through a connection. Only the tap knows what it is. */
export type TappedMessage = object;

/**
 * Follows the requests and replies of one connection, and may make them wait. Bytes, their order and their segments
 * stay as they are.
 */
export interface ConnectionTap {
  /**
   * The opening end is about to send bytes. The tap calls `send` once, at once or later, with the requests that end in
   * them; until then nothing else leaves this end. False: the connection was reset meanwhile, and nothing was sent.
   */
  request(bytes: Uint8Array, send: (requests: readonly TappedMessage[]) => boolean): void;
  /** The other end sends bytes. Returns the requests whose reply ends in them. */
  reply(bytes: Uint8Array): readonly TappedMessage[];
  /** Requests have come to the server's machine. */
  readonly requestsArrive: ArrivalTap;
  /** Replies have come to the client's machine. */
  readonly repliesArrive: ArrivalTap;
  /** The server begins to execute the next request. */
  begins(): void;
  /** The server has executed the request that it began. @param repliedAt bytes of output so far; undefined: no reply */
  ends(repliedAt: number | undefined): void;
}
