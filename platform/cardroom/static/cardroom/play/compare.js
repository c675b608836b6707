// The same cards at the other tables: for each table, the first position in which it played differently.

import { face, setCardFile } from '../board/cards.js'
import { matchOf } from '../board/data.js'
import { h, showFailure } from '../board/dom.js'
import { rendererOf } from '../board/games.js'
import { isCard, places } from '../board/words.js'
import { COMPASS } from './forms.js'
import { differences, strip } from './strip.js'
import { colourSuits } from './suits.js'

const RELOAD_MS = 3000
const MAX_RELOAD_MS = 60_000
const GROWTH = 1.5

/** A small picture of a seat's view: the middle and its hand, with rings around the cards of its move. */
function position(renderer, setup, parted, cards) {
  const view = parted.view
  const viewer = view.seat ?? parted.seat
  const noMove = {
    n: null,
    seat: null,
    move: null,
    events: [],
    sentence: '',
    clock_ms: null,
    at: 0,
  }
  const frame = { ...noMove, deal: view.deal, view }
  const match = matchOf([frame], {}, setup)
  match.extras = renderer.prepare(match)
  const scene = {
    match,
    frame: match.frames[0],
    view,
    extra: match.extras[0],
    viewer,
    places: places(match.total, viewer),
    isHidden: (seat) => seat !== view.seat,
    nameOf: (seat) => nameOf(match, seat, view.seat),
    sideNames: (side) =>
      match.sides[side].map((seat) => nameOf(match, seat, view.seat)).join(' and '),
    liftedCard: () => null,
    rests: () => false,
  }
  const felt = h(
    'div',
    { class: `felt small game-${renderer.name}` },
    h('div', { class: 'f-mid' }, renderer.middle(scene)),
    renderer.seatArea ? h('div', { class: 'f-before' }, renderer.seatArea(scene, viewer)) : null,
    h(
      'div',
      { class: 'hand' },
      view.hand.filter(isCard).map((card) => face(card)),
    ),
  )
  for (const card of cards) felt.querySelector(`[data-card="${card}"]`)?.classList.add('used')
  return felt
}

/** "you", or the name or place of another seat. */
function nameOf(match, seat, you) {
  if (seat === you) return 'you'
  return match.total === 2 ? match.seats[seat].name : COMPASS[places(match.total, you)[seat]]
}

/** Reload the page, after a longer wait each time; a hidden page waits until it is shown. */
function awaitReplays() {
  const reloads = history.state?.reloads ?? 0
  history.replaceState({ reloads: reloads + 1 }, '')
  setTimeout(
    () => {
      if (!document.hidden) location.reload()
      else document.addEventListener('visibilitychange', () => location.reload())
    },
    Math.min(MAX_RELOAD_MS, RELOAD_MS * GROWTH ** reloads),
  )
}

async function begin(root) {
  const comparison = JSON.parse(document.getElementById('comparison').textContent)
  if (!comparison.ready) {
    awaitReplays()
    return
  }
  setCardFile(root.dataset.cards)
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
    words.replaceChildren(...colourSuits(words.textContent))
  const own = comparison.sides.findIndex((side) =>
    side.includes(comparison.seat ?? comparison.people[0]),
  )
  if (own >= 0 && comparison.others.length)
    root.querySelector('[data-part="strip"]').replaceChildren(strip(differences(comparison, own)))
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-compare]')
if (root) begin(root).catch((error) => showFailure(root, error))
