import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

const top = path.join(import.meta.dirname, "..", "..", "..");
const grammar = path.join(top, "editors", "testdata", "vfl.tmLanguage.json"); // of the editors; without it models are plain
const languages = existsSync(grammar) ? [{ ...JSON.parse(readFileSync(grammar, "utf8")), name: "vfl" }] : [];

const page = (text, link) => ({ text, link });

export default {
  title: "vflc",
  description: "Bayesian inference over data that several parties hold and none may hand over",
  lang: "en",
  srcDir: "text",
  cacheDir: path.join(top, "build", "vitepress"),
  cleanUrls: false,
  base: process.env.VFLC_BASE ?? "/", // the folder of the site on its host
  appearance: true,
  markdown: {
    languages,
    anchor: { slugify: (s) => s.toLowerCase().replace(/[^\p{L}\p{N}\s_-]/gu, "").trim().replace(/\s/g, "-") }, // as on GitHub
    // Pages are of Markdown alone: what looks like a tag is text, but for that of the playground.
    config(md) {
      const inline = md.renderer.rules.html_inline;
      md.renderer.rules.html_inline = (tokens, i, ...rest) =>
        /^<Playground/.test(tokens[i].content) ? inline(tokens, i, ...rest) : md.utils.escapeHtml(tokens[i].content);
    },
  },
  // Only pages may be linked that are there; the playground is built apart.
  ignoreDeadLinks: [/\/playground\//],
  themeConfig: {
    nav: [page("Start", "/start"), page("Language", "/language"), page("Gallery", "/gallery"),
      { text: "Playground", link: "/playground/", target: "_self" }],
    sidebar: [
      { text: "Begin", items: [page("What it is", "/"), page("A first afternoon", "/start"), page("The prompt", "/repl"), page("The playground", "/playground"), page("Formulas", "/formulas"), page("Coming from Stan, brms, PyMC", "/coming-from"),
        page("Applied models", "/applied"), page("Gallery", "/gallery")] },
      { text: "Models", items: [page("Language", "/language"), page("Data", "/data"), page("What to choose", "/choosing"), page("Results", "/results"), page("Many fits", "/studies")] },
      { text: "Privacy", items: [page("What crosses", "/privacy"), page("In detail", "/privacy-detail"), page("Budgets", "/budget")] },
      { text: "Machines", items: [page("Across machines", "/deployment"), page("Protocol", "/protocol/"), page("Performance", "/performance")] },
      { text: "Behind it", items: [page("What is computed", "/inference"), page("Why", "/rationale"), page("Words", "/glossary"), page("Working on vflc", "/contributing")] },
    ],
    search: { provider: "local" },
    outline: [2, 3],
    socialLinks: [{ icon: "github", link: "https://github.com/vflc/vflc" }],
    footer: { message: "Apache 2.0" },
  },
};
