// A link holds the text of the model and the settings, compressed, behind the #, which browsers do not send to servers.
// Tables are never in it.
async function through(bytes, transform) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(transform)).arrayBuffer());
}

/** A state, any JSON, as the fragment of a link. */
export async function packed(state) {
  const bytes = await through(new TextEncoder().encode(JSON.stringify(state)), new CompressionStream("deflate-raw"));
  return btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** The state of a fragment; null if there is none, or it cannot be read. */
export async function unpacked(fragment) {
  try {
    const text = atob(fragment.replaceAll("-", "+").replaceAll("_", "/"));
    const bytes = await through(Uint8Array.from(text, (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw"));
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null;
  }
}
