// Cassino: loose cards, builds labelled with the card that takes them, captured piles.

import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { cardText, count, isCard, numberWord, rankName, rankPlural } from '../words.js'
import {
  capturedPile,
  captureText,
  clearingCards,
  dealtStock,
  dividerOf,
  filterPiles,
  keyedItems,
  playedCard,
  prepareTable,
  shares,
  stagedOf,
  tableCards,
  tray,
} from './fishing.js'

export const name = 'cassino'

const FACES = { 1: 'ace', 11: 'jack', 12: 'queen', 13: 'king', 14: 'ace' }
const PIPS = { A: 1, T: 10, J: 11, Q: 12, K: 13 }
const HAND = 4

const pips = (card) => PIPS[card[0]] ?? Number(card[0])
const withArticle = (word) => (/^[ae]/.test(word) ? `an ${word}` : `a ${word}`)
const takerName = (item) =>
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
    says: `${parts}: takes ${withArticle(takerName(item))}`,
    by: 'built by',
  })
}

export const middle = (scene) => tableCards(scene, (item) => build(scene, item))

/** A side's numbers of scoring cards: spades, aces, the two Cassinos, sweeps. */
function countsOf(scene, side) {
  const cards = scene.view.captured[side]
  return {
    cards: cards.length,
    spades: cards.filter((card) => card[1] === 'S').length,
    aces: cards.filter((card) => card[0] === 'A').length,
    ten: cards.includes('TD'),
    two: cards.includes('2S'),
    sweeps: scene.view.sweeps.filter((sweeper) => sweeper === side).length,
  }
}

export function pile(scene, side) {
  const counts = countsOf(scene, side)
  return capturedPile(scene, side, [
    counts.spades ? [h('span', { class: 't-s' }, '♠'), ` ${counts.spades}`] : null,
    counts.aces ? count(counts.aces, 'ace') : null,
    counts.ten ? cardText('TD') : null,
    counts.two ? cardText('2S') : null,
    counts.sweeps ? count(counts.sweeps, 'sweep') : null,
  ])
}

export const stock = (scene) => dealtStock(scene, HAND)

// --- moves ----------------------------------------------------------------------------------------

/** The card of the builder's hand that can take the build made by this move. */
export function liftedCard(scene, seat) {
  if (scene.frame.seat !== seat) return null
  const newBuild = keyedItems(scene.view.table).find(
    (item) => item.kind !== 'card' && scene.extra.added.has(item.key),
  )
  if (!newBuild) return null
  const fits = (card) =>
    newBuild.kind === 'pair'
      ? card[0] === newBuild.rank
      : pips(card) === newBuild.value || (newBuild.value === 14 && card[0] === 'A')
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
  const card = cardText(playedCard(frame))
  if (move.length === 2) return card
  if (move[2] === 'x') return captureText(frame, itemText)
  const [, item, sign, value] = move.match(/^..>(\[.*\]|..)([=:])(.+)$/)
  return [card, '→', itemText(item), sign === '=' ? ` = ${value}` : ` : ${rankPlural(value)}`]
}

export const tick = (frame) => (eventOf(frame, 'sweep') ? 'sweep' : null)

export const divider = (frame) => dividerOf(frame, 'side')

export const movedCard = (frame) => (isCard(playedCard(frame)) ? playedCard(frame) : null)

/** Possible values of a card; jacks, queens and kings have values in the royal variants only. */
const valuesOf = (card) => (card[0] === 'A' ? [1, 14] : [pips(card)])

export const staged = (frame, before) => stagedOf(frame, before, valuesOf)

export const marks = (frame) => (eventOf(frame, 'sweep') ? ['sweep'] : [])

// --- the sheet ------------------------------------------------------------------------------------

export function amounts(scene) {
  const all = scene.match.sides.map((_, side) => countsOf(scene, side))
  return {
    cards: all.map((counts) => counts.cards),
    spades: all.map((counts) => counts.spades),
    aces: all.map((counts) => counts.aces),
    sweeps: all.map((counts) => counts.sweeps),
  }
}

export function earned(scene, points) {
  const piles = scene.view.captured
  const all = piles.map((_, side) => countsOf(scene, side))
  const spades = filterPiles(piles, (card) => card[1] === 'S')
  const isMost = points.spades?.every((number) => number <= 1)
  // In the spade variants the ace of spades counts as a spade, not as an ace.
  const aces = filterPiles(piles, (card) => card[0] === 'A').map(({ cards }, side) => ({
    cards: cards.length > points.aces?.[side] ? cards.filter((card) => card !== 'AS') : cards,
  }))
  return {
    cards: { worth: '3', none: 'a tie, so nobody', sides: shares(piles) },
    big_cassino: {
      worth: '10♦, 2',
      none: 'nobody took it',
      sides: filterPiles(piles, isEqualTo('TD')),
    },
    little_cassino: {
      worth: '2♠, 1',
      none: 'nobody took it',
      sides: filterPiles(piles, isEqualTo('2S')),
    },
    spades: {
      worth: isMost ? '1' : '1 each; A, J and 2 two',
      none: isMost ? 'a tie, so nobody' : 'none taken',
      sides: spades,
    },
    aces: { worth: '1 each', none: 'none taken', sides: aces },
    sweeps: {
      worth: '1 each',
      none: 'none',
      sides: clearingCards(
        scene,
        all.map((counts) => counts.sweeps),
      ),
    },
  }
}

const isEqualTo = (card) => (other) => other === card
