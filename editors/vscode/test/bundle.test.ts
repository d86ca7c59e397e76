// The bundle that is packaged holds all that it needs but the editor.
import assert from 'node:assert';
import fs from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import test from 'node:test';

/** anything is a class, a function and a folder of more. */
const anything: object = new Proxy(class {}, { get: (of, name) => (name === 'prototype' ? of.prototype : anything), apply: () => anything });

test('the bundle loads', { skip: fs.existsSync('dist/extension.js') ? false : 'npm run build makes it' }, () => {
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const load = loader._load;
  loader._load = (request, ...rest) => (request === 'vscode' ? anything : load(request, ...rest));
  try {
    const { activate, deactivate } = require(path.resolve('dist/extension.js'));
    assert.deepStrictEqual([typeof activate, typeof deactivate], ['function', 'function']);
  } finally {
    loader._load = load;
  }
});
