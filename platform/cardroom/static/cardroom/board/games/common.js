// Pieces that several games' tables share.

import { back, silent } from '../cards.js'
import { h } from '../dom.js'
import { count, minus, sideMark } from '../words.js'

const HEAP = 3 // backs that a stock shows at most

const signed = (number, sign) => (sign && number > 0 ? `${sign}${number}` : minus(number))

/** What lies in the middle when a deal or the match is over: a title and a number for each side. */
export const over = (match, title, numbers, sign = '') =>
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

/** A face-down pile as high as it has cards: one more back for every `each`. */
export const backs = (left, each) =>
  left
    ? Array.from({ length: Math.min(HEAP, Math.ceil(left / each)) }, () => silent(back()))
    : h('span', { class: 'slot' })

/** The stock with its number of cards and a word on what that means. */
export const stockOf = (left, each, hint = null) => [
  h(
    'div',
    {
      class: 'pile',
      role: 'group',
      'aria-label': `stock: ${count(left, 'card')}`,
      'data-path': 'stock',
    },
    backs(left, each),
  ),
  h('div', {}, 'stock', h('b', {}, count(left, 'card')), hint),
]

/** Parts of a phrase with commas between them. */
export const listed = (parts) => parts.flatMap((part, i) => (i ? [', ', part] : [part]))
