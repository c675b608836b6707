// Shared by Cassino and Zwicker: loose cards in the order of their arrival, builds in trays, captured piles
// on which the cards that cleared the table lie crosswise.

import { back, decorative, face } from '../cards.js'
import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { groupsOf } from '../sums.js'
import { cardText, count, isCard, numberWord, sideMark } from '../words.js'
import { commaSeparated, endPanel, stockNode } from './common.js'

const TIMES = { 1: 'once more', 2: 'twice more' }
const CROSSWISE = 3 // the most cards that a pile shows crosswise

const PLAYED = /^X\d*|^../

/** The card that the move of a frame plays. */
export const playedCard = (frame) => frame.move?.match(PLAYED)[0] ?? null

/**
 * The items of a table, each with a `key` (equal items of two packs get numbers) and its `path` in the view.
 */
export function keyedItems(table) {
  const seen = new Map()
  return table.map((item, at) => {
    const number = seen.get(item.id) ?? 0
    seen.set(item.id, number + 1)
    return { ...item, key: `${item.id}#${number}`, path: `table.${at}` }
  })
}

/**
 * Data that a single frame lacks, by frame: `arrivals`, a number for each item on the table, which are shown in
 * this order; `added`, the items that the move added; `cleared`, the cards with which each side has cleared the
 * table. `clearing` is the type of event of a clearing move.
 */
export function prepareTable(match, clearing) {
  let arrivals = new Map()
  let cleared = match.sides.map(() => [])
  return match.frames.map((frame) => {
    if (frame.move === null && eventOf(frame, 'deal')) {
      arrivals = new Map()
      cleared = match.sides.map(() => [])
    }
    const keys = keyedItems(frame.view.table).map((item) => item.key)
    const arrived = keys.filter((key) => !arrivals.has(key))
    const last = Math.max(-1, ...arrivals.values())
    arrivals = new Map([
      ...[...arrivals].filter(([key]) => keys.includes(key)),
      ...arrived.map((key, i) => [key, last + 1 + i]),
    ])
    if (eventOf(frame, clearing)) {
      const side = match.sideOf(frame.seat)
      cleared = cleared.map((cards, own) => (own === side ? [...cards, playedCard(frame)] : cards))
    }
    return { arrivals, cleared, added: new Set(frame.move === null ? [] : arrived) }
  })
}

// --- the middle -----------------------------------------------------------------------------------

/** The class for the size of the middle's cards, by the number of items there. */
function sizeClass(items) {
  const width = items.reduce(
    (sum, item) => sum + (item.kind === 'card' ? 1 : 1.5 + 0.5 * item.cards.length),
    0,
  )
  const builds = items.filter((item) => item.kind !== 'card').length
  if (width <= 10 && builds < 3) return ''
  if (width <= 18) return ' many'
  return width <= 32 ? ' crowd' : ' throng'
}

/** The text in place of the items: the table is empty, or the deal or match is over. */
function emptyText(scene) {
  const { match, frame } = scene
  const end = eventOf(frame, 'end')
  if (end) return endPanel(match, 'The match is over', end.result.scores)
  const scored = eventOf(frame, 'score')
  if (scored) return endPanel(match, `Deal ${frame.deal + 1} is over`, scored.points, '+')
  return h('div', { class: 'none' }, 'the table is empty')
}

/** The loose cards in one row, then the builds, which `build(item)` draws. */
export function tableCards(scene, build) {
  const { arrivals, added } = scene.extra
  const items = keyedItems(scene.view.table).sort(
    (a, b) => arrivals.get(a.key) - arrivals.get(b.key),
  )
  const loose = items.filter((item) => item.kind === 'card')
  const builds = items.filter((item) => item.kind !== 'card')
  const done = eventOf(scene.frame, 'score') || eventOf(scene.frame, 'end')
  return h(
    'div',
    { class: `lie${sizeClass(items)}` },
    items.length && !done ? null : emptyText(scene),
    h(
      'div',
      { class: 'loose', role: 'group', 'aria-label': `loose cards: ${loose.length}` },
      loose.map((item) => face(item.cards[0], added.has(item.key) ? 'new' : '', item.path)),
    ),
    builds.map(build),
  )
}

/** A build in its tray, with a brass `tag` and a caption of two lines. */
export function tray(scene, item, { label, tag, square = false, says, by }) {
  const isNew = scene.extra.added.has(item.key)
  return h(
    'div',
    {
      class: `build${isNew ? ' new' : ''}`,
      role: 'group',
      'aria-label': label,
      'data-item': item.id,
      'data-path': item.path,
    },
    h(
      'div',
      { class: 'tray' },
      h(
        'div',
        { class: 'fan' },
        item.cards.map((card) => face(card)),
      ),
      h('span', { class: `tag${square ? ' pair' : ''}`, 'aria-hidden': 'true' }, tag),
    ),
    h('p', {}, says, h('span', {}, `${by} ${scene.nameOf(item.by)}${isNew ? ', just now' : ''}`)),
  )
}

