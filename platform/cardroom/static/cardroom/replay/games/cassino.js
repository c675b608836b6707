// Cassino: loose cards, builds that say what they wait for, captured piles. Draws; judges nothing.

import { back, face, silent } from '../cards.js'
import { eventOf } from '../data.js'
import { h } from '../dom.js'
import {
  cardText, count, isCard, numberWord, rankName, rankPlural, sideMark,
} from '../words.js'

export const name = 'cassino'

const FACES = { 1: 'ace', 11: 'jack', 12: 'queen', 13: 'king', 14: 'ace' }
const PIPS = { A: 1, T: 10, J: 11, Q: 12, K: 13 }
const SWEEPS_SHOWN = 3

const played = (frame) => frame.move?.slice(0, 2)
const pips = (card) => PIPS[card[0]] ?? Number(card[0])
const one = (word) => (/^[ae]/.test(word) ? `an ${word}` : `a ${word}`)
const taker = (item) => (item.kind === 'pair' ? rankName(item.rank) : FACES[item.value] ?? numberWord(item.value))
/** Whether the move of this frame made the item or laid it there. */
const isNew = (scene, item) => scene.extra.fresh.has(item.id)

/**
 * What a single frame does not tell: since when each item lies on the table (they are shown in the
 * order they came), which the move brought, and with which cards each side swept.
 */
export function prepare(match) {
  let since = new Map()
  let sweeps = match.sides.map(() => [])
  return match.frames.map((frame) => {
    if (frame.move === null && eventOf(frame, 'deal')) {
      since = new Map()
      sweeps = match.sides.map(() => [])
    }
    const come = frame.view.table.map((item) => item.id).filter((id) => !since.has(id))
    since = new Map([...since, ...come.map((id, i) => [id, since.size + i])])
    if (eventOf(frame, 'sweep')) {
      const side = match.sideOf(frame.seat)
      sweeps = sweeps.map((cards, own) => (own === side ? [...cards, played(frame)] : cards))
    }
    return { since, sweeps, fresh: new Set(frame.move === null ? [] : come) }
  })
}

// --- the middle -----------------------------------------------------------------------------------

function caption(scene, item) {
  const built = `built by ${scene.nameOf(item.by)}${isNew(scene, item) ? ', just now' : ''}`
  const parts = item.kind === 'pair'
    ? rankPlural(item.rank)
    : item.cards.map(pips).join(' + ')
  return h('p', {}, `${parts}: takes ${one(taker(item))}`, h('span', {}, built))
}

function build(scene, item) {
  const pair = item.kind === 'pair'
  const sign = item.rank === 'T' ? '10' : item.rank
  const tag = pair ? `${sign} ${sign}` : String(item.value)
  const label = pair ? `pair build of ${rankPlural(item.rank)}` : `sum build of ${numberWord(item.value)}`
  return h('div', { class: `build${isNew(scene, item) ? ' new' : ''}`, role: 'group', 'aria-label': label, 'data-item': item.id },
    h('div', { class: 'tray' },
      h('div', { class: 'fan' }, item.cards.map((card) => face(card))),
      h('span', { class: `tag${pair ? ' pair' : ''}`, 'aria-hidden': 'true' }, tag)),
    caption(scene, item))
}

/** How small the middle's cards must be: a class, by how much lies there. */
function crowd(items) {
  const room = items.reduce((sum, item) => sum + (item.kind === 'card' ? 1 : 2.5), 0)
  if (room <= 10) return ''
  if (room <= 18) return ' many'
  return room <= 32 ? ' crowd' : ' throng'
}

/** What an empty table says: a sweep, the end of the deal with its points, or of the match. */
function emptyWords(scene) {
  const { match, frame } = scene
  const gains = (numbers, sign) =>
    h('p', { class: 'gains' }, match.sides.map((_, side) => h('span', {}, sideMark(side), ` ${sign}${numbers[side]}`)))
  const end = eventOf(frame, 'end')
  if (end) return [h('b', {}, 'The match is over'), gains(end.result.scores, '')]
  const scored = eventOf(frame, 'score')
  if (scored) return [h('b', {}, `Deal ${frame.deal + 1} is over`), gains(scored.points, '+')]
  return 'the table is empty'
}

export function middle(scene) {
  const items = [...scene.view.table].sort(
    (a, b) => scene.extra.since.get(a.id) - scene.extra.since.get(b.id),
  )
  const loose = items.filter((item) => item.kind === 'card')
  const builds = items.filter((item) => item.kind !== 'card')
  const empty = items.length ? null : h('div', { class: 'none' }, emptyWords(scene))
  return h('div', { class: `lie${crowd(items)}` },
    h('div', { class: 'loose', role: 'group', 'aria-label': `loose cards: ${loose.length}` },
      loose.map((item) => face(item.cards[0], isNew(scene, item) ? 'new' : '')), empty),
    builds.map((item) => build(scene, item)))
}

// --- piles ----------------------------------------------------------------------------------------

