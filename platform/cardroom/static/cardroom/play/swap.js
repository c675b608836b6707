// New content for an element, unless it is what is there: whoever is about to press a button there
// presses that one, and what has the focus keeps it.

import { h } from '../board/dom.js'

/**
 * @param {Element} element
 * @param {...any} children as h() takes them
 */
export function swap(element, ...children) {
  const wanted = h(element.tagName, {}, ...children)
  if (wanted.innerHTML === element.innerHTML) return
  element.replaceChildren(...wanted.childNodes)
}
