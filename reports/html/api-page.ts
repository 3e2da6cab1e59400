import { headingIds } from "./heading-ids.ts";
import { html, lines as whole, type Markup } from "./markup.ts";
import { plainPage } from "./plain-page.ts";

const STYLE = `
.reference { max-width: 100ch; overflow-wrap: anywhere; }
.reference h3 { margin: 32px 0 8px; font-size: 16px; scroll-margin-top: 16px; }
.reference pre { overflow-x: auto; font-size: 13px; }
`;

/** A stretch of the reference: a fence of code, or lines of one kind up to an empty line. */
interface Block {
  readonly kind: "code" | "heading" | "list" | "text";
  readonly lines: readonly string[];
}

/**
 * The API reference, `docs/api.md`, as a page of the site.
 * @param markdown headings, paragraphs, lists and code, as `npm run docs:api` writes them
 */
export function renderApiPage(markdown: string): string {
  const [, ...blocks] = blocksOf(markdown);
  const idOf = headingIds();
  const content = html`<p>
      <a href="index.html">All runs</a> · <a href="catalogue.html">Catalogue</a> · <a href="glossary.html">Glossary</a>
    </p>
    <div class="reference">${blocks.map((block) => drawn(block, idOf))}</div>`;
  return plainPage({ title: "API reference", style: STYLE, content });
}

function blocksOf(markdown: string): readonly Block[] {
  const parts = markdown.split(/^(```\w*\n[^]*?^```)$/m);
  return parts.flatMap((part): readonly Block[] => {
    if (part.startsWith("```")) return [{ kind: "code", lines: part.split("\n").slice(1, -1) }];
    return part
      .split(/\n\s*\n/)
      .map((text) => text.split("\n").filter((line) => line.trim() !== ""))
      .filter((lines) => lines.length > 0)
      .map((lines) => {
        const kind = kindOf(lines);
        return { kind, lines: kind === "code" ? lines.map((line) => line.replace(/^ {4}/, "")) : lines };
      });
  });
}

function kindOf([first = ""]: readonly string[]): Block["kind"] {
  if (first.startsWith("#")) return "heading";
  if (first.startsWith("- ")) return "list";
  return first.startsWith("    ") ? "code" : "text";
}

function drawn({ kind, lines }: Block, idOf: (heading: string) => string): Markup {
  if (kind === "code") return html`<pre tabindex="0"><code>${whole(`${lines.join("\n")}\n`)}</code></pre>`;
  if (kind === "text") return html`<p>${spans(lines.join(" "))}</p>`;
  if (kind === "list")
    return html`<ul>
      ${lines.map((line) => html`<li>${spans(line.slice(2))}</li>`)}
    </ul>`;
  const [line = ""] = lines;
  const name = line.replace(/^#+ /, "");
  return line.startsWith("###") ? html`<h3 id="${idOf(name)}">${name}</h3>` : html`<h2 id="${idOf(name)}">${name}</h2>`;
}

/** Code between back quotes, and links to other names of the page. */
function spans(text: string): readonly Markup[] {
  return text.split(/(\[`[^`]+`\]\(#[^)]+\)|`[^`]+`)/).map((span) => {
    const [, name, id] = /^\[`(.+)`\]\(#(.+)\)$/.exec(span) ?? [];
    if (name !== undefined && id !== undefined) return html`<a href="#${id}"><code>${name}</code></a>`;
    return span.startsWith("`") ? html`<code>${whole(span.slice(1, -1))}</code>` : whole(span);
  });
}
