/** An element with properties and children; strings become text, never markup. */
export function el(tag, properties = {}, ...children) {
  const e = Object.assign(document.createElement(tag), properties);
  e.append(...children.filter((c) => c != null));
  return e;
}

export const $ = (id) => document.getElementById(id);
