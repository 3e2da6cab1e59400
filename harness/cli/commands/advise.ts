import { printableJson } from "../../core/printable.ts";
import { requireStore } from "../store/read-store.ts";
import { print } from "../terminal.ts";
import { renderAdviceHtml } from "../../../reports/advice/advice-html.ts";
import { renderAdviceSvg } from "../../../reports/advice/advice-svg.ts";
import { renderAdviceText } from "../../../reports/advice/advice-text.ts";
import { adviseTtl, type TtlAdvice } from "../../../reports/advice/ttl-advice.ts";
import { UserError } from "../../core/errors.ts";
import { EXIT } from "../../core/verdict.ts";
import { STORE } from "../../run/store.ts";
import { readHolds } from "../advice/hold-durations.ts";
import type { Command } from "../command.ts";
import { textOptions } from "../output.ts";

const FORMATS = ["text", "json", "svg", "html"] as const;
const DEFAULT_MARGIN_PERCENT = 20;
/** A larger margin is a typing error. */
const MOST_MARGIN_PERCENT = 1000;

/** `lockstorm advise`: the TTL that recorded holds suggest. */
export const advise: Command = {
  name: "advise",
  summary: "recommend a TTL from recorded holds",
  operands: "[run folder | history.jsonl | durations | -]...",
  flags: {
    margin: {
      value: "percent",
      help: "margin added to P99.9 of the holds",
      default: String(DEFAULT_MARGIN_PERCENT),
    },
    format: { value: "format", help: FORMATS.join(", "), default: "text", choices: FORMATS },
    store: { value: "folder", help: "store whose runs are read when no source is named", default: STORE },
  },
  examples: [
    "lockstorm advise",
    "lockstorm advise .lockstorm/runs/2026-01-31T12-00-00-1 other/history.jsonl",
    "lockstorm advise - < durations-in-ms.txt",
    "lockstorm advise durations.txt --margin 50 --format html > ttl.html",
  ],
  exits: {
    valid: "recommended",
  },
  run: async ({ operands, flags }) => {
    const format = flags.choice("format", FORMATS) ?? "text";
    const margin = flags.integer("margin", 0, MOST_MARGIN_PERCENT, { unit: "%" }) ?? DEFAULT_MARGIN_PERCENT;
    const store = flags.text("store") ?? STORE;
    if (operands.length === 0) requireStore(store, "; or give a history, or durations");
    const sources = operands.length > 0 ? operands : [store];
    const { durationsMs, cutOff, planned } = await readHolds(sources);
    if (durationsMs.length === 0) {
      const why = cutOff > 0 ? `, only ${cutOff} without a known end` : "";
      throw new UserError(`there is no complete hold in ${sources.join(", ")}${why}`, "record runs, or give durations");
    }
    print(draw(adviseTtl(durationsMs, { marginShare: margin / 100, cutOff, planned }), format));
    return EXIT.valid;
  },
};

function draw(advice: TtlAdvice, format: (typeof FORMATS)[number]): string {
  switch (format) {
    case "text":
      return renderAdviceText(advice, textOptions());
    case "json": {
      const { durationsMs: _, ...rest } = advice;
      return printableJson(rest);
    }
    case "svg":
      return renderAdviceSvg(advice);
    case "html":
      return renderAdviceHtml(advice);
  }
}
