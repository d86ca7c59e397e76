// The vector functions in WebAssembly. They share the memory of the program, which exists once the program does:
// until then the program has functions that pass calls on.

/** What a program that is built with the tag kernels imports, and link, which is called with its memory before it runs. */
export function kernels(module) {
  let functions;
  const vflc = {};
  for (const { name } of WebAssembly.Module.exports(module)) vflc[name] = (...args) => functions[name](...args);
  return {
    imports: { vflc },
    async link(mem) {
      functions = (await WebAssembly.instantiate(module, { go: { mem } })).exports;
    },
  };
}

/** Whether the processor adds a product with one rounding here, as the functions must. */
export async function rounding(module) {
  const mem = new WebAssembly.Memory({ initial: 1 });
  const { fused } = (await WebAssembly.instantiate(module, { go: { mem } })).exports;
  const x = 1 + 2 ** -30; // x² = 1 + 2^-29 + 2^-60, of which rounding in between loses the last term
  return fused(x, x, -(1 + 2 ** -29)) === 2 ** -60;
}
