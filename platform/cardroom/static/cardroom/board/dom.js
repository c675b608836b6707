// Creates elements in one line. Text stays text: nothing here parses markup.

const SVG = 'http://www.w3.org/2000/svg'

function fillElement(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue
    element.setAttribute(name, value === true ? '' : value)
  }
  const nodes = children.flat(Infinity).filter((child) => child || child === 0)
  element.append(...nodes)
  return element
}

/** An HTML element. Attributes and children that are null or false are left out; children may nest. */
export const h = (tag, attributes = {}, ...children) =>
  fillElement(document.createElement(tag), attributes, children)

/** An SVG element; otherwise like `h`. */
export const s = (tag, attributes = {}, ...children) =>
  fillElement(document.createElementNS(SVG, tag), attributes, children)

/** Show why a table could not be drawn. */
export function showFailure(root, error) {
  const words = `The table could not be loaded. ${error.message} Reload the page to try again.`
  root.prepend(h('p', { class: 'note bad', role: 'alert' }, words))
}
