// The playground as a reader uses it, in Chromium. It needs ../build/site (npm run build), and VFLC, the command built of
// the same sources, with which fits are compared.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { after, before, test } from "node:test";
import { browser, served } from "./site.mjs";

const examples = path.join(import.meta.dirname, "..", "..", "examples");
const pictures = process.env.VFLC_PICTURES; // a folder for pictures of the page
// y = 1, 2, 3, as parquet-go writes it.
const parquet = "UEFSMRUGFTAVMBXIoK+yC0wVBhUAFQYVABUAFQASHBgIAAAAAAAACEAYCAAAAAAAAPA/FgAoCAAAAAAAAAhAGAgAAAAAAADwPwAAAAAAAAAAAPA/AAAAAAAAAEAAAAAAAAAIQBkSABkYCAAAAAAAAPA/GRgIAAAAAAAACEAVABkWAAAZHBYIFcABFgAAABUEGSxIA3JvdxUCABUKFYABFQAYAXkAFgYZHBkcJgAcFQoZFQAZGAF5FQAWBhbAARbAASYIPDYAKAgAAAAAAAAIQBgIAAAAAAAA8D8AGRwVBhUAFQIAABaGAhUWFsgBFT4AFsABFgYZDBYIFsABFAAAGQwYN2dpdGh1Yi5jb20vcGFycXVldC1nby9wYXJxdWV0LWdvIHZlcnNpb24gMC4zMi4wKGJ1aWxkICkZHBwAAACyAAAAUEFSMQ==";
let site, chromium, page, heard;

before(async () => {
  site = await served();
  chromium = await browser();
  page = await opened();
});

after(async () => {
  await chromium?.close();
  site?.close();
});

async function opened(hash = "") {
  const p = await chromium.newPage();
  heard = [];
  p.on("pageerror", (e) => heard.push(e.message));
  p.on("console", (m) => heard.push(`${m.type()}: ${m.text()}`));
  await p.setViewport({ width: 1400, height: 950 });
  await p.goto(`${site.at}/playground/${hash}`);
  await p.waitForSelector("html[data-ready]", { timeout: 90_000 });
  return p;
}

async function picture(name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `playground-${name}.png`) });
}

const text = (selector) => page.$eval(selector, (e) => e.textContent);

async function write(model) {
  await page.click(".cm-content");
  await page.keyboard.down("Control");
  await page.keyboard.press("a");
  await page.keyboard.up("Control");
  await page.keyboard.sendCharacter(model);
}

test("the page loads, says nothing on the console, and has the examples", async () => {
  assert.deepEqual(heard, []);
  const names = await page.$$eval("#examples option", (all) => all.map((o) => o.value));
  assert.deepEqual(names, ["logistic", "linear", "logistic_family", "poisson_multilevel", "split_nn"]);
  assert.match(await text(".cm-content"), /Logistic regression over two hospitals/);
  assert.deepEqual(await page.$$eval("#tables .name", (all) => all.map((e) => e.textContent)), ["registry", "hospital_a", "hospital_b"]);
});

test("every example is without errors", async () => {
  for (const name of ["linear", "logistic_family", "poisson_multilevel", "split_nn", "logistic"]) {
    await page.$eval("#fit", (e) => { e.disabled = true; });
    await page.select("#examples", name);
    await page.waitForFunction(() => !document.getElementById("fit").disabled, { timeout: 20_000 });
    assert.equal(await page.$$eval(".problem.error", (all) => all.length), 0, name);
    assert.equal(await page.$$eval(".owner.empty", (all) => all.length), 0, name);
  }
});

test("the fit is that of the command, to the digit", async () => {
  await page.click("#fit");
  await page.waitForSelector("html[data-document]", { timeout: 120_000 });
  const here = JSON.parse(await page.$eval("html", (e) => e.dataset.document));
  const there = JSON.parse(execFileSync(process.env.VFLC, ["run", path.join(examples, "logistic.vfl"), "--json", "--quiet"]));
  console.log(`# the fit took ${await text("#state")} Its sampling: ${here.timing.warmup_s + here.timing.sampling_s} s`);
  for (const key of Object.keys(there).filter((k) => k !== "timing")) assert.deepEqual(here[key], there[key], key);
  assert.equal(await page.$$eval("#summary tbody tr", (all) => all.length), there.parameters.length);
  await picture("summary");
});

