// Common to Cassino and Zwicker: loose cards in the order of their arrival, builds in trays, captured piles
// with the cards that cleared the table laid crosswise.

import { back, face, silent } from '../cards.js'
import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { groupsOf } from '../sums.js'
import { cardText, count, isCard, numberWord, sideMark } from '../words.js'
import { listed, over, stockOf } from './common.js'

const TIMES = { 1: 'once more', 2: 'twice more' } // the number of further deals from the stock, as text
const CROSSWISE = 3 // the most cards that a pile shows crosswise

const PLAYED = /^X\d*|^../

/** The card that the move of a frame plays. */
export const played = (frame) => frame.move?.match(PLAYED)[0] ?? null

/**
 * The items of a table, each with a `key` (equal items of two packs get numbers) and its `path` in the view.
 */
export function keyed(table) {
  const seen = new Map()
  return table.map((item, at) => {
    const number = seen.get(item.id) ?? 0
    seen.set(item.id, number + 1)
    return { ...item, key: `${item.id}#${number}`, path: `table.${at}` }
  })
}

/**
 * Data that a single frame lacks, by frame: the arrival of each item on the table (items are shown in this
 * order), the items that the move added, and the cards with which each side cleared the table (event
 * `clearing`).
 */
export function prepareTable(match, clearing) {
  let since = new Map()
  let cleared = match.sides.map(() => [])
  return match.frames.map((frame) => {
    if (frame.move === null && eventOf(frame, 'deal')) {
      since = new Map()
      cleared = match.sides.map(() => [])
    }
    const keys = keyed(frame.view.table).map((item) => item.key)
    const come = keys.filter((key) => !since.has(key))
    const last = Math.max(-1, ...since.values())
    since = new Map([
      ...[...since].filter(([key]) => keys.includes(key)),
      ...come.map((key, i) => [key, last + 1 + i]),
    ])
    if (eventOf(frame, clearing)) {
      const side = match.sideOf(frame.seat)
      cleared = cleared.map((cards, own) => (own === side ? [...cards, played(frame)] : cards))
    }
    return { since, cleared, fresh: new Set(frame.move === null ? [] : come) }
  })
}

// --- the middle -----------------------------------------------------------------------------------

/** A class for the size of the middle's cards, by the number of things that lie there. */
function crowd(items) {
  const room = items.reduce(
    (sum, item) => sum + (item.kind === 'card' ? 1 : 1.5 + 0.5 * item.cards.length),
    0,
  )
  const builds = items.filter((item) => item.kind !== 'card').length
  if (room <= 10 && builds < 3) return ''
  if (room <= 18) return ' many'
  return room <= 32 ? ' crowd' : ' throng'
}

/** The text of an empty table: that it is empty, or how the deal or match ended. */
function emptyWords(scene) {
  const { match, frame } = scene
  const end = eventOf(frame, 'end')
  if (end) return over(match, 'The match is over', end.result.scores)
  const scored = eventOf(frame, 'score')
  if (scored) return over(match, `Deal ${frame.deal + 1} is over`, scored.points, '+')
  return h('div', { class: 'none' }, 'the table is empty')
}

/** The loose cards in one row, then each build as drawn by `build(item)`. */
export function lie(scene, build) {
  const { since, fresh } = scene.extra
  const items = keyed(scene.view.table).sort((a, b) => since.get(a.key) - since.get(b.key))
  const loose = items.filter((item) => item.kind === 'card')
  const builds = items.filter((item) => item.kind !== 'card')
  const done = eventOf(scene.frame, 'score') || eventOf(scene.frame, 'end')
  return h(
    'div',
    { class: `lie${crowd(items)}` },
    items.length && !done ? null : emptyWords(scene),
    h(
      'div',
      { class: 'loose', role: 'group', 'aria-label': `loose cards: ${loose.length}` },
      loose.map((item) => face(item.cards[0], fresh.has(item.key) ? 'new' : '', item.path)),
    ),
    builds.map(build),
  )
}

