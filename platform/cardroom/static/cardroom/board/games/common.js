// Elements shared by several games' tables.

import { back, decorative } from '../cards.js'
import { h } from '../dom.js'
import { count, numberText, sideMark } from '../words.js'

const MAX_BACKS = 3 // of a stock

const signed = (number, sign) => (sign && number > 0 ? `${sign}${number}` : numberText(number))

/** The middle at the end of a deal or match: a title and a number for each side. */
export const endPanel = (match, title, numbers, sign = '') =>
  h(
    'div',
    { class: 'none' },
    h('b', {}, title),
    h(
      'p',
      { class: 'gains' },
      match.sides.map((_, side) =>
        h('span', {}, sideMark(side), ` ${signed(numbers[side], sign)}`),
      ),
    ),
  )

/** A face-down pile with one back for every `perBack` cards. */
export const backs = (left, perBack) =>
  left
    ? Array.from({ length: Math.min(MAX_BACKS, Math.ceil(left / perBack)) }, () =>
        decorative(back()),
      )
    : h('span', { class: 'slot' })

/** The stock, its number of cards, and a hint about it. */
export const stockNode = (left, perBack, hint = null) => [
  h(
    'div',
    {
      class: 'pile',
      role: 'group',
      'aria-label': `stock: ${count(left, 'card')}`,
      'data-path': 'stock',
    },
    backs(left, perBack),
  ),
  h('div', {}, 'stock', h('b', {}, count(left, 'card')), hint),
]

/** Parts of a phrase, separated by commas. */
export const commaSeparated = (parts) => parts.flatMap((part, i) => (i ? [', ', part] : [part]))
