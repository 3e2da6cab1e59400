import type { Command } from "../command.ts";
import { advise } from "./advise.ts";
import { check } from "./check.ts";
import { completion } from "./completion.ts";
import { conform } from "./conform.ts";
import { debate } from "./debate.ts";
import { doctor } from "./doctor.ts";
import { explain } from "./explain.ts";
import { explore } from "./explore.ts";
import { headline } from "./headline.ts";
import { hunt } from "./hunt.ts";
import { init } from "./init.ts";
import { merge } from "./merge.ts";
import { open } from "./open.ts";
import { replay } from "./replay.ts";
import { report } from "./report.ts";
import { reproduce } from "./reproduce.ts";
import { runs } from "./runs.ts";
import { serve } from "./serve.ts";
import { setup } from "./setup.ts";

/** All commands, in the order of the help. Parsing, help, completion and `docs/cli.md` come from this table. */
export const commands: readonly Command[] = [
  hunt,
  explore,
  conform,
  merge,
  reproduce,
  debate,
  headline,
  replay,
  serve,
  check,
  report,
  runs,
  open,
  explain,
  advise,
  init,
  doctor,
  setup,
  completion,
];
