// What the compiler reads, this grammar reads: every model of the project, the right examples of every message, the examples of the documentation.
'use strict';
const assert = require('node:assert');
const test = require('node:test');
const { files, mistakes, parse, read } = require('./language');

/** whole parses texts by name, and says where they do not follow the grammar. */
function whole(texts, least) {
  assert.ok(texts.length >= least, `${texts.length} texts`);
  const wrong = texts.flatMap(([name, text]) => mistakes(parse(text)).map((m) => `${name}:${m}`));
  assert.deepStrictEqual(wrong, []);
}

test('models', () => {
  const names = ['examples', 'stdlib', 'bench', 'repl'].flatMap((folder) => files(folder, '.vfl'));
  whole(
    names.map((name) => [name, read(name)]),
    150,
  );
});

test('blocks of the documentation', () => {
  const blocks = files('docs', '.md').flatMap((name) =>
    [...read(name).matchAll(/^```vfl\n([^]*?)^```$/gm)].map((m, i) => [`${name}, block ${i + 1}`, m[1]]),
  );
  whole(blocks, 20);
});

/** example returns the models of one part of a message's page: the part itself, or the files in it. */
function example(name, part) {
  const text = read(name).split(`=== ${part}\n`)[1].split('\n=== ')[0];
  const [head, ...files] = text.split(/^-- (.*) --\n/m);
  if (files.length === 0) return head.startsWith('vflc ') || head.startsWith('{') ? [] : [[name, head]];
  return files.flatMap((file, i) => (i % 2 === 0 && file.endsWith('.vfl') ? [[name, files[i + 1]]] : []));
}

const pages = files('lang/diag/pages', '.txt');

test('right examples of messages', () => {
  whole(
    pages.flatMap((name) => example(name, 'right')),
    200,
  );
});

// What a message of the parser refuses this grammar refuses too, but for what stands in strings and comments, for depth, and for rules of single words.
test('wrong examples of the parser', () => {
  const beyond = ['V0101', 'V0103', 'V0105', 'V0108', 'V0122', 'V0123', 'V0124', 'V0125', 'V0126', 'V0127'];
  const wrong = pages.filter((name) => name.includes('V01')).flatMap((name) => example(name, 'wrong'));
  const read = wrong.filter(([, text]) => mistakes(parse(text)).length === 0);
  assert.ok(wrong.length > 20);
  assert.deepStrictEqual(
    read.map(([name]) => name.match(/V\d+/)[0]),
    beyond,
  );
});
