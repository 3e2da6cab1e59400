import { renderHtml } from "../../reports/html/html.ts";
import type { DrawRun } from "../campaign/run-environment.ts";

/** The page of a kept run: `report.html` in its folder. */
export const drawRun: DrawRun = (record) => renderHtml({ runs: [record] });
