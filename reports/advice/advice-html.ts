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
            <figure class="scroll" tabindex="0" role="region" aria-label="Holds and TTLs">
              ${new Markup(renderAdviceSvg(advice))}
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
