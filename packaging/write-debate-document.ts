/** `npm run docs:debate`: measures the dispute and the headline with the default seed, and writes `docs/debate.*`. */
import { writeFileSync } from "node:fs";
import { DEBATE_DEFAULTS, HEADLINE_DEFAULTS } from "../harness/cli/debate/defaults.ts";
import { measureDebate } from "../harness/cli/debate/measure-debate.ts";
import { measureHeadline } from "../harness/cli/debate/measure-headline.ts";
import { Progress } from "../harness/cli/progress.ts";
import { renderDebateMarkdown } from "../reports/debate-markdown.ts";
import { EXPERIMENT_IDS } from "../workloads/debate/experiment-ids.ts";
import { CONTENDERS, GUARDS } from "../workloads/headline-contenders.ts";

using progress = new Progress();
const { signal } = new AbortController();
const debate = await measureDebate({
  ...DEBATE_DEFAULTS,
  only: EXPERIMENT_IDS,
  signal,
  onProgress: (words) => progress.step(words),
});
const headline = await measureHeadline({
  ...HEADLINE_DEFAULTS,
  contenders: CONTENDERS,
  guards: GUARDS,
  backend: "simulated",
  signal,
  progress,
});
const write = (name: string, text: string): void => writeFileSync(new URL(`../docs/${name}`, import.meta.url), text);
write("debate.json", `${JSON.stringify({ debate, headline })}\n`);
write("debate.md", renderDebateMarkdown(debate, headline));
