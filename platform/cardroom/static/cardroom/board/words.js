// Names and signs of cards, sides and seats.

import { h, s } from './dom.js'

const RANKS = {
  A: 'ace',
  2: 'two',
  3: 'three',
  4: 'four',
  5: 'five',
  6: 'six',
  7: 'seven',
  8: 'eight',
  9: 'nine',
  T: 'ten',
  J: 'jack',
  Q: 'queen',
  K: 'king',
}
const SUITS = { C: 'clubs', D: 'diamonds', H: 'hearts', S: 'spades' }
const SIGNS = { C: '♣', D: '♦', H: '♥', S: '♠' }
const NUMBERS = [
  'no',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
  'eleven',
  'twelve',
  'thirteen',
  'fourteen',
]
// Disc, lozenge, triangle, square; with more sides the shapes repeat.
const SHAPES = [
  () => s('circle', { cx: 5, cy: 5, r: 4.4 }),
  () => s('path', { d: 'M5 0 10 5 5 10 0 5Z' }),
  () => s('path', { d: 'M5 .5 10 9.5H0Z' }),
  () => s('path', { d: 'M.8 .8H9.2V9.2H.8Z' }),
]
// Seats go clockwise from the south.
const PLACES = {
  1: ['s'],
  2: ['s', 'n'],
  3: ['s', 'w', 'e'],
  4: ['s', 'w', 'n', 'e'],
  5: ['s', 'sw', 'nw', 'ne', 'se'],
  6: ['s', 'sw', 'nw', 'n', 'ne', 'se'],
  7: ['s', 'sw', 'w', 'nw', 'ne', 'e', 'se'],
  8: ['s', 'sw', 'w', 'nw', 'n', 'ne', 'e', 'se'],
}

const CARD = /^(?:[A2-9TJQK][CDHS]|X(?:15|20|25|30)?)$/
const CARDS_IN_TEXT = new RegExp(
  '(?<![A-Z0-9])([A2-9TJQK])([CDHS])(?![A-Z0-9])' +
    `|(?:the )?\\b(${Object.values(RANKS).join('|')}) of (${Object.values(SUITS).join('|')})\\b`,
  'g',
)
const keyOf = (names, name) => Object.keys(names).find((key) => names[key] === name)

export const isCard = (text) => typeof text === 'string' && CARD.test(text)

/** "nine of hearts", "joker 15". */
export function cardName(card) {
  if (card[0] === 'X') return `joker ${card.slice(1)}`.trim()
  return `${RANKS[card[0]]} of ${SUITS[card[1]]}`
}

export const suitName = (suit) => SUITS[suit]

/** ♥ in its colour. */
export const suitText = (suit) => h('span', { class: `t-${suit.toLowerCase()}` }, SIGNS[suit])

export const rankName = (rank) => RANKS[rank] ?? rank
export const rankPlural = (rank) => (rank === '6' ? 'sixes' : `${rankName(rank)}s`)
export const numberWord = (number) => NUMBERS[number] ?? String(number)
export const count = (number, one, many = `${one}s`) => `${number} ${number === 1 ? one : many}`

/** "West, North and East". */
export const together = (names) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** 9♥ with its suit in its colour. */
export function cardText(card) {
  if (card[0] === 'X') return ['joker', card.slice(1)].filter(Boolean).join(' ')
  const [rank, suit] = card
  return [rank === 'T' ? '10' : rank, suitText(suit)]
}

/** A sentence with each card (`TD` or spelled out) replaced by rank and coloured suit. */
export function rich(text) {
  const parts = []
  let done = 0
  for (const found of text.matchAll(CARDS_IN_TEXT)) {
    parts.push(text.slice(done, found.index))
    const [whole, rank, suit, rankWord, suitWord] = found
    const card = rank ? rank + suit : keyOf(RANKS, rankWord) + keyOf(SUITS, suitWord)
    parts.push(cardText(card))
    done = found.index + whole.length
  }
  return [...parts, text.slice(done)]
}

/** The shape of a side, so that nothing depends on colour alone. */
export const sideMark = (side) =>
  s('svg', { class: 'side', viewBox: '0 0 10 10', 'aria-hidden': 'true' }, SHAPES[side % 4]())

/** By seat, its position on the table when `from` sits south: 's', 'w', … */
export function places(seats, from = 0) {
  const ring = PLACES[seats] ?? PLACES[8]
  return Array.from({ length: seats }, (_, seat) => ring[(seat - from + seats) % seats])
}

/** "ja" for names in Japanese script, which use other fonts. */
export const language = (text) => (/[\u3040-\u30ff\u3400-\u9fff]/.test(text) ? 'ja' : null)

/** 12 ms, 1.4 s. */
export function time(ms) {
  if (ms === null || ms === undefined) return ''
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

export const minus = (number) => String(number).replace('-', '−')
