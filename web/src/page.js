// The playground: a model and tables on the left, what the program says of them on the right.
import { $, el } from "./dom.js";
import { apply, editor, setText, textOf, underline } from "./editor.js";
import { Program, cutOff, load, loaded } from "./program.js";
import { drawing, failure, page, problems, summary } from "./results.js";
import { packed, unpacked } from "./share.js";
import { Tables } from "./tables.js";

const embedded = new URLSearchParams(location.search).has("embedded");
document.body.classList.toggle("embedded", embedded);

const state = { example: "logistic", checker: null, fitter: null, fitted: false, valid: false };
const [examples, words] = await Promise.all(["examples.json", "words.json"].map((f) => fetch(f).then((r) => r.json())));
const tables = new Tables($("tables"), stale);
const view = editor($("editor"), words, () => { stale(); soon(); });
const settings = [...document.querySelectorAll("#settings [name]")];

for (const name of Object.keys(examples)) $("examples").append(el("option", { value: name }, name));
for (const name of words.backends) settings[0].append(el("option", { value: name }, name));
for (const name of words.transforms) settings[1].append(el("option", { value: name }, name));
for (const name of words.plots) $("kind").append(el("option", { value: name }, name));
$("version").textContent = `vflc ${words.version}.`;

const chosen = () => Object.fromEntries(settings.filter((s) => s.value).map((s) => [s.name, s.value.trim()]));
const path = () => `/${state.example || "model"}.vfl`;
const task = () => ({ path: path(), settings: chosen(), files: { [path()]: textOf(view) } });

// The model is checked a moment after the last change.
let timer;
function soon() {
  clearTimeout(timer);
  timer = setTimeout(check, 150);
}

function stale() {
  if (state.fitted) $("state").textContent = "The model or its tables have changed since the fit.";
}

let checks = 0;
async function check() {
  if (!state.checker) return;
  const mine = ++checks;
  try {
    const { diagnostics, parties } = await state.checker.call({ do: "check", ...task() });
    if (mine !== checks) return;
    state.valid = !diagnostics.some((d) => d.severity === "error");
    underline(view, diagnostics);
    $("problems").replaceChildren(...problems(diagnostics, (fix) => apply(view, fix), goTo));
    if (state.valid) tables.show(parties);
  } catch (why) {
    if (mine !== checks) return;
    state.valid = false;
    failure($("problems"), why);
  }
  $("fit").disabled = !state.valid || state.fitter?.busy;
  if (!$("audit").hidden) audit();
}

function goTo(at) {
  view.dispatch({ selection: { anchor: Math.min(at, view.state.doc.length) }, scrollIntoView: true });
  view.focus();
}

function open(name) {
  const example = examples[name];
  state.example = name;
  $("examples").value = name;
  setText(view, example.model);
  tables.replace(Object.fromEntries(Object.entries(example.tables).map(([owner, files]) =>
    [owner, files.map((f) => ({ name: f.name, bytes: new TextEncoder().encode(f.text) }))])));
}

async function fit() {
  const fitter = state.fitter ?? new Program();
  state.fitter = fitter;
  fitter.busy = true;
  $("fit").disabled = true;
  $("cancel").hidden = false;
  $("summary").replaceChildren();
  $("progress").replaceChildren();
  $("progress").hidden = false;
  $("state").textContent = "Reading the tables…";
  const began = performance.now();
  const { files, tables: of } = tables.taken();
  const what = task();
  try {
    const done = await fitter.call({ do: "fit", ...what, files: { ...what.files, ...files }, tables: of }, heard);
    state.fitted = true;
    $("plot").replaceChildren();
    summary(done, (name) => { $("names").value = name; $("kind").value = "trace"; select("plots"); });
    $("state").textContent = `Done in ${((performance.now() - began) / 1000).toFixed(1)} s.`;
    $("report").replaceChildren();
    document.documentElement.dataset.document = JSON.stringify(done.document);
    select("summary");
  } catch (why) {
    failure($("summary"), why);
    $("state").textContent = why.message === "cancelled" ? "Cancelled." : "";
    if (state.fitter === fitter) state.fitted = false;
    select("summary");
  }
  fitter.busy = false;
  $("cancel").hidden = true;
  $("progress").hidden = true;
  $("fit").disabled = !state.valid;
}