test("plots, the audit and the report are shown", async () => {
  await page.click("#tab-plots");
  await page.waitForSelector("#plot svg", { timeout: 20_000 });
  assert.ok((await page.$$eval("#plot svg circle, #plot svg line, #plot svg path", (all) => all.length)) > 20);
  await picture("plots");
  await page.click("#tab-audit");
  await page.waitForSelector("#audit iframe", { timeout: 20_000 });
  assert.match(await page.$eval("#audit iframe", (f) => f.srcdoc), /registry can compute: hospital_a/);
  await page.click("#tab-report");
  await page.waitForSelector("#report iframe", { timeout: 60_000 });
  assert.match(await page.$eval("#report iframe", (f) => f.srcdoc), /Report of a run/);
  await picture("report");
  await page.click("#tab-summary");
});

test("an error shows its code and a fix, which mends it", async () => {
  await write("data y : real[N]\nparam mu ~ normal(0, 1)\ny ~ normal(mu, 1.)\n");
  await page.waitForSelector(".diagnostic .fix", { timeout: 20_000 });
  assert.match(await text("#problems .problem"), /V0107.*is not a number/s);
  assert.equal(await page.$$eval(".cm-lintRange-error", (all) => all.length), 1);
  await picture("error");
  await page.click(".diagnostic .fix");
  await page.waitForFunction(() => !document.querySelector(".problem.error") && !document.getElementById("fit").disabled, { timeout: 20_000 });
  assert.match(await text(".cm-content"), /y ~ normal\(mu, 1\.0\)/);
});

test("a table that is dropped goes to its owner and is fitted; a wrong one is a diagnostic", async () => {
  const drop = (name, content, packed) => page.evaluate((name, content, packed) => {
    const carried = new DataTransfer();
    carried.items.add(new File([packed ? Uint8Array.from(atob(content), (c) => c.charCodeAt(0)) : content], name));
    document.getElementById("tables").dispatchEvent(new DragEvent("drop", { dataTransfer: carried, bubbles: true, cancelable: true }));
  }, name, content, packed);
  await page.waitForFunction(() => document.querySelectorAll("#tables .owner").length === 1);
  const fitted = async () => {
    await page.$eval("html", (e) => { delete e.dataset.document; });
    await page.click("#fit");
    await page.waitForFunction(() => document.documentElement.dataset.document || document.querySelector("#summary .problem"), { timeout: 60_000 });
  };
  await drop("measured.csv", "y\n1\nx\n");
  await page.waitForFunction(() => document.querySelector("#tables .files").textContent.includes("measured.csv"));
  await fitted();
  assert.match(await text("#summary .problem"), /V\d{4}.*measured\.csv/s);
  const means = [];
  for (const [name, content, packed] of [["right.csv", "y\n1\n2\n3\n"], ["right.parquet", parquet, true]]) {
    await drop(name, content, packed);
    await page.waitForFunction((n) => document.querySelector("#tables .files").textContent.includes(n), {}, name);
    await fitted();
    const [mu] = JSON.parse(await page.$eval("html", (e) => e.dataset.document)).parameters;
    assert.ok(Math.abs(mu.mean - 1.5) < 5 * mu.mcse, `mean ${mu.mean} of a normal posterior of mean 6/4`);
    means.push(mu.mean);
  }
  assert.equal(means[0], means[1]);
});

test("a fit can be cancelled, and another begun", async () => {
  await page.$eval("[name=draws]", (e) => { e.value = "100000"; });
  await page.click("#fit");
  await page.waitForSelector("#progress progress", { timeout: 20_000 });
  await page.click("#cancel");
  await page.waitForFunction(() => document.getElementById("state").textContent === "Cancelled." && !document.getElementById("fit").disabled);
  await page.$eval("[name=draws]", (e) => { e.value = ""; });
  await page.$eval("html", (e) => { delete e.dataset.document; });
  await page.click("#fit");
  await page.waitForSelector("html[data-document]", { timeout: 60_000 });
});

