// Paks: the board in four suit columns, paks before their owners, each with the price of stealing it.

import { face } from '../cards.js'
import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { cardName, cardText, count, places, suitName, suitText } from '../words.js'
import { endPanel, stockNode } from './common.js'

export const name = 'paks'

const SUITS = ['C', 'D', 'H', 'S']
const PLAIN = { A: 20, K: 10, Q: 10, J: 10, T: 10 }
const PAK = /^pak:(.+)>(.+)$/
const STEAL = /^steal:(.+)>(\d):(.+)$/

const sumOf = (cards) => cards.reduce((sum, card) => sum + (PLAIN[card[0]] ?? Number(card[0])), 0)
const feedsOf = (frame) => frame.events.filter((event) => event.type === 'feed')

export const prepare = (match) => match.frames.map(() => null)
export const pile = () => null

/** The card just drawn, lifted in the hand of the seat that drew it. */
export const liftedCard = (scene, seat) => (scene.view.to_act === seat ? scene.view.drawn : null)

// --- the table ------------------------------------------------------------------------------------

function pakNode(scene, seat, pak, number, isNew) {
  const price = sumOf(pak)
  const cards = pak.map(cardName).join(', ')
  return h(
    'div',
    {
      class: `pak${isNew ? ' new' : ''}`,
      role: 'group',
      'aria-label': `pak ${number} of ${scene.nameOf(seat)}: ${cards}; to steal: more than ${price}`,
      'data-price': price,
      'data-path': `paks.${seat}.${number - 1}`,
    },
    h(
      'div',
      { class: 'fan' },
      pak.map((card) => face(card)),
    ),
    h('span', { class: 'tag', 'aria-hidden': 'true' }, price),
  )
}

/** A seat's paks as fans, suit by suit. */
export function seatArea(scene, seat) {
  const paks = scene.view.paks[seat]
  const made = scene.frame.seat === seat && /^(?:pak|steal):/.test(scene.frame.move)
  const nodes = paks.map((pak, i) => [
    pak[0][1],
    pakNode(scene, seat, pak, i + 1, made && i === paks.length - 1),
  ])
  const ordered = SUITS.flatMap((suit) =>
    nodes.filter(([own]) => own === suit).map(([, node]) => node),
  )
  return h(
    'div',
    {
      class: 'paks-of',
      role: 'group',
      'aria-label': `${scene.nameOf(seat)}: ${count(paks.length, 'pak')}`,
    },
    ordered,
  )
}

/** The board's cards of one suit, or the cards that could start an empty column. */
function column(scene, suit) {
  const cards = scene.view.board
    .map((card, at) => ({ card, path: `board.${at}` }))
    .filter(({ card }) => card[1] === suit)
  const fed = new Set(feedsOf(scene.frame).map((event) => event.card))
  return h(
    'div',
    {
      class: 'suit',
      role: 'group',
      'aria-label': `${suitName(suit)} on the board: ${cards.length}`,
      'data-suit': suit,
    },
    h('h3', { 'aria-hidden': 'true' }, suitText(suit)),
    cards.length
      ? cards.map(({ card, path }) => face(card, fed.has(card) ? 'new' : '', path))
      : h('div', { class: 'feed' }, h('p', {}, 'the next ', suitText(suit), ' drawn goes here')),
  )
}

/** A sentence on the moves of the seat to act. */
function turnText(scene) {
  const { view } = scene
  if (view.to_act === null) return null
  const who = scene.nameOf(view.to_act)
  if (view.phase === 'steal')
    return [`${who} may steal paks, but none of `, view.used_suits.map(suitText)]
  if (view.compulsory)
    return `All four suits are on the board: ${who} drew unseen and must make a pak`
  return [`${who} may make a pak`, view.drawn ? [' after drawing ', cardText(view.drawn)] : '']
}

export function middle(scene) {
  const { match, frame } = scene
  const end = eventOf(frame, 'end')
  const done = eventOf(frame, 'deal_end')
  if (end) return endPanel(match, 'The match is over', end.result.scores)
  return h(
    'div',
    { class: 'board-of' },
    done ? endPanel(match, `Deal ${frame.deal + 1} is over`, done.points, '+') : null,
    h(
      'div',
      {
        class: 'suits',
        role: 'group',
        'aria-label': `the board: ${count(scene.view.board.length, 'card')}`,
      },
      SUITS.map((suit) => column(scene, suit)),
    ),
    done
      ? null
      : h(
          'div',
          { class: 'words' },
          h('p', { class: 'doing' }, turnText(scene)),
          h(
            'p',
            { class: 'hint' },
            h('span', { class: 'tag' }, '21'),
            ' a theft of the pak must beat this',
          ),
        ),
  )
}

