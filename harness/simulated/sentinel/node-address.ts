/** The address on which a server listens, as Sentinels know it: a network address, not a name. */
export interface NodeAddress {
  readonly host: string;
  readonly port: number;
}

export function sameAddress(a: NodeAddress, b: NodeAddress): boolean {
  return a.port === b.port && a.host.toLowerCase() === b.host.toLowerCase();
}

/** `10.0.0.1:6379`; the name of a replica. */
export function addressText({ host, port }: NodeAddress): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
