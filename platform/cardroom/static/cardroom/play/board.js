// The felt: the seats, the table, and the viewer's hand at the bottom. Every element that can be picked becomes
// a button with its path in the view, which the composer maps to parts.

import { back, decorative, face } from '../board/cards.js'
import { h } from '../board/dom.js'
import { count, isCard, language, sideMark } from '../board/words.js'
import { swap } from './swap.js'

const SIZES = 10 // of a felt; see felt.css
const MAX_BACKS = 4

/** Draw a scene; `hand`: the cards to show in the viewer's hand. */
export function drawBoard(felt, renderer, scene) {
  const { match } = scene
  const order = match.seats.map((_, seat) => (scene.viewer + seat) % match.total)
  const others = order.slice(1)
  felt.className = `felt game-${renderer.name} t${match.total}`
  felt.replaceChildren(
    felt.querySelector('.f-goal') ?? h('div', { class: 'f-goal' }),
    h(
      'div',
      { class: 'f-top' },
      h(
        'div',
        { class: 'f-others' },
        others.map((seat) => seatNode(scene, renderer, seat)),
      ),
      h('div', { class: 'f-corners' }, cornersOf(scene, renderer)),
    ),
    h('div', { class: 'f-mid', 'data-felt': true }, renderer.middle(scene)),
    h('div', { class: 'f-own' }, ownOf(scene, renderer)),
  )
  felt.querySelectorAll('[data-path]').forEach(makeButton)
  fit(felt)
}

/** Draw the felt before the first deal. */
export function drawEmpty(felt) {
  felt.className = 'felt empty-felt'
  const backs = [1, 2, 3].map(() => decorative(back()))
  swap(felt, h('div', { class: 'fan' }, backs), h('p', {}, 'Nothing is dealt yet.'))
}

/** Choose the largest size at which nothing scrolls. */
export function fit(felt) {
  for (let size = 0; size < SIZES; size += 1) {
    felt.dataset.fit = String(size)
    if (felt.scrollHeight <= felt.clientHeight + 1 && felt.scrollWidth <= felt.clientWidth + 1)
      break
  }
  // A scrolling region needs a tab stop for the keyboard, unless it has focusable parts, as boards have.
  const scrolls = felt.matches('.at-end') && felt.scrollHeight > felt.clientHeight + 1
  if (scrolls) felt.setAttribute('tabindex', '0')
  else felt.removeAttribute('tabindex')
  const own = felt.querySelector('.f-own')
  if (own) felt.parentElement.style.setProperty('--why', `${own.offsetHeight}px`)
}

/** Wrap a card in a button; make another element a button itself. */
function makeButton(element) {
  const { path } = element.dataset
  if (!element.classList.contains('card')) {
    element.classList.add('thing')
    element.setAttribute('role', 'button')
    element.setAttribute('tabindex', '-1')
    return
  }
  const label = element.getAttribute('aria-label')
  const button = h('button', {
    class: 'thing',
    type: 'button',
    tabindex: '-1',
    'data-path': path,
    'aria-label': label,
  })
  element.removeAttribute('data-path')
  element.replaceWith(button)
  button.append(decorative(element))
}

// --- seats ----------------------------------------------------------------------------------------

function plate(scene, seat) {
  const player = scene.match.seats[seat]
  const { view } = scene
  const acts = view.to_act === seat
  const notes = [
    acts
      ? h(
          'span',
          { class: 'now' },
          seat === scene.viewer && player.kind === 'you' ? 'your turn' : 'to play',
        )
      : null,
    player.left ? 'has left' : null,
    player.fault ? h('span', { class: 'ill', title: player.fault }, '▲ fault') : null,
    scene.rests(seat) ? 'rests' : null,
  ]
  return h(
    'div',
    { class: `plate side-${scene.match.sideOf(seat)}${acts ? ' act' : ''}` },
    h(
      'b',
      {},
      sideMark(scene.match.sideOf(seat)),
      h(
        'span',
        { class: 'name', lang: language(player.name), title: player.name || null },
        scene.names.capital(seat),
      ),
      view.dealer === seat
        ? h('span', { class: 'deal-btn', role: 'img', 'aria-label': 'dealer' }, 'D')
        : null,
    ),
    h('small', {}, notes),
  )
}

