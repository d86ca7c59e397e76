// The editor of models: colours from the words of the language, diagnostics with their fixes, completion.
import { autocompletion, completeFromList, closeBrackets } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { HighlightStyle, StreamLanguage, bracketMatching, syntaxHighlighting } from "@codemirror/language";
import { lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView, drawSelection, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";

function language(words) {
  const of = (list) => new Set(list);
  const keywords = of([...words.keywords, "from", "in", "for", "if", "then", "else", "shared"]);
  const types = of(["real", "int", "binary", "count", "level", "vector", "matrix", "simplex", "ordered"]);
  const distributions = of(words.distributions);
  const functions = of([...words.functions, ...words.encoders, ...words.transforms]);
  return StreamLanguage.define({
    name: "vfl",
    languageData: { commentTokens: { line: "//" } },
    token(stream) {
      if (stream.eatSpace()) return null;
      if (stream.match(/^\/\/.*/)) return "comment";
      if (stream.match(/^"[^"]*"?/)) return "string";
      if (stream.match(/^@\s*[A-Za-z_]\w*/)) return "meta";
      if (stream.match(/^\d[\d_]*(\.\d+)?([eE][+-]?\d+)?/)) return "number";
      const word = stream.match(/^[A-Za-z_]\w*/);
      if (!word) {
        stream.next();
        return null;
      }
      if (keywords.has(word[0])) return "keyword";
      if (types.has(word[0])) return "typeName";
      if (distributions.has(word[0])) return "atom";
      return functions.has(word[0]) ? "variableName.function" : "variableName";
    },
    tokenTable: { "variableName.function": tags.function(tags.variableName) },
  });
}

const colours = HighlightStyle.define([
  { tag: tags.keyword, class: "tok-keyword" },
  { tag: tags.comment, class: "tok-comment" },
  { tag: tags.number, class: "tok-number" },
  { tag: tags.string, class: "tok-number" },
  { tag: tags.typeName, class: "tok-type" },
  { tag: tags.atom, class: "tok-distribution" },
  { tag: tags.meta, class: "tok-owner" },
  { tag: tags.function(tags.variableName), class: "tok-function" },
]);

function completions(words) {
  const options = [];
  const add = (list, type) => list.forEach((label) => options.push({ label, type }));
  add(words.keywords, "keyword");
  add(words.distributions, "class");
  add(words.functions, "function");
  add(words.encoders, "function");
  add(words.transforms, "constant");
  return completeFromList(options);
}

/** An editor in an element, which calls changed after each change of the text. */
export function editor(parent, words, changed) {
  return new EditorView({
    parent,
    state: EditorState.create({
      extensions: [
        lineNumbers(), history(), drawSelection(), highlightActiveLine(), bracketMatching(), closeBrackets(), lintGutter(),
        autocompletion({ override: [completions(words)] }), language(words), syntaxHighlighting(colours),
        keymap.of([...defaultKeymap, ...historyKeymap, ...lintKeymap, indentWithTab]),
        EditorView.contentAttributes.of({ "aria-label": "Model" }),
        EditorView.updateListener.of((u) => u.docChanged && changed()),
      ],
    }),
  });
}

export const textOf = (view) => view.state.doc.toString();

export function setText(view, text) {
  view.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } });
}

/** Underlines what diagnostics are about; each offers its fixes. */
export function underline(view, diagnostics) {
  const within = (n) => Math.min(Math.max(n, 0), view.state.doc.length);
  view.dispatch(setDiagnostics(view.state, diagnostics.filter((d) => d.from >= 0).map((d) => ({
    from: within(d.from), to: within(d.to), severity: d.severity, source: d.code, message: `${d.code}: ${d.message}`,
    actions: d.fixes.map((fix) => ({ name: fix.message, apply: (v) => apply(v, fix) })),
  }))));
}

export function apply(view, fix) {
  view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.text }, selection: { anchor: fix.from + fix.text.length } });
  view.focus();
}