/** A build in its tray: brass `tag`, then the two lines of its caption. */
export function tray(scene, item, { label, tag, square = false, says, by }) {
  const isNew = scene.extra.fresh.has(item.key)
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

/** A side's captured pile: `words` list its scoring cards. */
export function captured(scene, side, words) {
  const held = scene.view.captured[side].length
  const crosswise = (scene.extra.cleared[side] ?? []).slice(-CROSSWISE)
  const heap = held
    ? [silent(back()), crosswise.map((card, i) => silent(face(card, `sweep sweep-${i}`)))]
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
      listed(words.filter(Boolean)),
    ),
  ]
}

/** The stock, and how often cards will be dealt out again at `hand` each. */
export function stockFor(scene, hand) {
  const left = scene.view.stock
  const rounds = Math.ceil(left / (hand * scene.match.total))
  return stockOf(
    left,
    12,
    left ? `dealt out ${TIMES[rounds] ?? `${numberWord(rounds)} more times`}` : 'all dealt out',
  )
}

// --- the end of a deal ----------------------------------------------------------------------------

/** The cards of each pile that `fits` accepts. */
export const holding = (piles, fits) => piles.map((cards) => ({ cards: cards.filter(fits) }))

/** For each pile, the share of all its cards. */
export function shares(piles) {
  const all = piles.reduce((sum, cards) => sum + cards.length, 0)
  return piles.map((cards) => ({ bar: [cards.length, all] }))
}

/** The cards with which each side cleared the table; their number if the page missed those frames. */
export const cleared = (scene, numbers) =>
  numbers.map((number, side) => {
    const cards = scene.extra.cleared[side] ?? []
    return cards.length === number
      ? { cards, crosswise: true }
      : { words: number ? `×${number}` : '' }
  })

// --- moves ----------------------------------------------------------------------------------------

/** 9♦×2♦ 7♣ [9]: a capture, items as `itemText` writes them. */
export function captureText(frame, itemText) {
  const card = played(frame)
  const items = frame.move
    .slice(card.length + 1)
    .split(',')
    .map(itemText)
  return [cardText(card), '×', items.flatMap((item, i) => (i ? [' ', item] : [item]))]
}

const rankOf = (card) => (card[0] === 'X' ? null : card[0])
const signOf = (card) => (card[0] === 'T' ? '10' : card[0])

/** An item in the form that `groupsOf` uses; `valuesOf(card)`: the possible values of a card here. */
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

/** The items of a table that a capture names, each once. */
function named(table, ids) {
  const free = keyed(table)
  return ids.map((id) => {
    const at = free.findIndex((item) => item.id === id)
    return at < 0 ? null : free.splice(at, 1)[0]
  })
}

/** The part of a move that other players see: its card, and the groups that the card takes. */
export function stagedOf(frame, before, valuesOf) {
  const card = played(frame)
  if (!isCard(card)) return { cards: [], takes: [], words: 'claims the win' }
  const isCapture = frame.move[card.length] === 'x'
  if (!isCapture || !before) return { cards: [card], takes: [] }
  const taken = named(before.view.table, frame.move.slice(card.length + 1).split(','))
  const items = taken.filter(Boolean).map((item) => addend(item, valuesOf))
  const taker = { rank: rankOf(card), values: valuesOf(card) }
  return { cards: [card], takes: groupsOf(taker, items), toPile: true }
}

/** Events after a move in which nobody had a choice: a line in the list. */
export function dividerOf(frame, owner) {
  if (eventOf(frame, 'redeal')) return 'new cards dealt'
  const rest = eventOf(frame, 'rest')
  if (!rest?.cards.length) return null
  return rest[owner] === null
    ? 'the remaining cards stay'
    : `the last to capture gets the remaining ${count(rest.cards.length, 'card')}`
}