/** Another seat's hand: card backs and the number of cards. */
function closed(scene, seat) {
  const cards = scene.view.hand_sizes?.[seat]
  if (cards === undefined) return null
  const backs = Array.from({ length: Math.min(cards, MAX_BACKS) }, () => decorative(back()))
  return h(
    'div',
    {
      class: 'closed',
      role: 'img',
      'aria-label': `${scene.names.of(seat)}: ${count(cards, 'card')}`,
    },
    h('span', { class: 'backs' }, backs),
    h('span', { class: 'held' }, cards),
  )
}

function seatNode(scene, renderer, seat) {
  return h(
    'div',
    { class: `f-seat at-${scene.places[seat]}`, 'data-seat': seat },
    h('div', { class: 'f-who' }, plate(scene, seat), closed(scene, seat), knownCards(scene, seat)),
    renderer.seatArea?.(scene, seat),
  )
}

/** The cards of another hand that are known to all. */
function knownCards(scene, seat) {
  const known = scene.view.known?.[seat] ?? scene.view.shown?.[seat] ?? []
  if (!Array.isArray(known) || !known.length || !known.every(isCard)) return null
  return h(
    'div',
    { class: 'seen', role: 'group', 'aria-label': `known cards of ${scene.names.of(seat)}` },
    known.map((card) => face(card, 'm')),
  )
}

// --- corners --------------------------------------------------------------------------------------

const pileNode = (scene, renderer, side) => {
  const inside = renderer.pile(scene, side)
  return inside && h('div', { class: 'corner', 'data-pile': side }, inside)
}

function cornersOf(scene, renderer) {
  const own = scene.match.sideOf(scene.viewer)
  const stock = renderer.stock(scene)
  return [
    scene.match.sides.map((_, side) => (side === own ? null : pileNode(scene, renderer, side))),
    stock && h('div', { class: 'corner stock' }, stock),
  ]
}

/** The number of the deal. The goal (goal.js) shows the score. */
const dealCorner = (scene) =>
  h('div', { class: 'corner deal' }, h('div', {}, `deal ${scene.view.deal + 1}`))

// --- the viewer's side ------------------------------------------------------------------------------

function ownOf(scene, renderer) {
  const seat = scene.viewer
  const own = scene.match.sideOf(seat)
  return [
    renderer.seatArea ? h('div', { class: 'f-before' }, renderer.seatArea(scene, seat)) : null,
    handNode(scene, seat),
    h(
      'div',
      { class: 'f-foot' },
      dealCorner(scene),
      h('div', { class: 'f-who', 'data-seat': seat }, plate(scene, seat)),
      pileNode(scene, renderer, own) ?? h('div', { class: 'corner' }),
    ),
  ]
}

function handNode(scene, seat) {
  const cards = scene.isHidden(seat) ? [] : (scene.view.hand ?? [])
  if (scene.isHidden(seat)) return h('div', { class: 'hand' }, closed(scene, seat))
  const drawn = scene.view.drawn
  return h(
    'div',
    {
      class: `hand${cards.length > 7 ? ' long' : ''}`,
      role: 'group',
      tabindex: '-1',
      'data-hand': seat,
      'aria-label': `your hand: ${count(cards.length, 'card')}`,
    },
    cards.length
      ? cards.map((card, at) => cardNode(card, `hand.${at}`, card === drawn ? 'new' : ''))
      : h('p', { class: 'none' }, 'your hand is empty'),
  )
}

/** A card of the hand. The hand of a game from another package may contain other items. */
const cardNode = (card, path, more) =>
  isCard(card)
    ? face(card, more, path)
    : h('span', { class: 'odd-card', 'data-path': path, 'aria-label': String(card) }, String(card))