function heard({ line, warning, chain, step, steps, phase }) {
  if (line) $("state").textContent = (warning ? "Warning: " : "") + line;
  if (chain === undefined) return;
  const id = `chain-${chain}`;
  if (!$(id)) {
    $("progress").append(el("label", {}, `chain ${chain} `, el("progress", { id, max: steps || 1 }), el("span", { className: "hint" })));
  }
  if (steps) $(id).value = step;
  else $(id).removeAttribute("value");
  $(id).nextSibling.textContent = steps ? ` ${phase} ${step} of ${steps}` : ` ${phase} ${step}`;
}

function cancel() {
  state.fitter?.end();
  state.fitter = null;
  state.fitted = false;
}

async function plot() {
  if (!state.fitted || !state.fitter) return;
  const names = $("names").value.split(/[\s,]+(?![^[]*\])/).filter(Boolean);
  const width = $("right").clientWidth;
  try {
    const svg = await state.fitter.call({ do: "plot", kind: $("kind").value, names, width: width < 520 ? width : 0 });
    $("plot").replaceChildren(drawing(svg));
  } catch (why) {
    failure($("plot"), why);
  }
}

async function audit() {
  if (!state.valid) return;
  try {
    page($("audit"), await state.checker.call({ do: "audit", ...task() }), `${state.example}-audit`);
  } catch (why) {
    failure($("audit"), why);
  }
}

async function report() {
  if (!state.fitted || !state.fitter) {
    $("report").replaceChildren(el("p", { className: "hint" }, "Fit the model to see its report."));
    return;
  }
  if ($("report").querySelector("iframe")) return;
  $("report").replaceChildren(el("p", { className: "hint" }, "Writing the report…"));
  try {
    page($("report"), await state.fitter.call({ do: "report" }), `${state.example}-report`);
  } catch (why) {
    failure($("report"), why);
  }
}

const show = { summary() {}, plots: plot, audit, report };
function select(name) {
  for (const tab of document.querySelectorAll("[role=tab]")) {
    const on = tab.getAttribute("aria-controls") === name;
    tab.setAttribute("aria-selected", on);
    tab.tabIndex = on ? 0 : -1;
    $(tab.getAttribute("aria-controls")).hidden = !on;
  }
  show[name]();
}

async function share() {
  const link = new URL(location.href);
  link.search = "";
  link.hash = await packed({ example: state.example, model: textOf(view), settings: chosen() });
  history.replaceState(null, "", link);
  const copied = await navigator.clipboard?.writeText(link.href).then(() => true, () => false);
  $("shared").textContent = copied ? "The link is copied: model and settings, no tables." : "The address of this page now has the model and the settings, no tables.";
}

async function fromLink() {
  const given = location.hash.length > 1 ? await unpacked(location.hash.slice(1)) : null;
  open(Object.hasOwn(examples, given?.example ?? "") ? given.example : "logistic");
  if (typeof given?.model === "string") setText(view, given.model);
  for (const s of settings) s.value = given?.settings?.[s.name] ?? (s.name === "backend" ? words.backends[0] : "");
}

for (const tab of document.querySelectorAll("[role=tab]")) tab.onclick = () => select(tab.getAttribute("aria-controls"));
document.querySelector("[role=tablist]").onkeydown = (e) => {
  const tabs = [...document.querySelectorAll("[role=tab]")], by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (!by) return;
  const next = tabs[(tabs.indexOf(document.activeElement) + by + tabs.length) % tabs.length];
  next.focus();
  next.click();
};
$("examples").onchange = () => { open($("examples").value); };
$("fit").onclick = fit;
$("cancel").onclick = cancel;
$("share").onclick = share;
$("kind").onchange = plot;
$("names").onchange = plot;
for (const s of settings) s.onchange = () => { stale(); soon(); };

await fromLink();
try {
  await load((seen, total) => {
    $("state").textContent = `Loading the program: ${(seen / 2 ** 20).toFixed(1)}${total ? ` of ${(total / 2 ** 20).toFixed(1)}` : ""} MB`;
  });
  cutOff();
  $("cut").textContent = "It is loaded, and the page's policy now forbids every connection.";
  $("state").textContent = "";
  if (!loaded.message.fused) {
    $("cut").append(" This browser has no vector instructions with one rounding, so that fits take many times as long.");
  }
  state.checker = new Program();
  await check();
  if (!embedded) state.fitter ??= new Program(); // so that it is there when it is needed
} catch (error) {
  $("state").textContent = `The program cannot be loaded: ${error.message}`;
}
document.documentElement.dataset.ready = "true";
