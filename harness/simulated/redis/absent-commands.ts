/**
 * Commands that real servers have and simulated ones do not. To a server's clients they are unknown commands; a simulation in
 * which a lock sends one ends, because it would show a server that nobody has. Versions: both that are compared.
 */
const ABSENT: ReadonlySet<string> = new Set(
  [
    "dump restore restore-asking migrate sort sort_ro lcs lolwut",
    "failover sync",
    "geoadd geodist geohash geopos georadius georadius_ro georadiusbymember georadiusbymember_ro geosearch geosearchstore",
    "latency module monitor slowlog",
    "pfadd pfcount pfdebug pfmerge pfselftest",
    "vadd vcard vdim vemb vgetattr vinfo vismember vlinks vrandmember vrem vsetattr vsim",
  ].flatMap((names) => names.split(" ")),
);

/** Whether a real server has this command, and a simulated one does not. */
export function isAbsent(name: string): boolean {
  return ABSENT.has(name.toLowerCase());
}
