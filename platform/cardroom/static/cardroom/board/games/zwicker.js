// Zwicker: loose cards, builds with a fixed value, jokers with their values, captured piles.

import { eventOf } from '../data.js'
import { cardText, count, isCard, numberWord } from '../words.js'
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

export const name = 'zwicker'

const PIPS = { A: [1, 11], T: [10], J: [2, 12], Q: [3, 13], K: [4, 14] }
const GRUPP = {
  A: [11],
  J: [12],
  Q: [13],
  K: [14],
  X: [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14],
}
const HAND = { grupp: 4, christiansen: 8 }
const HAND_OF_FOUR = 6 // Christiansen's game at a table of four
const COUNTING = ['TD', '7D', '7S', 'X30', 'X25', 'X20', 'X15']

const variantOf = (view) => view.format.split('/')[1]

/** Possible values of a card in its variant. */
function valuesOf(card, variant) {
  if (card.length > 2) return [Number(card.slice(1))]
  const own = variant === 'grupp' ? GRUPP[card[0]] : null
  return own ?? PIPS[card[0]] ?? [Number(card[0])]
}

const term = (card, value) => (card === 'X' ? `joker ${value}` : String(value))

/** The sum of a build as text, "5 + joker 7"; `base`: the sum of the item below, if it was a build. */
function sumOf(card, item, declared, base, variant) {
  const grounds = base ? [declaredOf(item)] : valuesOf(item, variant)
  for (const sign of [1, -1]) {
    for (const ground of grounds) {
      const value = valuesOf(card, variant).find((number) => ground + sign * number === declared)
      if (value !== undefined)
        return `${base ?? term(item, ground)} ${sign > 0 ? '+' : '−'} ${term(card, value)}`
    }
  }
  return null
}

const declaredOf = (item) => Number(item.match(/=(\d+)\]$/)?.[1])
const BUILD = /^(X\d*|..)>(\[.*\]|X\d*|..)=(\d+)$/

/** The data of `prepareTable`, and the sum of each build by its key. */
export function prepare(match) {
  let sums = new Map()
  return prepareTable(match, 'zwick').map((extra, at) => {
    const frame = match.frames[at]
    const built = frame.move?.match(BUILD)
    if (built) {
      const [, card, item, value] = built
      const before = [...sums].find(([key]) => key.startsWith(`${item}#`))?.[1]
      const sum = sumOf(card, item, Number(value), before, variantOf(frame.view))
      sums = new Map(sums)
      for (const key of extra.added) sums.set(key, sum)
    }
    sums = new Map([...sums].filter(([key]) => extra.arrivals.has(key)))
    return { ...extra, sums }
  })
}

// --- the table ------------------------------------------------------------------------------------

function build(scene, item) {
  const sum = scene.extra.sums.get(item.key)
  return tray(scene, item, {
    label: `build of ${numberWord(item.value)}`,
    tag: String(item.value),
    says: `${sum ?? ''} counts ${item.value}`.trim(),
    by: 'laid by',
  })
}

export const middle = (scene) => tableCards(scene, (item) => build(scene, item))

const timesText = (number, text) => (number > 1 ? [`${number} × `, text] : text)

export function pile(scene, side) {
  const cards = scene.view.captured[side]
  const number = (card) => cards.filter((other) => other === card).length
  const aces = cards.filter((card) => card[0] === 'A').length
  const zwicks = scene.view.zwicks.filter((seat) => scene.match.sideOf(seat) === side).length
  return capturedPile(scene, side, [
    ...COUNTING.map((card) => (number(card) ? timesText(number(card), cardText(card)) : null)),
    aces ? count(aces, 'ace') : null,
    zwicks ? count(zwicks, 'zwick') : null,
  ])
}

export function stock(scene) {
  const variant = variantOf(scene.view)
  const four = variant === 'christiansen' && scene.match.total === 4
  return dealtStock(scene, four ? HAND_OF_FOUR : HAND[variant])
}

// --- moves ----------------------------------------------------------------------------------------

/** The card of the builder's hand that can take the build made by this move. */
export function liftedCard(scene, seat) {
  if (scene.frame.seat !== seat) return null
  const newBuild = keyedItems(scene.view.table).find(
    (item) => item.kind !== 'card' && scene.extra.added.has(item.key),
  )
  if (!newBuild) return null
  const fits = (card) =>
    card !== 'X' && valuesOf(card, variantOf(scene.view)).includes(newBuild.value)
  return scene.view.hands[seat].find(fits) ?? null
}

const itemText = (item) => (isCard(item) ? cardText(item) : `[${declaredOf(item)}]`)

/** 9♠×2♦ joker [9]; 3♣→K♥ = 11. */
export function moveText(frame) {
  const { move } = frame
  const built = move.match(BUILD)
  if (built) return [cardText(built[1]), '→', itemText(built[2]), ` = ${built[3]}`]
  return isCard(move) ? cardText(move) : captureText(frame, itemText)
}

export const tick = (frame) => (eventOf(frame, 'zwick') ? 'zwick' : null)

export const divider = (frame) => dividerOf(frame, 'seat')

export const movedCard = playedCard

export const staged = (frame, before) =>
  stagedOf(frame, before, (card) => valuesOf(card, variantOf(frame.view)))

export const marks = (frame) => (eventOf(frame, 'zwick') ? ['zwick'] : [])

// --- the sheet ------------------------------------------------------------------------------------

const ONE_CARD = {
  seven_of_diamonds: ['7D', '1'],
  seven_of_spades: ['7S', '1'],
  ten_of_diamonds: ['TD', '10'],
}

export function earned(scene) {
  const { captured: piles, zwicks } = scene.view
  const single = Object.entries(ONE_CARD).map(([key, [card, worth]]) => [
    key,
    { worth, none: 'nobody took it', sides: filterPiles(piles, (other) => other === card) },
  ])
  const zwicked = piles.map((_, side) => zwicks.filter((seat) => seat === side).length)
  return {
    ...Object.fromEntries(single),
    aces: {
      worth: '2 each',
      none: 'none taken',
      sides: filterPiles(piles, (card) => card[0] === 'A'),
    },
    cards: { worth: '1', none: 'a tie, so nobody', sides: shares(piles) },
    jokers: {
      worth: '4 to 7',
      none: 'none taken',
      sides: filterPiles(piles, (card) => card[0] === 'X' && card.length > 1),
    },
    zwicks: { worth: '3 each', none: 'none', sides: clearingCards(scene, zwicked) },
  }
}
