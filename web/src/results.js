// What a fit has found: the summary, plots, the report, the audit.
import { $, el } from "./dom.js";

const columns = [
  ["parameter", (r) => r.label ?? r.name], ["owner", (r) => r.owner], ["mean", "mean"], ["mcse", "mcse"], ["sd", "sd"],
  ["5 %", "q5"], ["50 %", "q50"], ["95 %", "q95"], ["ESS bulk", "ess_bulk"], ["ESS tail", "ess_tail"], ["R-hat", "rhat"],
];

function digits(key, value) {
  if (value === null || value === undefined) return "—";
  if (typeof value === "string") return value;
  return key.startsWith("ess") ? value.toFixed(0) : key === "mcse" ? value.toPrecision(2) : value.toFixed(3);
}

/** The summary of a fit as a table; a click on a parameter shows its plots. */
export function summary({ document: d, table }, parameter) {
  const head = el("tr", {}, ...columns.map(([title]) => el("th", { scope: "col" }, title)));
  const rows = d.parameters.map((r) => el("tr", {}, ...columns.map(([title, of], k) => {
    if (k === 0) return el("th", { scope: "row" }, el("button", { type: "button", className: "link", onclick: () => parameter(r.name) }, of(r)));
    return el("td", { className: k > 1 ? "number" : "" }, k === 1 ? of(r) ?? "" : digits(of, r[of]));
  })));
  const found = d.diagnostics.messages.map((m) => el("p", { className: "warning" }, m));
  const after = table.slice(table.indexOf("\n\n") + 2).trim();
  $("summary").replaceChildren(...found, el("div", { className: "scroll" }, el("table", {}, el("thead", {}, head), el("tbody", {}, ...rows))),
    el("pre", { className: "footer" }, after));
}

/** A drawing of the program, which has escaped its texts. */
export function drawing(svg) {
  const parsed = new DOMParser().parseFromString(svg, "image/svg+xml");
  return el("div", { className: "plot scroll" }, document.importNode(parsed.documentElement, true));
}

/** A document of the program, in a frame without scripts. */
export function page(parent, html, name) {
  const frame = el("iframe", { title: name, srcdoc: html });
  frame.setAttribute("sandbox", "");
  const address = URL.createObjectURL(new Blob([html], { type: "text/html" }));
  parent.replaceChildren(
    el("p", {}, el("a", { href: address, target: "_blank", rel: "noopener" }, "Open in a tab"), " · ",
      el("a", { href: address, download: `${name}.html` }, "Save")), frame);
}

/** Why there is no answer. */
export function failure(parent, why) {
  parent.replaceChildren(...problems(why.diagnostics ?? []), ...(why.message ? [el("p", { className: "error" }, why.message)] : []));
}

/** Diagnostics as a list: code, message, notes, fixes, and the page of the code on demand. */
export function problems(list, apply, goTo) {
  return list.map((d) => el("details", { className: `problem ${d.severity}` },
    el("summary", {}, el("code", {}, d.code), " ", d.message, ...(d.where ? [el("span", { className: "where" }, ` ${d.where}`)] : [])),
    ...d.notes.map((n) => el("p", {}, n)), el("pre", {}, d.page),
  )).map((e, k) => {
    const d = list[k];
    if (!apply) return e;
    const actions = d.fixes.map((fix) => el("button", { type: "button", className: "fix", onclick: () => apply(fix) }, `Fix: ${fix.message}`));
    if (d.from >= 0) actions.push(el("button", { type: "button", onclick: () => goTo(d.from) }, "Go to it"));
    return el("div", { className: "diagnostic" }, e, ...actions);
  });
}
