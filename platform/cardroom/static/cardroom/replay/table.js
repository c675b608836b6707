// The table: seats, plates and hands around the middle, which the game's renderer draws.

import { back, face } from '../board/cards.js'
import { h } from '../board/dom.js'
import {
  count,
  durationText,
  joinNames,
  language,
  numberText,
  places,
  sideMark,
} from '../board/words.js'

const MANY_SIDES = 3 // with more sides, or five and more seats, each pile lies with its owner's hand
const LONG_HAND = 11 // cards; longer hands are drawn a little smaller
const TIGHT_STEPS = 6 // sizes below the normal one; see tight.css

/** The renderer's input: one frame, and the viewer's seat. */
export function sceneOf(match, at, viewer) {
  const frame = match.frames[at]
  return {
    match,
    frame,
    view: frame.view,
    extra: match.extras[at],
    viewer,
    places: places(match.total, viewer ?? 0),
    isHidden: (seat) => Boolean(match.live) || (viewer !== null && seat !== viewer),
    nameOf: (seat) => match.seats[seat].compass,
    sideNames: (side) => joinNames(match.sides[side].map((seat) => match.seats[seat].compass)),
  }
}

function plate(scene, seat) {
  const { match, frame, view } = scene
  const player = match.seats[seat]
  const acts = view.to_act === seat
  const side = match.sideOf(seat)
  const isTurned = scene.viewer !== null && scene.viewer !== 0
  const dealer = h(
    'span',
    { class: 'deal-btn', role: 'img', 'aria-label': 'dealer', title: 'dealer' },
    'D',
  )
  const rating = player.rating === null ? null : h('span', { title: 'rating' }, ratingOf(player))
  return h(
    'div',
    { class: `plate side-${side}${acts ? ' act' : ''}` },
    h(
      'b',
      {},
      sideMark(side),
      isTurned ? h('abbr', { title: scene.nameOf(seat) }, player.place) : null,
      h(
        'span',
        { class: 'name', lang: language(player.name), title: player.name },
        player.name,
        player.version === null ? null : h('span', { class: 'ver' }, ` v${player.version}`),
        view.dealer === seat ? [' ', dealer] : null,
      ),
    ),
    h(
      'small',
      {},
      rating,
      h('span', { title: 'bank left', class: 'bank' }, durationText(match.banks[frame.at][seat])),
      acts ? h('span', { class: 'now' }, 'to play') : null,
      scene.rests(seat) ? h('span', { class: 'now' }, 'rests this deal') : null,
    ),
  )
}

const ratingOf = (player) => [
  player.rating.toLocaleString('en'),
  player.interval === null ? null : h('span', { class: 'give' }, ` ±${player.interval}`),
]

/** A seat's cards, or backs if the viewer has another seat. */
function hand(scene, seat) {
  const { view } = scene
  const open = view.hands && !scene.isHidden(seat)
  const cards = open ? view.hands[seat] : Array(view.hand_sizes[seat]).fill(null)
  const liftedCard = open ? scene.liftedCard(seat) : null
  const cardNodes = cards.map((card) =>
    card ? face(card, card === liftedCard ? 'lift' : '') : back(),
  )
  return h(
    'div',
    {
      class: `fan${cards.length ? '' : ' bare'}${cards.length > LONG_HAND ? ' long' : ''}`,
      role: 'group',
      'data-hand': seat,
      'aria-label': `${scene.nameOf(seat)} holds ${count(cards.length, 'card')}`,
    },
    cardNodes,
  )
}

/** Whether captured piles lie with their owners' hands instead of in the corners. */
const hasPilesAtSeats = ({ match }, renderer) =>
  match.total > 4 || match.sides.length > (renderer.maxCorners ?? MANY_SIDES)

function pileNode(scene, renderer, side, classes) {
  const inside = renderer.pile(scene, side)
  return inside && h('div', { class: `corner ${classes}`, 'data-pile': side }, inside)
}

