import { STYLE } from "../html/assets.ts";
import { html, Markup } from "../html/markup.ts";
import { renderAdviceSvg } from "./advice-svg.ts";
import { adviceLine, CHOICE_HEAD, choiceRow, holdsLine } from "./advice-words.ts";
import type { TtlAdvice } from "./ttl-advice.ts";

/** The advice as one self-contained HTML page, without a script. */
export function renderAdviceHtml(advice: TtlAdvice): string {
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'" />
        <title>TTL advice - lockstorm</title>
        <style>
          ${new Markup(STYLE)}
        </style>
      </head>
      <body>
        <header class="top">
          <h1>TTL advice <span class="brand">lockstorm report</span></h1>
        </header>
        <main id="content">
          <section class="block">
            <h2>${adviceLine(advice)}</h2>
            <p>${holdsLine(advice)}</p>
            <p>
              A hold is the time from a grant to its release. A lease that is shorter than a hold ends while its client
              still works, so that another client is granted the lock: the hold is an <em>overrun</em>. P99 and P99.9
              are the times within which 99 % and 99.9 % of the holds ended.
            </p>
            <figure>
              <div class="picture wide">${new Markup(renderAdviceSvg(advice))}</div>
              <div class="picture narrow">${new Markup(renderAdviceSvg(advice, 340))}</div>
              <p class="key">
                The curve shows which share of the holds lasts longer than a time. A dashed line is a TTL. Its dot is
                the share of holds that overran it, and the bar above the dot reaches to the upper bound of that share
                (95 %).
              </p>
            </figure>
            <div class="scroll" tabindex="0" role="region" aria-label="TTLs by rule">
              <table>
                <thead>
                  <tr>
                    ${CHOICE_HEAD.map((name) => html`<th scope="col">${name}</th>`)}
                  </tr>
                </thead>
                <tbody>
                  ${advice.choices.map(
                    (choice) =>
                      html`<tr>
                        ${choiceRow(choice).map((cell) => html`<td>${cell}</td>`)}
                      </tr>`,
                  )}
                </tbody>
              </table>
            </div>
            ${advice.cautions.map((caution) => html`<p>${caution}</p>`)}
          </section>
        </main>
      </body>
    </html>`;
  return `${page.text}\n`;
}
