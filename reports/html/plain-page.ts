import { createHash } from "node:crypto";
import { STYLE, THEME_SCRIPT } from "./assets.ts";
import { html, Markup } from "./markup.ts";

/** Not written in a template: its hash in the content policy counts every space. */
const PROGRAM = new Markup(`<script type="module">${THEME_SCRIPT}</script>`);

/** Links of a list of contents are as far from each other as a finger needs. */
const CONTENTS = `
ul.contents { display: flex; flex-wrap: wrap; gap: 8px 20px; margin: 16px 0; padding: 0; list-style: none; }
ul.contents a { display: inline-block; min-height: 24px; }
`;

/** A page of words and pictures, whose only program is the choice of the theme. It fetches nothing. */
export function plainPage({
  title,
  style = "",
  content,
}: {
  readonly title: string;
  readonly style?: string;
  readonly content: Markup;
}): string {
  const digest = createHash("sha256").update(THEME_SCRIPT).digest("base64");
  const policy = `default-src 'none'; img-src data:; style-src 'unsafe-inline'; script-src 'sha256-${digest}'; base-uri 'none'; form-action 'none'`;
  const page = html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta http-equiv="Content-Security-Policy" content="${policy}" />
        <title>${title} - lockstorm</title>
        <style>
          ${new Markup(STYLE + CONTENTS + style)}
        </style>
      </head>
      <body>
        <a class="skip" href="#content">Skip to the content</a>
        <header class="top">
          <h1>${title} <span class="brand">lockstorm</span></h1>
          <button type="button" class="theme">Theme: auto</button>
        </header>
        <main id="content">${content}</main>
        ${PROGRAM}
      </body>
    </html>`;
  return `${page.text}\n`;
}
