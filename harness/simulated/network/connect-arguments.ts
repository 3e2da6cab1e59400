/** The arguments of `connect`, as an object. */
export interface ConnectOptions {
  readonly host?: string;
  readonly port?: number | string;
  readonly path?: string | null;
  readonly [other: string]: unknown;
}

/** Reads the forms of `connect`: an object, a port and perhaps a host, or a path; then perhaps a callback. */
export function connectArguments(args: readonly unknown[]): {
  readonly options: ConnectOptions;
  readonly callback: (() => void) | undefined;
} {
  const [first, second] = args;
  const last = args.at(-1);
  const callback = typeof last === "function" ? () => void Reflect.apply(last, undefined, []) : undefined;
  if (typeof first === "object" && first !== null) return { options: first as ConnectOptions, callback };
  if (typeof first === "string" && !/^\d+$/.test(first)) return { options: { path: first }, callback };
  const port = first as number | string;
  return { options: typeof second === "string" ? { port, host: second } : { port }, callback };
}
