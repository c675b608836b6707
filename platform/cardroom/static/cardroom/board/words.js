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
const CARD_IN_TEXT = new RegExp(
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
export const joinNames = (names) =>
  names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`

/** 9♥ with its suit in its colour. */
export function cardText(card) {
  if (card[0] === 'X') return ['joker', card.slice(1)].filter(Boolean).join(' ')
  const [rank, suit] = card
  return [rank === 'T' ? '10' : rank, suitText(suit)]
}

/** A sentence with each card (`TD` or spelled out) replaced by rank and coloured suit. */
export function richText(text) {
  const parts = []
  let done = 0
  for (const match of text.matchAll(CARD_IN_TEXT)) {
    parts.push(text.slice(done, match.index))
    const [whole, rank, suit, rankWord, suitWord] = match
    const card = rank ? rank + suit : keyOf(RANKS, rankWord) + keyOf(SUITS, suitWord)
    parts.push(cardText(card))
    done = match.index + whole.length
  }
  return [...parts, text.slice(done)]
}

/** The shape of a side; shapes distinguish sides without colours. */
export const sideMark = (side) =>
  s('svg', { class: 'side', viewBox: '0 0 10 10', 'aria-hidden': 'true' }, SHAPES[side % 4]())

/** By seat, its place on the table when seat `viewer` sits south: 's', 'w', … */
export function places(seats, viewer = 0) {
  const ring = PLACES[seats] ?? PLACES[8]
  return Array.from({ length: seats }, (_, seat) => ring[(seat - viewer + seats) % seats])
}

/** "ja" for names in Japanese script, which need other fonts. */
export const language = (text) => (/[\u3040-\u30ff\u3400-\u9fff]/.test(text) ? 'ja' : null)

/** 12 ms, 1.4 s. */
export function durationText(ms) {
  if (ms === null || ms === undefined) return ''
  return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`
}

export const numberText = (number) => String(number).replace('-', '−')
