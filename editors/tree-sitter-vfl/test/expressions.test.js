// The trees of expressions are those of the compiler, which go test ./editors -update writes.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { mistakes, parse } = require('./language');
const examples = require('./expressions.json');

const form = (...parts) => `(${parts.join(' ')})`;
const child = (node, field) => node.childForFieldName(field);
const rest = (node, first) => node.namedChildren.filter((c) => first === null || c.id !== first.id).map(shape);

const shapes = {
  number: (n) => n.text,
  string: (n) => n.text,
  name: (n) => n.text,
  identifier: (n) => n.text,
  parenthesized: (n) => form('paren', shape(n.namedChild(0))),
  unary: (n) => form(child(n, 'operator').text, shape(n.namedChild(0))),
  binary: joined,
  power: joined,
  transpose: (n) => form("'", shape(n.namedChild(0))),
  array: (n) => form('array', ...n.namedChildren.map(shape)),
  index: (n) => form('index', shape(child(n, 'of')), ...rest(n, child(n, 'of'))),
  slice: (n) => form(':', ...['from', 'to'].map((end) => (child(n, end) ? shape(child(n, end)) : '_'))),
  comprehension: (n) => each('each', n),
  call: (n) => {
    const name = child(n, 'function');
    if (child(n, 'variable')) return each(name.text, n);
    const groups = n.children.some((c) => c.type === 'by') ? ['by'] : [];
    return form('call', name.text, ...groups, ...rest(n, name));
  },
  recursion: (n) => form('recur', ...n.namedChildren.filter((c) => c.type === 'entry').map(shape), ...range(n)),
  entry: (n) => form(child(n, 'name').text, shape(child(n, 'index')), shape(child(n, 'value'))),
};

function joined(n) {
  return form(child(n, 'operator').text, shape(child(n, 'left')), shape(child(n, 'right')));
}

function range(n) {
  return [child(n, 'variable').text, shape(child(n, 'over'))];
}

function each(head, n) {
  const body = n.namedChildren.find((c) => c.id !== child(n, 'function')?.id);
  return form(head, shape(body), ...range(n));
}

/** shape prints the tree of an expression, each operation before what it joins. */
function shape(node) {
  return shapes[node.type](node);
}

function roots(statement) {
  if (statement.type === 'let_statement') return [child(statement, 'value')];
  const argument = child(statement, 'distribution').namedChildren.find((c) => c.type === 'argument');
  const weights = statement.namedChildren.find((c) => c.type === 'weights');
  return [child(statement, 'left'), argument.lastNamedChild, weights.namedChild(0), child(statement, 'power')].filter(Boolean);
}

test(`${examples.length} expressions have the trees of the compiler`, () => {
  assert.ok(examples.length >= 300);
  for (const { text, trees } of examples) {
    const file = parse(text);
    assert.deepStrictEqual(mistakes(file), [], text);
    assert.deepStrictEqual(roots(file.namedChild(0)).map(shape), trees, text);
  }
});
