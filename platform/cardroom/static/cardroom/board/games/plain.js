// A game without a renderer: all data of the view, as cards, numbers and text.

import { back, decorative, face } from '../cards.js'
import { h } from '../dom.js'
import { count, isCard, richText } from '../words.js'

export const name = 'plain'
/** The middle scrolls, because the size of an unknown game's view is unknown. */
export const scrolls = true

// Keys that are shown elsewhere on the table or do not interest viewers.
const HIDDEN_KEYS = new Set([
  'game',
  'format',
  'seat',
  'sides',
  'deal',
  'dealer',
  'turn',
  'to_act',
  'hand',
  'hands',
  'hand_sizes',
  'stock',
  'stock_cards',
  'scores',
])

export const prepare = (match) => match.frames.map(() => null)
export const pile = () => null
export const liftedCard = () => null
export const tick = () => null
export const divider = () => null
export const moveText = (frame) => richText(frame.move)
export const marks = () => []
export const movedCard = (frame) =>
  frame.move.match(/^[A2-9TJQK][CDHS]|^X(?:15|20|25|30)?/)?.[0] ?? null

const keyText = (key) => key.replaceAll('_', ' ')

/** A value of the view: cards as cards, nested lists and objects, other values as text. */
function valueNode(value, scene, path) {
  if (isCard(value)) return face(value, '', path)
  if (Array.isArray(value)) return listNode(value, scene, path)
  if (value !== null && typeof value === 'object')
    return tableNode(Object.entries(value), scene, path)
  return h('span', {}, value === null ? '–' : richText(String(value)))
}

function listNode(values, scene, path) {
  if (!values.length) return h('span', {}, '–')
  if (values.every(isCard)) {
    return h(
      'div',
      { class: 'loose', role: 'group', 'aria-label': count(values.length, 'card') },
      values.map((card, i) => face(card, '', `${path}.${i}`)),
    )
  }
  if (values.every((value) => value === null || typeof value !== 'object')) {
    return h('span', {}, values.map(String).join(', '))
  }
  if (
    values.every((value) => value !== null && typeof value === 'object' && !Array.isArray(value))
  ) {
    return h(
      'ul',
      { class: 'rows' },
      values.map((item, i) => rowNode(item, `${path}.${i}`)),
    )
  }
  const ownerOf = ownerNames(values.length, scene)
  return tableNode(
    values.map((value, i) => [i, value]),
    scene,
    path,
    ownerOf,
  )
}

/** One item of a list on one line: its cards, then its other data. */
function rowNode(item, path) {
  const parts = Object.entries(item)
  const cards = parts.flatMap(([, value]) =>
    Array.isArray(value) && value.every(isCard) ? value : [],
  )
  const words = parts
    .filter(([, value]) => value !== null && typeof value !== 'object')
    .map(([key, value]) => `${keyText(key)} ${value}`)
  return h(
    'li',
    { 'data-path': path },
    cards.map((card) => face(card)),
    h('span', {}, richText(words.join(', '))),
  )
}

/** The owners of a list's items, if there are as many items as sides or seats. */
function ownerNames(length, scene) {
  if (length === scene.match.sides.length) return scene.sideNames
  if (length === scene.match.total) return scene.nameOf
  return (i) => String(i + 1)
}

const tableNode = (entries, scene, path = '', label = keyText) =>
  h(
    'dl',
    { class: 'things' },
    entries.map(([key, value]) => [
      h('dt', {}, label(key)),
      h('dd', {}, valueNode(value, scene, path ? `${path}.${key}` : String(key))),
    ]),
  )

export function middle(scene) {
  const entries = Object.entries(scene.view).filter(([key]) => !HIDDEN_KEYS.has(key))
  return tableNode(entries, scene)
}

export function stock(scene) {
  const left = scene.view.stock
  if (typeof left !== 'number') return null
  return [
    h(
      'div',
      { class: 'pile', role: 'group', 'aria-label': `stock: ${count(left, 'card')}` },
      left ? decorative(back()) : h('span', { class: 'slot' }),
    ),
    h('div', {}, 'stock', h('b', {}, count(left, 'card'))),
  ]
}
