/**
 * The client behind a process: after `info` a client continues as `process + clients`, as in Jepsen. If the history
 * does not say how many clients ran, each process counts as a separate client.
 */
export function clientOf(process: number, clients: number | undefined): number {
  return clients === undefined ? process : process % clients;
}
