// Canasta: a tray of melds for each side, the discard pile and who may take it. Draws; judges nothing.

import { back, face, silent } from '../cards.js'
import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { cardText, count, rankPlural, sideMark } from '../words.js'

export const name = 'canasta'

const BONUS = { natural: 500, mixed: 300 }
const CANASTA = 7
const isRed = (card) => card[1] === 'D' || card[1] === 'H'
const isWild = (card) => card[0] === 'X' || card[0] === '2'

export const prepare = (match) => match.frames.map(() => null)
export const lifted = () => null
export const pile = () => null

/** The rank that the move of this frame melded, if it did. */
function rankMelded(frame) {
  const event = eventOf(frame, 'meld') ?? eventOf(frame, 'take')
  return event?.rank ?? null
}

// --- the middle -----------------------------------------------------------------------------------

/** A canasta is squared up: a red card on top if natural, a black one if mixed. */
function topOf(meld) {
  const fits = (card) => !isWild(card) && isRed(card) === (meld.canasta === 'natural')
  return meld.cards.find(fits) ?? meld.cards.find((card) => !isWild(card))
}

function meldNode(scene, side, meld) {
  const size = meld.cards.length
  const acted = scene.frame.seat !== null && scene.view.sides[side].includes(scene.frame.seat)
  const isNew = acted && rankMelded(scene.frame) === meld.rank
  const kind = meld.canasta ? `${meld.canasta} canasta` : 'meld'
  const label = `${kind} of ${rankPlural(meld.rank)}, ${count(size, 'card')}`
  const sign = meld.rank === 'T' ? '10' : meld.rank
  const words = meld.canasta ? `${meld.canasta} +${BONUS[meld.canasta]}` : `${size} of ${CANASTA}`
  const wild = meld.wild ? `${meld.wild} wild` : 'no wild card'
  return h('div', { class: `build${isNew ? ' new' : ''}`, role: 'group', 'aria-label': label, 'data-item': meld.rank },
    h('div', { class: 'tray' },
      h('div', { class: 'fan' }, meld.canasta ? face(topOf(meld)) : meld.cards.map((card) => face(card))),
      h('span', { class: 'tag pair', 'aria-hidden': 'true' }, sign)),
    h('p', {}, words, h('span', {}, `${count(size, 'card')}, ${wild}`)))
}

const sideName = (scene, seats) => seats.map((seat) => scene.nameOf(seat)).join(' and ')

function sideNode(scene, side) {
  const seats = scene.view.sides[side]
  const melds = scene.view.melds[side]
  const reds = (scene.view.red3_cards ?? []).filter((_, seat) => seats.includes(seat)).flat()
  return h('div', { class: 'loose', role: 'group', 'aria-label': `melds of ${sideName(scene, seats)}` },
    h('span', {}, sideMark(side), ` ${sideName(scene, seats)}`),
    melds.length ? melds.map((meld) => meldNode(scene, side, meld)) : h('span', {}, ' no meld yet'),
    reds.map((card) => face(card)))
}

/** Who can take the pile, in a sentence. */
function pileWords(view) {
  const { pile: heap } = view
  if (view.step.pending) return 'waits until the first meld is worth enough'
  if (!heap.size) return 'taken'
  if (heap.frozen) return 'frozen: only two natural cards of the top card’s rank from a hand take it'
  const closed = view.opened.some((opened) => !opened)
  return closed ? 'open to sides that have melded; to others only for a natural pair' : 'open'
}

function discards(scene) {
  const { pile: heap } = scene.view
  const cards = heap.cards ?? []
  const freezer = heap.frozen ? cards.find((card) => isWild(card) || (card[0] === '3' && isRed(card))) : null
  const shown = [
    freezer && freezer !== heap.top ? silent(face(freezer, 'sweep sweep-0')) : null,
    heap.top ? face(heap.top, eventOf(scene.frame, 'discard') ? 'new' : '') : null,
  ]
  return h('div', { class: 'build', role: 'group', 'aria-label': `discard pile: ${count(heap.size, 'card')}` },
    h('div', { class: 'pile has' }, heap.size ? shown : h('span', { class: 'slot' })),
    h('p', {}, `pile, ${count(heap.size, 'card')}`, h('span', {}, pileWords(scene.view))))
}

/** What the end of a deal, or of the match, says. */
function endWords(scene) {
  const { match, frame } = scene
  const gains = (numbers, sign) =>
    h('p', { class: 'gains' }, match.sides.map((_, side) => h('span', {}, sideMark(side), ` ${sign}${numbers[side]}`)))
  const end = eventOf(frame, 'match')
  if (end) return h('div', { class: 'none' }, h('b', {}, 'The match is over'), gains(end.scores, ''))
  const scored = eventOf(frame, 'score')
  if (!scored) return null
  const totals = scored.sides.map((entry) => entry.total)
  return h('div', { class: 'none' }, h('b', {}, `Deal ${frame.deal + 1} is over`), gains(totals, ''))
}

export function middle(scene) {
  const melds = scene.view.melds.flat().length
  return h('div', { class: `lie ${melds > 6 ? 'throng' : 'crowd'}` },
    scene.view.sides.map((_, side) => sideNode(scene, side)), discards(scene), endWords(scene))
}

export function stock(scene) {
  const left = scene.view.stock
  const heap = left
    ? Array.from({ length: Math.min(3, Math.ceil(left / 24)) }, () => silent(back()))
    : h('span', { class: 'slot' })
  return [
    h('div', { class: 'pile', role: 'group', 'aria-label': `stock: ${count(left, 'card')}` }, heap),
    h('div', {}, 'stock', h('b', {}, count(left, 'card'))),
  ]
}

// --- moves ----------------------------------------------------------------------------------------

const texts = (cards) => cards.map((card, i) => [i ? ' ' : '', cardText(card)])

/** takes 9♦ with 9♣ 9♠; K♣ to the kings; discards 5♦. */
export function moveText(frame) {
  const taken = eventOf(frame, 'take')
  if (taken) return ['takes ', cardText(taken.top), taken.with.length ? [' with ', texts(taken.with)] : '']
  const meld = eventOf(frame, 'meld')
  if (meld?.cards.length === 1) return [cardText(meld.cards[0]), ` to the ${rankPlural(meld.rank)}`]
  if (meld) return ['melds ', texts(meld.cards)]
  const discard = eventOf(frame, 'discard')
  if (discard) return ['discards ', cardText(discard.card)]
  const words = { draw: 'draws', ask: 'asks', yes: 'yes', no: 'no', pass: 'passes', R: 'tables a red three' }
  return words[frame.move] ?? frame.move
}

/** What a move brought besides, in a word or two. */
export function tick(frame) {
  if (eventOf(frame, 'out')) return 'out'
  const canasta = eventOf(frame, 'canasta')
  return canasta ? `canasta of ${rankPlural(canasta.rank)}` : null
}

/** What happened without a choice after a move: a line in the list. */
export const divider = (frame) => (eventOf(frame, 'sides') ? 'sides are found' : null)

/** The card that a move takes from a hand. */
export function moved(frame) {
  const event = eventOf(frame, 'discard') ?? eventOf(frame, 'meld')
  return event?.card ?? event?.cards[0] ?? eventOf(frame, 'take')?.with[0] ?? null
}

/** Signs on the time line. */
export const marks = (frame) => (eventOf(frame, 'canasta') ? ['canasta'] : [])
