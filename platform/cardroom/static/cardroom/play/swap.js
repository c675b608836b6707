// Replaces the content of an element unless it is unchanged, so that buttons stay the same elements and keep
// the focus.

import { h } from '../board/dom.js'

/**
 * @param {Element} element
 * @param {...any} children as h() takes them
 */
export function swap(element, ...children) {
  const template = h(element.tagName, {}, ...children)
  if (template.innerHTML === element.innerHTML) return
  element.replaceChildren(...template.childNodes)
}
