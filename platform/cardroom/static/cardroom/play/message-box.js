// Draws one message above the hand: the reason for a refusal, a notice, or an error.

import { h } from '../board/dom.js'

/**
 * @param {HTMLElement} box
 * @param {any[]} words
 * @param {string} clause
 * @param {string} rules address of the rules
 * @param {boolean} [plain] whether the message is not a refusal
 */
export function showMessage(box, words, clause, rules, plain = false) {
  const link = clause
    ? [' ', h('a', { href: `${rules}#${clause}`, target: '_blank' }, clause)]
    : null
  box.classList.toggle('plain', plain)
  box.replaceChildren(
    h('p', {}, words, link),
    h(
      'button',
      { class: 'btn bare icon', type: 'button', 'data-do': 'close-why', 'aria-label': 'Close' },
      '×',
    ),
  )
  box.hidden = false
}
