// The parser, and what the tests read.
'use strict';
const fs = require('node:fs');
const path = require('node:path');
const Parser = require('tree-sitter');

const language = require('../build/vfl.node');
const parser = new Parser();
parser.setLanguage(language);

const root = path.join(__dirname, '..', '..', '..');

/** parse returns the tree of a text. The parser takes longer texts in pieces alone. */
function parse(text) {
  return parser.parse((at) => text.slice(at, at + 4096)).rootNode;
}

/** mistakes lists the places where a tree does not follow the grammar, as LINE:COLUMN. */
function mistakes(node) {
  if (node.isError || node.isMissing) return [`${node.startPosition.row + 1}:${node.startPosition.column + 1} ${node.text.slice(0, 60)}`];
  return node.hasError ? node.children.flatMap(mistakes) : [];
}

/** files lists the files below a folder of the project whose names end so. */
function files(folder, ending) {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true })
    .filter((name) => name.endsWith(ending))
    .map((name) => path.join(folder, name));
}

const read = (name) => fs.readFileSync(path.join(root, name), 'utf8');

module.exports = { Parser, files, language, mistakes, parse, read };
