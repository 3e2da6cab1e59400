import type { Proportion } from "../../harness/core/statistics/proportion.ts";
import type { UpdateLosses } from "../../harness/check/properties/update-losses.ts";
import type { MeasuredHeadline } from "./measured-headline.ts";
import { alignedColumns } from "../aligned-columns.ts";
import { type TextOptions, TextStyle } from "../text-style.ts";
import { count } from "../wording.ts";

/** `2.4 %`, to one decimal; `-` when there were no trials. */
function percentage({ hits, trials }: Proportion): string {
  return trials === 0 ? "-" : `${((100 * hits) / trials).toFixed(1)} %`;
}

/** Lost updates as a share of acknowledged ones. */
function lossShare({ acknowledged, lost }: UpdateLosses): Proportion {
  return { hits: lost, trials: acknowledged };
}

/** The conditions of the measurement, in one sentence. */
export function headlineConditions({ backend, seed, minutes, ...rest }: MeasuredHeadline): string {
  const { ttlMs, clients, pauseEveryMs } = rest;
  return (
    `${clients} clients update one value under a lock of ${ttlMs / 1000} s; every ${pauseEveryMs / 1000} s one of them pauses for longer than that. ` +
    `${count(minutes, backend === "simulated" ? "virtual minute" : "minute")} of each lock and each resource, seed ${seed}, ${backend}.`
  );
}

/** What the rows say, in one sentence. */
export function headlineVerdict({ rows, guards }: MeasuredHeadline): string {
  const parts = guards.map((guard) => {
    const found = rows.flatMap(({ lock, guards: { [guard]: losses } }) =>
      losses === undefined ? [] : [{ lock, losses }],
    );
    const losing = found.filter(({ losses }) => losses.lost > 0);
    if (losing.length === 0) return `with a resource that checks ${guard} none of ${found.length} lost an update`;
    const shares = losing.map(({ losses }) => losses.lost / losses.acknowledged);
    const range = [Math.min(...shares), Math.max(...shares)].map((share) => percentage({ hits: share, trials: 1 }));
    return `with a resource that checks ${guard} ${losing.length} of ${found.length} locks lost ${[...new Set(range)].join(" to ")} of the acknowledged updates`;
  });
  const words = parts.join("; ");
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`;
}

/** The headline measure as a table for a terminal. */
export function renderHeadlineText(headline: MeasuredHeadline, options: TextOptions): string {
  const style = new TextStyle(options);
  const heading = ["lock", "topology", ...headline.guards];
  const [head = "", ...body] = alignedColumns([heading, ...headlineCells(headline)], (column) => column >= 2);
  return `${[
    style.paint("Acknowledged updates lost, by what the resource checks", "bold"),
    ...style.paragraph(headlineConditions(headline), 2),
    "",
    style.paint(`  ${head}`, "bold"),
    ...body.map((line) => `  ${line}`),
    "",
    ...style.paragraph(headlineVerdict(headline), 2),
  ].join("\n")}\n`;
}

/** `2.4 % (12 of 500)`: a row of text for each lock. */
export function headlineCells({ rows, guards }: MeasuredHeadline): readonly (readonly string[])[] {
  return rows.map((row) => [
    row.lock,
    row.topology,
    ...guards.map((guard) => {
      const losses = row.guards[guard];
      if (losses === undefined) return "";
      return `${percentage(lossShare(losses))} (${losses.lost} of ${losses.acknowledged})`;
    }),
  ]);
}
