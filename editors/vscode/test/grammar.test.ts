// Which colours the words of a model get from the TextMate grammar.
import assert from 'node:assert';
import fs from 'node:fs';
import path from 'node:path';
import test from 'node:test';
import * as oniguruma from 'vscode-oniguruma';
import { INITIAL, type IGrammar, parseRawGrammar, Registry } from 'vscode-textmate';

const root = path.resolve('..', '..');

const files: Record<string, string> = { 'source.vfl': 'syntaxes/vfl.tmLanguage.json', 'markdown.vfl.codeblock': 'syntaxes/markdown.json' };

async function grammar(scope: string): Promise<IGrammar> {
  const wasm = fs.readFileSync(require.resolve('vscode-oniguruma/release/onig.wasm'));
  await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.byteLength) as ArrayBuffer);
  const registry = new Registry({
    onigLib: Promise.resolve({
      createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
      createOnigString: (text) => new oniguruma.OnigString(text),
    }),
    // a page of Markdown is here text alone, and what the extension adds to it
    loadGrammar: async (name) => parseRawGrammar(files[name] ? fs.readFileSync(files[name], 'utf8') : `{"scopeName": "${name}", "patterns": []}`, 'g.json'),
    getInjections: (name) => (name === 'text.html.markdown' ? ['markdown.vfl.codeblock'] : []),
  });
  const found = await registry.loadGrammar(scope);
  assert.ok(found);
  return found;
}

const vfl = grammar('source.vfl');

/** words lists the words of a text with the scope of each. */
async function words(text: string, of = vfl): Promise<[string, string][]> {
  const g = await of;
  const out: [string, string][] = [];
  let state = INITIAL;
  for (const line of text.split('\n')) {
    const { tokens, ruleStack } = g.tokenizeLine(line, state);
    state = ruleStack;
    for (const { startIndex, endIndex, scopes } of tokens) {
      const word = line.slice(startIndex, endIndex).trim();
      if (word) out.push([word, scopes[scopes.length - 1].replace(/\.vfl$/, '')]);
    }
  }
  return out;
}

/** expect compares the scopes of some words of a text: "WORD scope". */
function expect(name: string, text: string, ...wanted: string[]): void {
  test(name, async () => {
    const got = (await words(text)).map((pair) => pair.join(' '));
    for (const line of wanted) assert.ok(got.includes(line), `${line} is not among\n${got.join('\n')}`);
  });
}

expect(
  'data',
  'data X : real<lower=0>[N, P] @ lab from zscore(age), onehot(sex, drop=first) missing drop',
  'data storage.type',
  'X variable.other.declaration',
  'real support.type',
  'lower variable.parameter',
  'N variable.other',
  'lab entity.name.namespace.party',
  'from keyword.other',
  'zscore support.function.encoder',
  'drop variable.parameter',
  'missing keyword.other',
  'drop constant.language.missing',
);
expect(
  'a likelihood',
  'y ~ mixture(w, normal(m.h, 1e-3), mine(f(x))) weights k^2',
  '~ keyword.operator.distributed',
  'mixture support.function.distribution',
  'normal support.function.distribution',
  'm.h variable.other',
  '1e-3 constant.numeric',
  'mine entity.name.function',
  'weights keyword.other',
);
expect(
  'words that are keywords before a name alone',
  'weight W : real init zeros\nweight ~ normal(0, 1)',
  'weight storage.type',
  'zeros constant.language.initial',
  'weight variable.other',
);
expect(
  'functions',
  'import nn\nfn f(x) {\n  return log(x) .* nn.log(x)\n}\ndist d(y | a) = normal_lpdf(y | a, 1)',
  'nn entity.name.namespace',
  'f entity.name.function',
  'return keyword.control',
  'log support.function.builtin',
  '.* keyword.operator.arithmetic',
  'nn.log entity.name.function',
  'd entity.name.function',
  'normal_lpdf support.function.density',
);
expect(
  'comprehensions and ranges',
  "let h = recur h[1] = -β', h[t] = sum(v by g) for t in 2..size(x)",
  'let storage.type',
  'recur keyword.control',
  'β variable.other',
  "' keyword.operator.arithmetic",
  'by keyword.control',
  'for keyword.control',
  '2 constant.numeric',
  '.. keyword.operator.range',
  'size support.function.builtin',
);
expect('transforms', 'transform augmented(rho = .25)', 'transform keyword.other', 'augmented constant.language.transform', '.25 constant.numeric');
expect('names of parties', 'program m for server\nmodule lab implements m', 'server entity.name.namespace.party', 'implements keyword.other');
expect(
  'comments and strings',
  '/// a "doc"\n/* two\nlines */ let x = "a \\" // b" // c',
  '/// a "doc" comment.line.documentation',
  'lines comment.block',
  '"a \\" // b" string.quoted.double',
  '// c comment.line.double-slash',
);

test('every word of every example has a colour, and no keyword is a name', async () => {
  const keywords = /^(server|client|data|param|let|const|fn|import|transform|factor|generate|return|for|in|from|noncentered)$/;
  const models = fs.readdirSync(path.join(root, 'examples'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.vfl'));
  assert.ok(models.length > 100);
  for (const name of models) {
    for (const [word, scope] of await words(fs.readFileSync(path.join(root, 'examples', name), 'utf8'))) {
      if (/^[\p{L}_0-9.]+$/u.test(word)) assert.notStrictEqual(scope, 'source', `${name}: ${word}`);
      if (keywords.test(word)) assert.match(scope, /^(keyword|storage|comment)/, `${name}: ${word}`);
    }
  }
});

test('what a double click selects and a completion replaces is a name without points', () => {
  const { wordPattern } = JSON.parse(fs.readFileSync('language-configuration.json', 'utf8'));
  const found = 'X ~ normal(h.β_1, 2e3)'.match(new RegExp(wordPattern.pattern, `${wordPattern.flags}g`));
  assert.deepStrictEqual(found, ['X', 'normal', 'h', 'β_1', 'e3']);
});

test('models in Markdown', async () => {
  const markdown = vfl.then(() => grammar('text.html.markdown'));
  const head = await words('```{vfl, output.var="m"}\nfor\n```', markdown);
  assert.ok(head.some(([word, scope]) => word === 'for' && scope === 'keyword.control'));
  const got = (await words('a ~ b\n```vfl\n// c\ny ~ normal(0, 1)\n```\ny ~ z', markdown)).map((pair) => pair.join(' '));
  assert.deepStrictEqual(got.slice(0, 1), ['a ~ b text.html.markdown']);
  assert.ok(got.includes('normal support.function.distribution') && got.includes('// c comment.line.double-slash'), got.join('\n'));
  assert.deepStrictEqual(got.slice(-1), ['y ~ z text.html.markdown']);
});