// --- piles ----------------------------------------------------------------------------------------

/** A side's captured pile; `words` lists its scoring cards. */
export function capturedPile(scene, side, words) {
  const held = scene.view.captured[side].length
  const crosswise = (scene.extra.cleared[side] ?? []).slice(-CROSSWISE)
  const heap = held
    ? [decorative(back()), crosswise.map((card, i) => decorative(face(card, `sweep sweep-${i}`)))]
    : h('span', { class: 'slot' })
  return [
    h(
      'div',
      {
        class: `pile has${crosswise.length ? ' swept' : ''}`,
        role: 'group',
        'aria-label': `captured by ${scene.sideNames(side)}: ${count(held, 'card')}`,
      },
      heap,
    ),
    h(
      'div',
      {},
      h('span', { class: 'who' }, sideMark(side), ' captured'),
      h('b', {}, held ? count(held, 'card') : 'nothing yet'),
      commaSeparated(words.filter(Boolean)),
    ),
  ]
}

/** The stock, and how many more times `hand` cards each will be dealt from it. */
export function dealtStock(scene, hand) {
  const left = scene.view.stock
  const rounds = Math.ceil(left / (hand * scene.match.total))
  return stockNode(
    left,
    12,
    left ? `dealt out ${TIMES[rounds] ?? `${numberWord(rounds)} more times`}` : 'all dealt out',
  )
}

// --- the end of a deal ----------------------------------------------------------------------------

/** The cards of each pile that `fits` accepts. */
export const filterPiles = (piles, fits) => piles.map((cards) => ({ cards: cards.filter(fits) }))

/** The share of each pile in the cards of all piles. */
export function shares(piles) {
  const all = piles.reduce((sum, cards) => sum + cards.length, 0)
  return piles.map((cards) => ({ bar: [cards.length, all] }))
}

/** The cards with which each side cleared the table, or only their number if the page lacks frames. */
export const clearingCards = (scene, numbers) =>
  numbers.map((number, side) => {
    const cards = scene.extra.cleared[side] ?? []
    return cards.length === number
      ? { cards, crosswise: true }
      : { words: number ? `×${number}` : '' }
  })

// --- moves ----------------------------------------------------------------------------------------

/** A capture such as 9♦×2♦ 7♣ [9]; `itemText` writes the items. */
export function captureText(frame, itemText) {
  const card = playedCard(frame)
  const items = frame.move
    .slice(card.length + 1)
    .split(',')
    .map(itemText)
  return [cardText(card), '×', items.flatMap((item, i) => (i ? [' ', item] : [item]))]
}

const rankOf = (card) => (card[0] === 'X' ? null : card[0])
const signOf = (card) => (card[0] === 'T' ? '10' : card[0])

/** An item in the form that `groupsOf` uses; `valuesOf(card)`: the possible values of a card. */
function addend(item, valuesOf) {
  const [card] = item.cards
  const loose = item.kind === 'card'
  return {
    path: item.path,
    rank: loose ? rankOf(card) : (item.rank ?? null),
    values: loose ? valuesOf(card) : [item.value].filter(Boolean),
    sign: signOf(item.rank ?? card),
  }
}

/** The items of a table that a capture names, each used once. */
function namedItems(table, ids) {
  const free = keyedItems(table)
  return ids.map((id) => {
    const at = free.findIndex((item) => item.id === id)
    return at < 0 ? null : free.splice(at, 1)[0]
  })
}

/** The part of a move that other players see before it takes effect: its card, and the groups it takes. */
export function stagedOf(frame, before, valuesOf) {
  const card = playedCard(frame)
  if (!isCard(card)) return { cards: [], takes: [], words: 'claims the win' }
  const isCapture = frame.move[card.length] === 'x'
  if (!isCapture || !before) return { cards: [card], takes: [] }
  const taken = namedItems(before.view.table, frame.move.slice(card.length + 1).split(','))
  const items = taken.filter(Boolean).map((item) => addend(item, valuesOf))
  const taker = { rank: rankOf(card), values: valuesOf(card) }
  return { cards: [card], takes: groupsOf(taker, items), toPile: true }
}

/** The events after a move in which nobody had a choice, as a line of the list. */
export function dividerOf(frame, owner) {
  if (eventOf(frame, 'redeal')) return 'new cards dealt'
  const rest = eventOf(frame, 'rest')
  if (!rest?.cards.length) return null
  return rest[owner] === null
    ? 'the remaining cards stay'
    : `the last to capture gets the remaining ${count(rest.cards.length, 'card')}`
}
