// The same cards at the other tables: the position where each table parted from this one, drawn.

import { face, useCardsOf } from '../replay/cards.js'
import { matchOf } from '../replay/data.js'
import { h, s } from '../replay/dom.js'
import { rendererOf } from '../replay/games.js'
import { isCard, places } from '../replay/words.js'
import { COMPASS } from './forms.js'
import { signs } from './signs.js'

const AGAIN_MS = 3000

/** What a seat saw, small: the middle and its hand; the cards of its move ringed. */
function position(renderer, setup, parted, cards) {
  const view = parted.view
  const from = view.seat ?? parted.seat
  const moved = { n: null, seat: null, move: null, events: [], sentence: '', clock_ms: null, at: 0 }
  const frame = { ...moved, deal: view.deal, view }
  const match = matchOf([frame], {}, setup)
  match.extras = renderer.prepare(match)
  const scene = {
    match,
    frame: match.frames[0],
    view,
    before: null,
    extra: match.extras[0],
    from,
    where: places(match.total, from),
    isHidden: (seat) => seat !== view.seat,
    nameOf: (seat) => nameOf(match, seat, view.seat),
    sideNames: (side) =>
      match.sides[side].map((seat) => nameOf(match, seat, view.seat)).join(' and '),
    lifted: () => null,
    rests: () => false,
  }
  const felt = h(
    'div',
    { class: `felt small game-${renderer.name}` },
    h('div', { class: 'f-mid' }, renderer.middle(scene)),
    renderer.before ? h('div', { class: 'f-before' }, renderer.before(scene, from)) : null,
    h(
      'div',
      { class: 'hand' },
      view.hand.filter(isCard).map((card) => face(card)),
    ),
  )
  for (const card of cards) felt.querySelector(`[data-card="${card}"]`)?.classList.add('used')
  return felt
}

/** "you", the other one's name, or where they sit. */
function nameOf(match, seat, you) {
  if (seat === you) return 'you'
  return match.total === 2 ? match.seats[seat].name : COMPASS[places(match.total, you)[seat]]
}

const WIDTH = 400
const EDGE = 40

/** The difference of the points at each table on one line, the mean of the others marked. */
function strip(comparison, own) {
  const difference = (points) => points[own] - Math.max(...points.filter((_, side) => side !== own))
  const mine = difference(comparison.own.points)
  const others = comparison.others.map((other) => [other.title, difference(other.points)])
  const all = [mine, ...others.map(([, value]) => value)]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const x = (value) => EDGE + ((value - low) / (high - low || 1)) * (WIDTH - 2 * EDGE)
  const sign = (value) => (value > 0 ? `+${value}` : String(value).replace('-', '−'))
  const label = [`you ${sign(mine)}`, ...others.map(([name, value]) => `${name} ${sign(value)}`)]
  return s(
    'svg',
    { class: 'strip', viewBox: `0 -6 ${WIDTH} 82`, role: 'img', 'aria-label': label.join(', ') },
    s('path', { class: 'ax', d: `M10 50H${WIDTH - 10}` }),
    others.map(([name, value], i) => [
      s('circle', { class: 'o', cx: x(value), cy: 42, r: 5 }),
      s(
        'text',
        { x: x(value), y: 30 - 14 * (i % 3), 'text-anchor': 'middle' },
        `${name} ${sign(value)}`,
      ),
    ]),
    s('circle', { class: 'me', cx: x(mine), cy: 42, r: 6 }),
    s('text', { class: 'b', x: x(mine), y: 70, 'text-anchor': 'middle' }, `you ${sign(mine)}`),
  )
}

async function begin(root) {
  const comparison = JSON.parse(document.getElementById('comparison').textContent)
  if (!comparison.ready) {
    setTimeout(() => location.reload(), AGAIN_MS)
    return
  }
  useCardsOf(root.dataset.cards)
  const renderer = await rendererOf(comparison.format.game)
  const seats = comparison.names.map((name, seat) => ({ name, compass: name, place: String(seat) }))
  const urls = { rules: comparison.format.rules }
  const setup = { seats, sides: comparison.sides, clock: { bank_ms: 0, move_ms: 0 }, urls }
  for (const box of root.querySelectorAll('[data-parted]')) {
    const { parted } = comparison.others[Number(box.dataset.parted)]
    const { cards } = parted.theirs ?? parted.yours
    box.replaceChildren(position(renderer, setup, parted, cards))
  }
  for (const words of root.querySelectorAll('[data-signs]'))
    words.replaceChildren(...signs(words.textContent))
  const own = comparison.sides.findIndex((side) =>
    side.includes(comparison.seat ?? comparison.people[0]),
  )
  if (own >= 0 && comparison.others.length)
    root.querySelector('[data-part="strip"]').replaceChildren(strip(comparison, own))
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-compare]')
if (root) begin(root)
