// Cards as SVG elements that use the symbols of one cached file.

import { s } from './dom.js'
import { cardName } from './words.js'

let file = ''

/** Set the address of the file of symbols, before the first card is drawn. */
export function setCardFile(address) {
  file = address
}

const draw = (symbol, label, attributes) =>
  s(
    'svg',
    { role: 'img', 'aria-label': label, ...attributes },
    s('use', { href: `${file}#${symbol}` }),
  )

/** A card face up. `classes`: further classes; `path`: its path in the view, if it can be picked. */
export const face = (card, classes = '', path = null) =>
  draw(card, cardName(card), {
    class: `card ${classes}`.trim(),
    'data-card': card,
    'data-path': path,
  })

/** A card face down. */
export const back = (classes = '') =>
  draw('back', 'face-down card', { class: `card ${classes}`.trim(), 'data-back': true })

/** Hide a card from screen readers, because the text beside it names it. */
export function decorative(card) {
  card.removeAttribute('role')
  card.removeAttribute('aria-label')
  card.setAttribute('aria-hidden', 'true')
  return card
}
