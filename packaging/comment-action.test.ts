import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";

const program = fileURLToPath(new URL("../examples/github-actions/comment/comment.mjs", import.meta.url));

interface Comment {
  readonly id: number;
  body: string;
}

/** As much of GitHub as the action asks: the comments of a pull request, a hundred at a time. */
let comments: Comment[];
let asked: string[];
let server: Server;
let folder: string;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "lockstorm-comment-"));
  [comments, asked] = [[], []];
  server = createServer((request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push(method);
    let text = "";
    request.on("data", (part: Buffer) => (text += part.toString()));
    request.on("end", () => {
      if (headers.authorization !== "Bearer secret") response.writeHead(401);
      const { body = "" } = text === "" ? {} : (JSON.parse(text) as { body: string });
      if (body.length > 65_536) response.writeHead(422);
      const page = Number(new URL(url, "http://x").searchParams.get("page"));
      const [, edited] = /\/issues\/comments\/(\d+)$/.exec(url) ?? [];
      if (method === "POST" && url === "/repos/me/mine/issues/7/comments") comments.push({ id: comments.length, body });
      for (const comment of comments) if (method === "PATCH" && comment.id === Number(edited)) comment.body = body;
      response.end(JSON.stringify(method === "GET" ? comments.slice((page - 1) * 100, page * 100) : {}));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
});
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
});

function post(report: string, token = "secret"): Promise<{ readonly code: number; readonly stderr: string }> {
  const file = join(folder, "report.md");
  writeFileSync(file, report);
  const { port } = server.address() as AddressInfo;
  const api = { GITHUB_API_URL: `http://127.0.0.1:${port}`, GITHUB_REPOSITORY: "me/mine" };
  const env = { ...process.env, ...api, REPORT: file, TOKEN: token, PULL: "7" };
  return new Promise((resolve) => {
    execFile(process.execPath, [program], { env }, (error, _, stderr) =>
      resolve({ code: typeof error?.code === "number" ? error.code : 0, stderr }),
    );
  });
}

test("the first report is a comment, the next one replaces it, however many others there are", async () => {
  comments = Array.from({ length: 130 }, (_, id) => ({ id, body: `${id} <!-- lockstorm -->` }));
  expect(await post("broken")).toEqual({ code: 0, stderr: "" });
  expect(comments).toHaveLength(131);
  expect(comments.at(-1)?.body).toBe("<!-- lockstorm -->\nbroken");
  expect(await post("holds")).toEqual({ code: 0, stderr: "" });
  expect(comments).toHaveLength(131);
  expect(comments.at(-1)?.body).toBe("<!-- lockstorm -->\nholds");
  expect(asked).toEqual(["GET", "GET", "POST", "GET", "GET", "PATCH"]);
});

test("a report that is too long is cut, and says so", async () => {
  expect(await post("x".repeat(100_000))).toMatchObject({ code: 0 });
  expect(comments[0]?.body).toHaveLength(65_536);
  expect(comments[0]?.body).toMatch(/in the job's summary\.\)$/);
});

test("what GitHub refuses fails the job, with its reason", async () => {
  const { code, stderr } = await post("broken", "wrong");
  expect(code).toBe(1);
  expect(stderr).toContain("GET issues/7/comments?per_page=100&page=1: 401");
});
