// Cassino: loose cards, builds labelled with the card that takes them, captured piles. It draws; it judges
// nothing.

import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { cardText, count, isCard, numberWord, rankName, rankPlural } from '../words.js'
import {
  captured,
  captureText,
  cleared,
  dividerOf,
  holding,
  keyed,
  lie,
  played,
  prepareTable,
  shares,
  stagedOf,
  stockFor,
  tray,
} from './fishing.js'

export const name = 'cassino'

const FACES = { 1: 'ace', 11: 'jack', 12: 'queen', 13: 'king', 14: 'ace' }
const PIPS = { A: 1, T: 10, J: 11, Q: 12, K: 13 }
const HAND = 4

const pips = (card) => PIPS[card[0]] ?? Number(card[0])
const one = (word) => (/^[ae]/.test(word) ? `an ${word}` : `a ${word}`)
const taker = (item) =>
  item.kind === 'pair' ? rankName(item.rank) : (FACES[item.value] ?? numberWord(item.value))

export const prepare = (match) => prepareTable(match, 'sweep')

// --- the table ------------------------------------------------------------------------------------

function build(scene, item) {
  const pair = item.kind === 'pair'
  const sign = item.rank === 'T' ? '10' : item.rank
  const parts = pair ? rankPlural(item.rank) : item.cards.map(pips).join(' + ')
  return tray(scene, item, {
    label: pair
      ? `pair build of ${rankPlural(item.rank)}`
      : `sum build of ${numberWord(item.value)}`,
    tag: pair ? `${sign} ${sign}` : String(item.value),
    square: pair,
    says: `${parts}: takes ${one(taker(item))}`,
    by: 'built by',
  })
}

export const middle = (scene) => lie(scene, (item) => build(scene, item))

/** The captured cards that score: spades, aces, the two Cassinos, sweeps. */
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

export function pile(scene, side) {
  const has = counts(scene, side)
  return captured(scene, side, [
    has.spades ? [h('span', { class: 't-s' }, '♠'), ` ${has.spades}`] : null,
    has.aces ? count(has.aces, 'ace') : null,
    has.ten ? cardText('TD') : null,
    has.two ? cardText('2S') : null,
    has.sweeps ? count(has.sweeps, 'sweep') : null,
  ])
}

export const stock = (scene) => stockFor(scene, HAND)

// --- moves ----------------------------------------------------------------------------------------

/** The card kept for a build made in this move, which is lifted in its builder's hand. */
export function lifted(scene, seat) {
  if (scene.frame.seat !== seat) return null
  const made = keyed(scene.view.table).find(
    (item) => item.kind !== 'card' && scene.extra.fresh.has(item.key),
  )
  if (!made) return null
  const fits = (card) =>
    made.kind === 'pair'
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
  if (move[2] === 'x') return captureText(frame, itemText)
  const [, item, sign, value] = move.match(/^..>(\[.*\]|..)([=:])(.+)$/)
  return [card, '→', itemText(item), sign === '=' ? ` = ${value}` : ` : ${rankPlural(value)}`]
}

/** Other effects of a move, in a word or two. */
export const tick = (frame) => (eventOf(frame, 'sweep') ? 'sweep' : null)

export const divider = (frame) => dividerOf(frame, 'side')

/** The card that a move takes from a hand. */
export const moved = (frame) => (isCard(played(frame)) ? played(frame) : null)

/** Possible values of a card; jacks, queens and kings have values in the royal variants only. */
const valuesOf = (card) => (card[0] === 'A' ? [1, 14] : [pips(card)])

/** The part of a move that other players see before it takes effect. */
export const staged = (frame, before) => stagedOf(frame, before, valuesOf)

/** Signs on the time line. */
export const marks = (frame) => (eventOf(frame, 'sweep') ? ['sweep'] : [])

// --- the sheet ------------------------------------------------------------------------------------

/** Each side's number of scoring cards, by the keys of the tally's lines. */
export function amounts(scene) {
  const all = scene.match.sides.map((_, side) => counts(scene, side))
  return {
    cards: all.map((has) => has.cards),
    spades: all.map((has) => has.spades),
    aces: all.map((has) => has.aces),
    sweeps: all.map((has) => has.sweeps),
  }
}

/** The cards that earned the points of a deal. */
export function earned(scene, points) {
  const piles = scene.view.captured
  const all = piles.map((_, side) => counts(scene, side))
  const spades = holding(piles, (card) => card[1] === 'S')
  const isMost = points.spades?.every((number) => number <= 1)
  // In the spade variants the ace of spades counts as a spade, not as an ace.
  const aces = holding(piles, (card) => card[0] === 'A').map(({ cards }, side) => ({
    cards: cards.length > points.aces?.[side] ? cards.filter((card) => card !== 'AS') : cards,
  }))
  return {
    cards: { worth: '3', none: 'a tie, so nobody', sides: shares(piles) },
    big_cassino: { worth: '10♦, 2', none: 'nobody took it', sides: holding(piles, is('TD')) },
    little_cassino: { worth: '2♠, 1', none: 'nobody took it', sides: holding(piles, is('2S')) },
    spades: {
      worth: isMost ? '1' : '1 each; A, J and 2 two',
      none: isMost ? 'a tie, so nobody' : 'none taken',
      sides: spades,
    },
    aces: { worth: '1 each', none: 'none taken', sides: aces },
    sweeps: {
      worth: '1 each',
      none: 'none',
      sides: cleared(
        scene,
        all.map((has) => has.sweeps),
      ),
    },
  }
}

const is = (card) => (one) => one === card