/** A seat's plate and hand, its pile if it lies there, and the game's cards before the seat. */
function seatNode(scene, renderer, seat) {
  const side = scene.match.sideOf(seat)
  const isFirst = scene.match.sides[side][0] === seat
  const pile =
    hasPilesAtSeats(scene, renderer) && isFirst ? pileNode(scene, renderer, side, 'kept') : null
  const lap = h('div', { class: 'lap' }, hand(scene, seat), pile)
  return h(
    'div',
    { class: `g-${scene.places[seat]} seat`, 'data-seat': seat },
    h('div', { class: 'own' }, plate(scene, seat), lap),
    renderer.seatArea?.(scene, seat),
  )
}

/** The grid area of a side's pile: south's below, west's (or north's) above, a third side's opposite. */
function pileArea(scene, side) {
  const at = scene.match.sides[side].map((seat) => scene.places[seat])
  if (at.includes('s')) return 'pa'
  if (at.includes('w') || scene.match.total === 2) return 'pb'
  return 'pc'
}

const CORNERS = { pa: 'r low', pb: '', pc: 'r' }

function cornerPiles(scene, renderer) {
  if (hasPilesAtSeats(scene, renderer)) return []
  return scene.match.sides.map((_, side) => {
    const area = pileArea(scene, side)
    return pileNode(scene, renderer, side, `g-${area} ${CORNERS[area]}`.trim())
  })
}

/** The scores; with three or more sides, each with the places of its seats. */
function scoresOf(match, scores) {
  if (match.sides.length < 3) return h('b', {}, scores.map(numberText).join(' – '))
  return h(
    'ul',
    { class: 'tallies' },
    match.sides.map((seats, side) =>
      h(
        'li',
        {},
        seats.map((seat) => match.seats[seat].place).join('–'),
        h('b', {}, numberText(scores[side])),
      ),
    ),
  )
}

function dealCorner(scene) {
  const { match, frame } = scene
  const deal = match.deals[frame.dealIndex]
  const before = match.frames[deal.first].view.scores
  return h(
    'div',
    { class: 'g-dl corner low' },
    h(
      'div',
      {},
      `deal ${deal.number + 1}${match.live ? '' : ` of ${match.deals.length}`}`,
      scoresOf(match, before),
      'before this deal',
    ),
  )
}

/** Draw one frame into `board`, replacing its content. */
export function drawTable(board, renderer, scene) {
  const { match, frame, view } = scene
  scene.liftedCard = (seat) => renderer.liftedCard(scene, seat)
  scene.rests = (seat) => renderer.rests?.(scene, seat) ?? false
  const seats = match.seats.map((_, seat) => seatNode(scene, renderer, seat))
  const stock = renderer.stock(scene)
  const scroller = renderer.scrolls
    ? { tabindex: '0', role: 'region', 'aria-label': 'on the table' }
    : {}
  const middle = h('div', { class: 'g-c center', ...scroller }, renderer.middle(scene))
  const move = frame.n === null ? '' : `, after move ${frame.moveInDeal}`
  const table = h(
    'section',
    {
      class: `table t${match.total} ${hasPilesAtSeats(scene, renderer) ? 'kept-piles ' : ''}${renderer.name}`,
      'aria-label': `The table, deal ${view.deal + 1}${move}`,
      'data-frame': frame.at,
    },
    cornerPiles(scene, renderer),
    stock && h('div', { class: 'g-st corner r' }, stock),
    seats,
    middle,
    renderer.showsScores ? null : dealCorner(scene),
  )
  board.replaceChildren(table)
  fit(board)
}

/** Shrink a table that needs more room: first its cards, then everything. */
export function fit(board) {
  const table = board.firstElementChild
  delete board.dataset.tight
  for (let step = 1; step <= TIGHT_STEPS && table.scrollHeight > table.clientHeight + 1; step += 1)
    board.dataset.tight = String(step)
}
