// Cards as elements: a <use> of one cached file of symbols.

import { s } from './dom.js'
import { cardName } from './words.js'

let file = ''

/** The address of the symbols, set once before the first card. */
export function useCardsOf(address) {
  file = address
}

const draw = (symbol, label, attributes) =>
  s(
    'svg',
    { role: 'img', 'aria-label': label, ...attributes },
    s('use', { href: `${file}#${symbol}` }),
  )

/** A card face up. `more`: further classes; `path`: its path in the view, if it can be picked. */
export const face = (card, more = '', path = null) =>
  draw(card, cardName(card), {
    class: `card ${more}`.trim(),
    'data-card': card,
    'data-path': path,
  })

/** A card face down. */
export const back = (more = '') =>
  draw('back', 'face-down card', { class: `card ${more}`.trim(), 'data-back': true })

/** A decorative card, hidden from screen readers because the text beside it names it. */
export function silent(card) {
  card.removeAttribute('role')
  card.removeAttribute('aria-label')
  card.setAttribute('aria-hidden', 'true')
  return card
}