/** What of the captured cards counts: spades, aces, the two Cassinos, sweeps. */
function counts(scene, side) {
  const cards = scene.view.captured[side]
  return {
    cards: cards.length,
    spades: cards.filter((card) => card[1] === 'S').length,
    aces: cards.filter((card) => card[0] === 'A').length,
    ten: cards.includes('TD'),
    two: cards.includes('2S'),
    sweeps: scene.view.sweeps.filter((swept) => swept === side).length,
  }
}

function spell(has) {
  const parts = [
    has.spades ? [h('span', { class: 't-s' }, '♠'), ` ${has.spades}`] : null,
    has.aces ? count(has.aces, 'ace') : null,
    has.ten ? cardText('TD') : null,
    has.two ? cardText('2S') : null,
    has.sweeps ? count(has.sweeps, 'sweep') : null,
  ].filter(Boolean)
  return parts.flatMap((part, i) => (i ? [', ', part] : [part]))
}

export function pile(scene, side) {
  const has = counts(scene, side)
  const swept = scene.extra.sweeps[side] ?? []
  const crosswise = swept.slice(-SWEEPS_SHOWN).map((card, i) => silent(face(card, `sweep sweep-${i}`)))
  const heap = has.cards ? [silent(back()), crosswise] : h('span', { class: 'slot' })
  return [
    h('div', { class: `pile has${swept.length ? ' swept' : ''}`, role: 'group', 'aria-label': `captured by ${scene.sideNames(side)}: ${count(has.cards, 'card')}` }, heap),
    h('div', {}, h('span', { class: 'who' }, sideMark(side), ' captured'), h('b', {}, has.cards ? count(has.cards, 'card') : 'nothing yet'), spell(has)),
  ]
}

export function stock(scene) {
  const left = scene.view.stock
  const rounds = left / (4 * scene.match.total)
  const hint = left ? `${numberWord(rounds)} more deal${rounds === 1 ? '' : 's'} out` : 'all dealt out'
  const heap = left
    ? Array.from({ length: Math.min(3, Math.ceil(left / 12)) }, () => silent(back()))
    : h('span', { class: 'slot' })
  return [
    h('div', { class: 'pile', role: 'group', 'aria-label': `stock: ${count(left, 'card')}` }, heap),
    h('div', {}, 'stock', h('b', {}, count(left, 'card')), hint),
  ]
}

// --- moves ----------------------------------------------------------------------------------------

/** The card kept for a build made just now, to be lifted in its builder's hand. */
export function lifted(scene, seat) {
  if (scene.frame.seat !== seat) return null
  const made = scene.view.table.find((item) => item.kind !== 'card' && isNew(scene, item))
  if (!made) return null
  const fits = (card) => made.kind === 'pair'
    ? card[0] === made.rank
    : pips(card) === made.value || (made.value === 14 && card[0] === 'A')
  return scene.view.hands[seat].find(fits) ?? null
}

function itemText(item) {
  if (isCard(item)) return cardText(item)
  const pair = item.match(/:(.)\]$/)
  return pair ? `[${rankPlural(pair[1])}]` : `[${item.match(/=(\d+)\]$/)[1]}]`
}

/** 9♦×2♦ 7♣ [9]; 4♣→4♥ : fours; 3♦→6♠ = 9. */
export function moveText(frame) {
  const { move } = frame
  if (move === 'out') return 'claims the win'
  const card = cardText(played(frame))
  if (move.length === 2) return card
  if (move[2] === 'x') {
    const items = move.slice(3).split(',').map(itemText)
    return [card, '×', items.flatMap((item, i) => (i ? [' ', item] : [item]))]
  }
  const [, item, sign, value] = move.match(/^..>(\[.*\]|..)([=:])(.+)$/)
  return [card, '→', itemText(item), sign === '=' ? ` = ${value}` : ` : ${rankPlural(value)}`]
}

/** What a move brought besides, in a word or two. */
export const tick = (frame) => (eventOf(frame, 'sweep') ? 'sweep' : null)

/** What happened without a choice after a move: a line in the list. */
export function divider(frame) {
  if (eventOf(frame, 'redeal')) return 'cards again: four each'
  const rest = eventOf(frame, 'rest')
  if (!rest?.cards.length) return null
  return rest.side === null ? 'the rest stays' : `the rest, ${count(rest.cards.length, 'card')}, to the last who took`
}

/** The card that a move takes from a hand. */
export const moved = (frame) => (isCard(played(frame)) ? played(frame) : null)

/** Signs on the time line. */
export const marks = (frame) => (eventOf(frame, 'sweep') ? ['sweep'] : [])

// --- the sheet ------------------------------------------------------------------------------------

/** How much each side has of what counts, by the words of the tally's lines. */
export function amounts(scene) {
  const all = scene.match.sides.map((_, side) => counts(scene, side))
  return {
    'most cards': all.map((has) => has.cards),
    'most spades': all.map((has) => has.spades),
    spades: all.map((has) => has.spades),
    aces: all.map((has) => has.aces),
    sweeps: all.map((has) => has.sweeps),
  }
}
