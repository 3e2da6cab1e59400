/** `npm run docs:debate`: measures the dispute and the headline with the default seed, and writes `docs/debate.*`. */
import { writeFileSync } from "node:fs";
import { DEBATE_DEFAULTS, HEADLINE_DEFAULTS } from "../harness/campaign/debate/defaults.ts";
import { measureDebate } from "../harness/campaign/debate/measure-debate.ts";
import { measureHeadline } from "../harness/campaign/debate/measure-headline.ts";
import { renderDebateMarkdown } from "../reports/debate/debate-markdown.ts";
import { EXPERIMENT_IDS } from "../workloads/debate/experiment-ids.ts";
import { CONTENDERS, GUARDS } from "../workloads/headline-contenders.ts";

const progress = { step: (words: string) => console.error(words), note: (words: string) => console.error(words) };
const debate = await measureDebate({ ...DEBATE_DEFAULTS, only: EXPERIMENT_IDS }, { progress });
const headline = await measureHeadline(
  { ...HEADLINE_DEFAULTS, contenders: CONTENDERS, guards: GUARDS, backend: "simulated" },
  { progress },
);
const write = (name: string, text: string): void => writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
write("debate.json", `${JSON.stringify({ debate, headline })}\n`);
write("debate.md", renderDebateMarkdown(debate, headline));
