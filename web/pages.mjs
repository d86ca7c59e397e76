// The pages of the documentation as a site: what stands in README.md and docs, with links that lead out of them
// pointing to the repository, and a gallery of plots that the command draws now.
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { build as vitepress } from "vitepress";

const here = import.meta.dirname, top = path.dirname(here), text = path.join(here, "pages", "text");
const repository = "https://github.com/vflc/vflc/blob/main/";

// staged are the pages of the site by their paths in the repository.
function staged() {
  const pages = { "README.md": "index.md" };
  for (const f of readdirSync(path.join(top, "docs"), { recursive: true }).filter((f) => f.endsWith(".md"))) {
    pages[`docs/${f}`] = f === "README.md" ? "docs.md" : f.replace(/README\.md$/, "index.md");
  }
  pages["examples/applied/README.md"] = "applied.md";
  return pages;
}

// linked is a page with the links of the site.
function linked(from, source, pages) {
  return source.replace(/(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g, (whole, image, label, target) => {
    if (/^(https?:|mailto:|#)/.test(target)) return whole;
    const [file, anchor] = target.split("#");
    const at = path.posix.normalize(path.posix.join(path.posix.dirname(from), file));
    const to = image ? `/${path.posix.basename(at)}` : pages[at] ? `/${pages[at]}` : repository + at;
    return `${image}[${label}](${to}${anchor ? `#${anchor}` : ""})`;
  });
}

const shown = [
  ["logistic", "forest", [], "Posterior intervals of README's model: a registry and two hospitals."],
  ["logistic", "trace", ["b", "beta_a[1]", "beta_a[2]", "beta_a[3]"], "Chains of the same fit."],
  ["logistic", "pairs", ["b", "beta_a[1]", "beta_a[2]", "beta_b[4]"], "Pairs of parameters of three parties."],
  ["logistic", "rank", ["b", "beta_a[1]"], "Ranks of the draws by chain."],
  ["logistic", "energy", [], "Energies of the chains."],
  ["linear", "density", [], "Densities of a linear regression over two clients and a server."],
  ["linear", "ppc", [], "The response and its replicates."],
  ["logistic_family", "forest", [], "A family of ten laboratories, each with coefficients of its own."],
];

// gallery fits the examples and draws plots of them, each above the command that draws it.
function gallery(vflc) {
  const scratch = mkdtempSync(path.join(tmpdir(), "vflc-gallery-"));
  const lines = ["# Gallery", "", "Plots of fits of the examples, as `vflc plot` draws them."];
  try {
    for (const [model, kind, names, what] of shown) {
      const run = path.join(scratch, model), picture = `${model}-${kind}.svg`;
      const example = path.join(top, "examples", `${model}.vfl`);
      if (!existsSync(run)) execFileSync(vflc, ["run", example, "-o", run, "--quiet"], { stdio: ["ignore", "ignore", "inherit"] });
      execFileSync(vflc, ["plot", run, kind, ...names, "-o", path.join(text, "public", picture)]);
      lines.push("", `## ${what.replace(/\.$/, "")}`, "", `![${what}](/${picture})`, "", "```sh", `vflc run examples/${model}.vfl -o out`,
        `vflc plot out ${[kind, ...names.map((n) => `'${n}'`)].join(" ")} -o ${picture}`, "```");
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  writeFileSync(path.join(text, "gallery.md"), lines.join("\n") + "\n");
}

/** Builds the pages into the folder of the site, which it empties. */
export async function build(site, vflc) {
  rmSync(text, { recursive: true, force: true });
  mkdirSync(path.join(text, "public"), { recursive: true });
  try {
    const pages = staged();
    for (const [from, to] of Object.entries(pages)) {
      let page = linked(from, readFileSync(path.join(top, from), "utf8"), pages);
      if (to === "index.md") page = page.replace("\n## Where to go", "\n<Playground />\n\n## Where to go");
      mkdirSync(path.dirname(path.join(text, to)), { recursive: true });
      writeFileSync(path.join(text, to), page);
    }
    for (const f of readdirSync(path.join(top, "docs")).filter((f) => f.endsWith(".svg"))) {
      cpSync(path.join(top, "docs", f), path.join(text, "public", f));
    }
    gallery(vflc);
    await vitepress(path.join(here, "pages"), { outDir: site });
  } finally {
    rmSync(text, { recursive: true, force: true });
  }
}
