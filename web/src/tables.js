// The tables of the parties: a row for each owner, on which files are dropped or chosen. A file whose name is that of an
// owner goes to it wherever it is dropped.
import { el } from "./dom.js";

const endings = /\.(csv|tsv|json|parquet|arrow|feather|gz|zst)$/i;

export class Tables {
  #parties = [];
  #files = new Map(); // by owner: [{name, bytes}]

  constructor(parent, changed) {
    this.parent = parent;
    this.changed = changed;
    parent.addEventListener("dragover", (e) => e.preventDefault());
    parent.addEventListener("drop", (e) => this.#dropped(e, null));
  }

  /** Shows the parties of the model; files of others are kept, in case they come back. */
  show(parties) {
    const names = JSON.stringify(parties);
    if (names === JSON.stringify(this.#parties)) return;
    this.#parties = parties;
    this.#draw();
  }

  /** Puts files in place of all, by owner. */
  replace(files) {
    this.#files = new Map(Object.entries(files));
    this.#draw();
  }

  /** Files by path, and paths by owner, of the owners that the model has. */
  taken() {
    const files = {}, tables = {};
    for (const { name } of this.#owners()) {
      for (const f of this.#files.get(name) ?? []) {
        const path = `/tables/${name}/${f.name.replaceAll(/[,\/]/g, "_")}`;
        files[path] = f.bytes;
        (tables[name] ??= []).push(path);
      }
    }
    return { files, tables };
  }

  #owners() {
    return this.#files.has("shared") ? [...this.#parties, { name: "shared" }] : this.#parties;
  }

  async #dropped(event, owner) {
    event.preventDefault();
    event.stopPropagation();
    await this.add([...event.dataTransfer.files], owner);
  }

  /** Adds files to an owner; without one, to that whose name they have, else to the first without a table. */
  async add(files, owner) {
    for (const file of files) {
      const stem = file.name.replace(endings, "").replace(endings, "");
      const named = this.#parties.find((p) => p.name === stem || (p.family && stem.startsWith(p.name)));
      const free = this.#parties.find((p) => !this.#files.get(p.name)?.length);
      const to = (named ?? this.#parties.find((p) => p.name === owner) ?? free ?? this.#parties[0])?.name;
      if (!to) continue;
      const entry = { name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) };
      const family = this.#parties.find((p) => p.name === to)?.family;
      const others = family ? (this.#files.get(to) ?? []).filter((f) => f.name !== entry.name) : [];
      this.#files.set(to, [...others, entry]);
    }
    this.#draw();
    this.changed();
  }

  #draw() {
    this.parent.replaceChildren(...this.#owners().map((p) => this.#row(p)));
  }

  #row({ name, family, server }) {
    const files = this.#files.get(name) ?? [];
    const input = el("input", { type: "file", multiple: family, hidden: true, onchange: () => this.add([...input.files], name) });
    const what = files.length > 2 ? `${files.length} tables` : files.map((f) => f.name).join(", ");
    const size = files.reduce((n, f) => n + (f.bytes.length ?? f.bytes.byteLength), 0);
    return el("li", { className: files.length ? "owner" : "owner empty", ondrop: (e) => this.#dropped(e, name) },
      el("span", { className: "name" }, name), el("span", { className: "role" }, family ? "family" : server ? "server" : name === "shared" ? "" : "client"),
      el("span", { className: "files" }, what ? `${what} · ${(size / 1024).toFixed(size < 10240 ? 1 : 0)} kB` : "no table: drop one here"),
      input, el("button", { type: "button", onclick: () => input.click() }, "Choose…"));
  }
}