export const stock = (scene) =>
  stockNode(scene.view.stock, 35, scene.view.stock ? null : 'all drawn')

// --- moves ----------------------------------------------------------------------------------------

const cardTexts = (text) => text.split('+').map((card, i) => [i ? ' ' : '', cardText(card)])

/** 4♥ 7♥×K♥; 2♣ 3♣ steal W 2. */
export function moveText(frame) {
  const pak = frame.move.match(PAK)
  if (pak) return [cardTexts(pak[1]), '×', cardText(pak[2])]
  const steal = frame.move.match(STEAL)
  if (steal) {
    const owner = places(frame.view.paks.length)[steal[2]].toUpperCase()
    return [cardTexts(steal[1]), ` steal pak ${steal[3].replaceAll('+', ', ')} of ${owner}`]
  }
  return { end: 'ends the turn', pass: 'passes' }[frame.move] ?? frame.move
}

export const tick = (frame) => (eventOf(frame, 'show') ? 'shows the hand' : null)

export function divider(frame) {
  const fed = feedsOf(frame)
  return fed.length
    ? h(
        'span',
        {},
        fed.map((event, i) => [i ? ', ' : '', cardText(event.card)]),
        fed.length > 1 ? ' feed the table' : ' feeds the table',
      )
    : null
}

export const movedCard = (frame) =>
  (frame.move.match(PAK) ?? frame.move.match(STEAL))?.[1].slice(0, 2) ?? null

const SPECIAL = new Set(['2', '3', '4', '5'])
const pip = (card) => PLAIN[card[0]] ?? Number(card[0])

/** The force of cards played together (PAK-9): the higher half of twos to fives counts ten times. */
function forceOf(cards) {
  const small = cards.filter((card) => SPECIAL.has(card[0])).map(pip)
  const tens = small.sort((a, b) => b - a).slice(0, Math.floor(small.length / 2))
  return sumOf(cards) + 9 * tens.reduce((sum, pips) => sum + pips, 0)
}

const MOVE_TEXTS = { end: 'ends the turn', pass: 'cannot make a pak' }

export function staged(frame, before) {
  const pak = frame.move.match(PAK)
  const steal = frame.move.match(STEAL)
  if (!before || !(pak || steal))
    return { cards: [], takes: [], words: MOVE_TEXTS[frame.move] ?? '' }
  const cards = (pak ?? steal)[1].split('+')
  const { board, paks } = before.view
  if (pak) {
    const paths = [`board.${board.indexOf(pak[2])}`]
    return { cards, takes: [{ paths, words: `${forceOf(cards)} beats ${sumOf([pak[2]])}` }] }
  }
  const numbers = steal[3].split('+').map((number) => Number(number) - 1)
  const paths = numbers.map((number) => `paks.${steal[2]}.${number}`)
  const price = sumOf(numbers.flatMap((number) => paks[steal[2]][number] ?? []))
  return { cards, takes: [{ paths, words: `${forceOf(cards)} beats ${price}` }] }
}

export const marks = (frame) => (STEAL.test(frame.move ?? '') ? ['theft'] : [])

// --- the end of a deal ----------------------------------------------------------------------------

/** The value of a card at the end (PAK-36). */
const finalOf = (card) => (card[0] === 'A' ? 20 : /[89TJQK]/.test(card[0]) ? 10 : 5)
const countOf = (pak) => pak.reduce((sum, card) => sum + finalOf(card), 0)

/** The paks of a suit that a side keeps: the cheapest ones are discarded. */
function keptPaks({ match, view }, side, suit, thrown) {
  const paks = match.sides[side].flatMap((seat) => view.paks[seat])
  const own = paks.filter((pak) => pak[0][1] === suit).sort((a, b) => countOf(a) - countOf(b))
  return own.slice(thrown)
}

export function earned(scene) {
  const ended = eventOf(scene.frame, 'deal_end')
  if (!ended) return {}
  const lines = SUITS.map((suit) => {
    const thrown = ended.thrown[suit]
    const sides = scene.match.sides.map((_, side) => ({
      fans: keptPaks(scene, side, suit, thrown),
    }))
    return [suitName(suit), { sides }]
  })
  return Object.fromEntries(lines)
}
