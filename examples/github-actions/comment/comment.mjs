// One comment for a pull request: written the first time, edited after that. No packages.
import { readFileSync } from "node:fs";

const { GITHUB_API_URL = "https://api.github.com", GITHUB_REPOSITORY, REPORT = "", TOKEN, PULL } = process.env;
/** Readers do not see it; it tells this comment from all others. */
const MARK = "<!-- lockstorm -->";
/** GitHub refuses a longer comment. */
const MOST = 65_536;
const CUT = "\n\n(The rest is in the job's summary.)";

const text = `${MARK}\n${readFileSync(REPORT, "utf8")}`;
const body = text.length > MOST ? text.slice(0, MOST - CUT.length) + CUT : text;

async function ask(path, method = "GET", content) {
  const answer = await fetch(`${GITHUB_API_URL}/repos/${GITHUB_REPOSITORY}/${path}`, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, accept: "application/vnd.github+json" },
    ...(content === undefined ? {} : { body: JSON.stringify(content) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

async function formerComment() {
  for (let page = 1; ; page += 1) {
    const comments = await ask(`issues/${PULL}/comments?per_page=100&page=${page}`);
    const found = comments.find((comment) => comment.body?.startsWith(MARK));
    if (found !== undefined || comments.length < 100) return found;
  }
}

const former = await formerComment();
if (former === undefined) await ask(`issues/${PULL}/comments`, "POST", { body });
else await ask(`issues/comments/${former.id}`, "PATCH", { body });
