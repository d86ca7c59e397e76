// Builds the playground and the pages of the documentation: npm run build, into ../build/site. It needs Go.
// -- --scripts makes the scripts and styles of the page alone, -- --playground leaves out the documentation.
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";

const here = import.meta.dirname, top = path.dirname(here);
const site = path.join(top, "build", "site"), out = path.join(site, "playground");
const scratch = mkdtempSync(path.join(tmpdir(), "vflc-web-"));
const go = (args, env = {}) => execFileSync("go", args, { cwd: top, env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "inherit"] }).toString();

function program() {
  const wasm = path.join(scratch, "vflc.wasm");
  const small = path.join(top, "tools", "release", "release.work"); // without methods that nothing calls: a quarter less
  go(["build", "-trimpath", "-tags", "kernels", "-ldflags=-s -w", "-o", wasm, "./web/playground/browser"], { GOOS: "js", GOARCH: "wasm", GOWORK: small });
  writeFileSync(path.join(out, "vflc.wasm.gz"), gzipSync(readFileSync(wasm), { level: 9 }));
  const text = path.join(scratch, "runtime", "vector"); // the generator writes its text too, which is checked in
  mkdirSync(text, { recursive: true });
  go(["-C", "tools/asm", "run", ".", text, path.join(out, "kernels.wasm")]);
  writeFileSync(path.join(out, "words.json"), go(["run", "./web/playground/browser"]));
}

// Each example of examples/*.vfl with the tables beside it, by owner: a file is of the party it is named after, a folder
// of a family.
function examples() {
  const folder = path.join(top, "examples"), all = {};
  for (const file of readdirSync(folder).filter((f) => f.endsWith(".vfl")).sort()) {
    const name = file.slice(0, -4), tables = {};
    const table = (owner, at) => (tables[owner] ??= []).push({ name: path.basename(at), text: readFileSync(at, "utf8") });
    for (const entry of readdirSync(path.join(folder, name), { withFileTypes: true })) {
      const at = path.join(folder, name, entry.name);
      if (entry.isDirectory()) {
        const members = readdirSync(at).sort(new Intl.Collator("en", { numeric: true }).compare);
        members.forEach((f) => table(entry.name, path.join(at, f)));
      } else if (entry.name.endsWith(".csv") && entry.name !== "truth.csv") table(entry.name.slice(0, -4), at);
    }
    all[name] = { model: readFileSync(path.join(folder, file), "utf8"), tables };
  }
  const first = { logistic: all.logistic, ...all };
  writeFileSync(path.join(out, "examples.json"), JSON.stringify(first));
}

async function scripts() {
  const support = path.join(go(["env", "GOROOT"]).trim(), "lib", "wasm", "wasm_exec.js");
  const common = { bundle: true, minify: true, outdir: out, absWorkingDir: here, target: "es2022", logLevel: "warning", legalComments: "linked" };
  await esbuild.build({ ...common, entryPoints: ["src/page.js"], format: "esm" });
  await esbuild.build({
    ...common, entryPoints: ["src/worker.js"], format: "iife", inject: ["src/shims.js"], define: { global: "globalThis" },
    alias: {
      wasm_exec: support, "node:events": "events", "node:buffer": "buffer/", "node:path": "path-browserify", "node:url": "url/", "node:stream": "readable-stream",
    },
  });
  for (const f of ["index.html", "style.css"]) cpSync(path.join(here, "src", f), path.join(out, f));
}

const asked = (what) => process.argv.includes(`--${what}`);
if (!asked("scripts")) rmSync(site, { recursive: true, force: true });
if (!asked("scripts") && !asked("playground")) {
  const vflc = process.env.VFLC ?? path.join(top, "build", "vflc"); // the command, for the pictures of the gallery
  if (!process.env.VFLC) go(["build", "-o", vflc, "./cmd/vflc"]);
  await (await import("./pages.mjs")).build(site, vflc);
}
mkdirSync(out, { recursive: true });
try {
  if (!asked("scripts")) program();
  examples();
  await scripts();
} finally {
  rmSync(scratch, { recursive: true });
}
