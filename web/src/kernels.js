// The vector functions in WebAssembly. They share the memory of the program, which exists once the program does: until
// then the program has functions that pass calls on.

/**
 * What a program that is built with the tag kernels imports, and link, which is called with its memory before it runs.
 * Without a module, as where the engine cannot compile it, the functions must not be called.
 */
export function kernels(program, module) {
  let functions;
  const vflc = {};
  for (const { module: of, name } of WebAssembly.Module.imports(program)) {
    if (of === "vflc") vflc[name] = (...args) => functions[name](...args);
  }
  return {
    imports: { vflc },
    async link(mem) {
      if (module) functions = (await WebAssembly.instantiate(module, { go: { mem } })).exports;
    },
  };
}

/** Whether a product that is added is rounded once here, as the functions must. */
export async function fused(module) {
  const mem = new WebAssembly.Memory({ initial: 1 });
  const { exports } = await WebAssembly.instantiate(module, { go: { mem } });
  const x = 1 + 2 ** -30; // x² = 1 + 2^-29 + 2^-60, of which a rounding in between loses the last term
  return exports.fused(x, x, -(1 + 2 ** -29)) === 2 ** -60;
}
