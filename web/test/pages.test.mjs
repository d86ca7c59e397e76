// The pages of the documentation, as they are built: each link leads somewhere.
import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, statSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";
import { root } from "./site.mjs";

const built = readdirSync(root, { recursive: true }).filter((f) => f.endsWith(".html") && !f.startsWith("playground/"));
const texts = new Map(built.map((f) => [f, readFileSync(path.join(root, f), "utf8")]));
const anchors = (html) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map((m) => decodeURIComponent(m[1])));

test("every page of docs is there", () => {
  const docs = path.join(root, "..", "..", "docs");
  for (const f of readdirSync(docs).filter((f) => f.endsWith(".md"))) assert.ok(texts.has(f.replace(/\.md$/, ".html")), f);
  assert.ok(texts.get("index.html").includes("Fit this model here"));
});

test("links lead to pages, headings and pictures that are there", () => {
  let links = 0;
  const wrong = [];
  for (const [from, html] of texts) {
    if (from === "404.html") continue;
    for (const [, target] of html.matchAll(/\s(?:href|src)="([^"]+)"/g)) {
      if (/^(https?:|mailto:|data:|\/\/)/.test(target)) continue;
      const [file, anchor] = target.split("#").map(decodeURIComponent);
      let to = file ? path.posix.normalize(file.startsWith("/") ? file.slice(1) : path.posix.join(path.posix.dirname(from), file)) : from;
      if (existsSync(path.join(root, to)) && statSync(path.join(root, to)).isDirectory()) to = path.posix.join(to, "index.html");
      links++;
      if (!existsSync(path.join(root, to))) wrong.push(`${from}: ${target}`);
      else if (anchor && texts.has(to) && !anchors(texts.get(to)).has(anchor)) wrong.push(`${from}: ${target}`);
    }
  }
  assert.deepEqual(wrong, []);
  assert.ok(links > 500, `${links} links`);
});
