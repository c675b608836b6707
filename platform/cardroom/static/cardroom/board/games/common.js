// Elements shared by several games' tables.

import { back, silent } from '../cards.js'
import { h } from '../dom.js'
import { count, minus, sideMark } from '../words.js'

const HEAP = 3 // the most backs that a stock shows

const signed = (number, sign) => (sign && number > 0 ? `${sign}${number}` : minus(number))

/** The middle at the end of a deal or match: a title and a number for each side. */
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

/** A face-down pile whose height shows its size: one more back for every `each` cards. */
export const backs = (left, each) =>
  left
    ? Array.from({ length: Math.min(HEAP, Math.ceil(left / each)) }, () => silent(back()))
    : h('span', { class: 'slot' })

/** The stock, its number of cards, and a word on what that means. */
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

/** Parts of a phrase, separated by commas. */
export const listed = (parts) => parts.flatMap((part, i) => (i ? [', ', part] : [part]))
