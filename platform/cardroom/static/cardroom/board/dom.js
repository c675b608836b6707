// Creates elements in one line. Text stays text: nothing here parses markup.

const SVG = 'http://www.w3.org/2000/svg'

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    element.setAttribute(name, value === true ? '' : value)
  }
  const shown = children.flat(Infinity).filter((child) => child || child === 0)
  element.append(...shown)
  return element
}

/** An HTML element; attributes and children that are null or false are left out, children may nest. */
export const h = (tag, attributes = {}, ...children) =>
  fill(document.createElement(tag), attributes, children)

/** An SVG element; otherwise like `h`. */
export const s = (tag, attributes = {}, ...children) =>
  fill(document.createElementNS(SVG, tag), attributes, children)
