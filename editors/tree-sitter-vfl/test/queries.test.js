// What the queries find.
'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const path = require('node:path');
const test = require('node:test');
const { Parser, language, parse } = require('./language');

const query = (name) => new Parser.Query(language, fs.readFileSync(path.join(__dirname, '..', 'queries', name), 'utf8'));

/** found lists the texts and names of captures; of several of one text the last holds, as in editors. */
function found(name, text) {
  const last = new Map();
  for (const { name: capture, node } of query(name).captures(parse(text))) last.set(node.startIndex, `${node.text.split('\n')[0]} ${capture}`);
  return [...last.entries()].sort(([a], [b]) => a - b).map(([, value]) => value);
}

test('highlights', () => {
  const text = '/// doc\ndata y : real[N] @ shared\nparam my ~ mine(1)\ny ~ normal(dot(x, my), sd = f(2)) // c';
  assert.deepStrictEqual(
    found('highlights.scm', text).filter((line) => !line.includes('punctuation')),
    [
      '/// doc comment.documentation',
      'data keyword',
      'real type.builtin',
      'N variable',
      'shared module',
      'param keyword',
      '~ operator',
      'mine function',
      '1 number',
      'y variable',
      '~ operator',
      'normal function.builtin',
      'dot function.builtin',
      'x variable',
      'my variable',
      'sd variable.parameter',
      '= operator',
      'f function',
      '2 number',
      '// c comment',
    ],
  );
});

test('declarations', () => {
  const text = 'fn f(x) = x\nparam a ~ normal(0, 1)\nlet s = sum(f(a) * k for k in 1..3)';
  const names = found('locals.scm', text).filter((line) => line.includes('definition') || line.includes('reference'));
  assert.deepStrictEqual(names, [
    'f local.definition.function',
    'x local.definition.parameter',
    'x local.reference',
    'a local.definition.var',
    's local.definition.var',
    'sum local.reference',
    'f local.reference',
    'a local.reference',
    'k local.reference',
    'k local.definition.var',
  ]);
  assert.deepStrictEqual(
    query('tags.scm')
      .captures(parse(text))
      .filter(({ name }) => name === 'name')
      .map(({ node }) => node.text),
    ['f', 'a', 'normal', 's', 'sum', 'f'],
  );
});

test('folds', () => {
  assert.deepStrictEqual(found('folds.scm', '// a\n// b\nfn f(x) {\n  return x\n}'), ['// a fold', '// b fold', '{ fold']);
});
