import { extname } from "node:path";
import { locks } from "../../../lock-impl/registry.ts";
import { UserError } from "../../core/errors.ts";
import { mustBeFault, refuseImpossibleFault } from "../possible-faults.ts";
import { beyondSimulation, type Cell, type LadderScope } from "./cells.ts";

/**
 * Refuses a requested lock that would be no row: a table that leaves it out would look as if it had been tested.
 * @throws UserError naming the lock
 */
export function refuseRowsOfNoCell(scope: LadderScope, cells: readonly Cell[]): void {
  const containersOnly = beyondSimulation(scope);
  const rows = new Set(cells.map(({ lock }) => lock.name));
  for (const name of scope.only ?? []) {
    if (!rows.has(name) && !containersOnly.includes(name)) throw noRow(name, scope);
  }
  if (rows.size > 0) return;
  throw containersOnly.length > 0
    ? new UserError(`the simulation cannot run ${containersOnly.join(", ")}`, "add --backend containers")
    : new UserError("the table has no row", "name another topology");
}

function noRow(name: string, { all, topology }: LadderScope): UserError {
  if (extname(name) !== "")
    return new UserError(
      `a table has no row for the driver ${name}`,
      `hunt it alone: --lock ${name} without --ladder or --all`,
    );
  const known = locks.find((lock) => lock.name === name);
  const what = `the table has no lock called ${name}`;
  if (known === undefined) return new UserError(what, "name another");
  if (topology !== undefined && !known.topologies.includes(topology))
    return new UserError(`${what}, because it does not run on ${topology}`, "leave it out, or name another topology");
  if (!all) return new UserError(`${what}, because it is no lock of the ladder`, "use --all in place of --ladder");
  return new UserError(`${what} on this backend`, "leave it out, or name another backend");
}

/**
 * Refuses a requested column that would stay blank.
 * @throws UserError naming the fault
 */
export function refuseFaultsOfNoCell(kinds: readonly string[], cells: readonly Cell[]): void {
  for (const kind of kinds) {
    if (cells.some(({ fault }) => fault?.kind === kind)) continue;
    mustBeFault(kind);
    for (const { topology } of cells) refuseImpossibleFault(kind, topology);
    throw new UserError(`the fault ${kind} cannot be injected on containers`, "leave it out, or simulate");
  }
}
