// Runs a test that is built for js/wasm with the tag kernels, in Node: go test -exec "node web/exec.mjs KERNELS". GOROOT
// names the folder of Go.
import { readFileSync } from "node:fs";
import * as fs from "node:fs";
import path from "node:path";
import { setFlagsFromString } from "node:v8";
import { kernels } from "./src/kernels.js";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // of Node 20; later ones have it anyway
const [module, program, ...args] = process.argv.slice(2);
globalThis.fs = fs;
globalThis.path = path;
globalThis.TextEncoder ??= (await import("node:util")).TextEncoder;
await import(path.join(process.env.GOROOT, "lib", "wasm", "wasm_exec.js"));
const go = new globalThis.Go();
go.argv = [program, ...args];
go.env = { TMPDIR: "/tmp", HOME: "/", ...(process.env.VFLC_KERNELS && { VFLC_KERNELS: process.env.VFLC_KERNELS }) };
go.exit = process.exit;
const compiled = await WebAssembly.compile(readFileSync(program));
const { imports, link } = kernels(compiled, await WebAssembly.compile(readFileSync(module)));
const instance = await WebAssembly.instantiate(compiled, { ...go.importObject, ...imports });
await link(instance.exports.mem);
process.on("exit", (code) => {
  if (code === 0 && !go.exited) process.exitCode = 1;
});
await go.run(instance);
