// The trees of test/corpus, which is in the form that `tree-sitter test` reads. With UPDATE=1 in the environment they are written anew.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { mistakes, parse } = require('./language');

const file = path.join(__dirname, 'corpus', 'statements.txt');
const parts = fs.readFileSync(file, 'utf8').split(/^=+\n(.*)\n=+\n\n/m).slice(1);

/** written puts each node on a line of its own. */
function written(node, field, depth) {
  const head = `${'  '.repeat(depth)}${field ? `${field}: ` : ''}(${node.type}`;
  const inner = [];
  for (const cursor = node.walk(), more = { is: cursor.gotoFirstChild() }; more.is; more.is = cursor.gotoNextSibling()) {
    if (cursor.nodeIsNamed) inner.push(written(cursor.currentNode, cursor.currentFieldName, depth + 1));
  }
  return [head, ...inner].join('\n') + ')';
}

let anew = '';
for (let i = 0; i < parts.length; i += 2) {
  const [text, tree] = parts[i + 1].split('\n\n---\n\n');
  test(parts[i], () => {
    const root = parse(text);
    assert.deepStrictEqual(mistakes(root), []);
    const got = written(root, null, 0);
    anew += `${'='.repeat(20)}\n${parts[i]}\n${'='.repeat(20)}\n\n${text}\n\n---\n\n${got}\n\n`;
    if (!process.env.UPDATE) assert.strictEqual(got, tree.trimEnd());
  });
}

test.after(() => {
  if (process.env.UPDATE) fs.writeFileSync(file, anew);
});
