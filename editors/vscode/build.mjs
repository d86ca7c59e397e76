// Bundles the extension; with "test" its tests, in which stand-ins take the place of the editor; with "package" also what a package needs beside it.
import * as esbuild from 'esbuild';
import fs from 'node:fs';
import path from 'node:path';

const [mode] = process.argv.slice(2);
const common = { bundle: true, platform: 'node', target: 'node20', format: 'cjs', logLevel: 'warning' };

/** notices writes the licences of the packages whose files are in the bundle. */
function notices(inputs) {
  const found = Object.keys(inputs).flatMap((file) => file.match(/^node_modules\/(?:@[^/]+\/)?[^/]+/) ?? []);
  const texts = [...new Set(found)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(fs.readFileSync(`${folder}/package.json`, 'utf8'));
    const file = fs.readdirSync(folder).find((entry) => /^licen[sc]e/i.test(entry));
    if (!file) throw new Error(`${name} has no file of its licence`);
    return `${name} ${version} (${license})\n\n${fs.readFileSync(path.join(folder, file), 'utf8').trim()}\n`;
  });
  fs.writeFileSync('dist/notices.txt', texts.join(`\n${'-'.repeat(80)}\n\n`));
}

if (mode === 'test') {
  const alias = { vscode: './test/standin/vscode.ts', 'vscode-languageclient/node': './test/standin/languageclient.ts' };
  fs.rmSync('build', { recursive: true, force: true });
  await esbuild.build({
    ...common,
    entryPoints: fs.readdirSync('test').filter((name) => name.endsWith('.test.ts')).map((name) => `test/${name}`),
    outdir: 'build/test',
    alias,
    external: ['vscode-oniguruma', 'vscode-textmate', 'vscode-languageserver-protocol'],
  });
} else {
  const { metafile } = await esbuild.build({
    ...common,
    entryPoints: ['src/extension.ts'],
    outfile: 'dist/extension.js',
    external: ['vscode'],
    minify: mode === 'package',
    metafile: true,
  });
  notices(metafile.inputs);
  if (mode === 'package') fs.copyFileSync('../../LICENSE', 'LICENSE');
}