test("a link has the model and the settings, and no table", async () => {
  await page.$eval("[name=seed]", (e) => { e.value = "7"; });
  const model = await text(".cm-content");
  await page.click("#share");
  await page.waitForFunction(() => location.hash.length > 20);
  const hash = await page.evaluate(() => location.hash);
  const said = await page.evaluate(async (fragment) => {
    const bytes = Uint8Array.from(atob(fragment.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
  }, hash.slice(1));
  assert.deepEqual(Object.keys(JSON.parse(said)), ["example", "model", "settings"]);
  assert.doesNotMatch(said, /measured/);
  await page.close();
  page = await opened(hash);
  assert.equal(await text(".cm-content"), model);
  assert.equal(await page.$eval("[name=seed]", (e) => e.value), "7");
});

test("nothing leaves the page: attempts from the page and from a worker are refused", async () => {
  const before = site.requests.length;
  const attempts = (to) => `(async () => {
    const out = {};
    const tried = async (name, what) => { try { await what(); out[name] = "sent"; } catch (e) { out[name] = e.name; } };
    await tried("fetch", () => fetch("${to}/fetch", { method: "POST", body: "rows", mode: "no-cors" }));
    await tried("xhr", () => new Promise((good, bad) => { const x = new XMLHttpRequest(); x.onload = good; x.onerror = () => bad(new TypeError()); x.open("POST", "${to}/xhr"); x.send("rows"); }));
    await tried("socket", () => new Promise((good, bad) => { const s = new WebSocket("${to.replace("http", "ws")}/socket"); s.onopen = good; s.onerror = () => bad(new TypeError()); }));
    if (self.document) {
      await tried("beacon", () => { if (navigator.sendBeacon("${to}/beacon", "rows")) throw new Error("queued"); });
      await tried("image", () => new Promise((good, bad) => { const i = new Image(); i.onload = good; i.onerror = () => bad(new TypeError()); i.src = "${to.includes("127.0.0.1") ? to.replace("127.0.0.1", "localhost") : to}/image.png?rows"; }));
      await tried("script", () => new Promise((good, bad) => { const s = document.createElement("script"); s.onload = good; s.onerror = () => bad(new TypeError()); s.src = "${to.replace("127.0.0.1", "localhost")}/script.js?rows"; document.head.append(s); }));
    }
    return out;
  })()`;
  for (const to of [site.at, "http://localhost:9"]) {
    const fromPage = await page.evaluate(attempts(to));
    const fromWorker = await page.evaluate((source) => new Promise((resolve) => {
      const code = `${source}.then((out) => postMessage(out))`;
      new Worker(URL.createObjectURL(new Blob([code], { type: "text/javascript" }))).onmessage = (m) => resolve(m.data);
    }), attempts(to));
    for (const [where, out] of Object.entries({ page: fromPage, worker: fromWorker })) {
      for (const [name, result] of Object.entries(out)) assert.notEqual(result, "sent", `${name} of a ${where} to ${to}`);
    }
  }
  assert.deepEqual(site.requests.slice(before), [], "what has reached the server");
  const control = await chromium.newPage(); // the same attempts are seen where no policy forbids them
  await control.goto(`${site.at}/playground/style.css`);
  const free = await control.evaluate(attempts(site.at));
  assert.equal(free.fetch, "sent");
  assert.ok(site.requests.some((r) => r.includes("/fetch")) && site.requests.some((r) => r.includes("/beacon")));
  await control.close();
});

test("it can be read in the dark and on a telephone", async () => {
  for (const [name, width, scheme] of [["dark", 1400, "dark"], ["telephone", 390, "light"]]) {
    await page.setViewport({ width, height: 900 });
    await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
    const seen = await page.evaluate(() => ({ wide: document.documentElement.scrollWidth, paper: getComputedStyle(document.body).backgroundColor }));
    assert.ok(seen.wide <= width, `${seen.wide} px wide in a window of ${width}`);
    assert.equal(seen.paper, scheme === "dark" ? "rgb(15, 20, 26)" : "rgb(255, 255, 255)");
    await picture(name);
  }
});
