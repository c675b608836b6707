// New content for an element, unless it is unchanged: a button that is about to be pressed stays the same
// element, and the focus stays where it is.

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
