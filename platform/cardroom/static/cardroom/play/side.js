// The panel beside the felt, which small screens show as a menu: last moves, legal moves, scores, players.

import { h } from '../board/dom.js'
import { numberText, sideMark } from '../board/words.js'
import { button } from './bar.js'
import { colourSuits } from './suits.js'
import { swap } from './swap.js'

const MAX_EVENTS = 6

/** The last moves as text, newest first. */
export function drawEvents(list, frames, at, names) {
  const events = frames.slice(0, at + 1).filter((frame) => frame.sentence)
  const last = events.slice(-MAX_EVENTS).reverse()
  swap(
    list,
    last.map((frame, i) =>
      h(
        'li',
        { class: i ? null : 'newest' },
        colourSuits(names.replacePlaces(frame.sentence)),
        frame.clause ? h('span', { class: 'clause' }, ` ${frame.clause}`) : null,
      ),
    ),
  )
}

/** Every legal move as a button with its sentence. */
export function drawMoves(box, decision, withNames) {
  const moves = (decision?.moves ?? []).filter((offer) => !offer.after.length)
  box.hidden = !moves.length
  box.querySelector('summary').textContent =
    moves.length === 1 ? 'Your only move' : `All ${moves.length} legal moves`
  box
    .querySelector('ul')
    .replaceChildren(
      ...moves.map((offer, i) =>
        h('li', {}, button('offer', colourSuits(withNames(offer.sentence)), { 'data-offer': i })),
      ),
    )
}

/**
 * The score of the deal, if it ended now or at its end, and of the match.
 *
 * @param {HTMLTableElement} table
 * @param {any} state
 * @param {import('./names.js').Names} names
 * @param {import('./scoring.js').Outcome|null} outcome of the deal that is over
 */
export function drawScore(table, state, names, outcome) {
  const own = Math.max(
    0,
    state.sides.findIndex((side) => side.includes(state.you)),
  )
  const order =
    outcome?.order ??
    state.sides.map((_, side) => side).sort((a, b) => Number(b === own) - Number(a === own))
  const columns = outcome?.columns ?? state.sides
  const cells = (numbers) =>
    order.map((side) => h('td', { class: 'n' }, numbers[side] ? numberText(numbers[side]) : '–'))
  const head = order.map((side) =>
    h('th', { scope: 'col', class: 'n' }, sideMark(side), ' ', headOf(state, names, columns[side])),
  )
  const lines = outcome?.rows.map((row) => ({ ...row, for: row.words })) ?? state.tally ?? []
  const linked = (line) =>
    line.clause
      ? h(
          'a',
          { href: `${state.format.rules}#${line.clause}`, target: '_blank' },
          colourSuits(capital(line.for)),
        )
      : capital(line.for)
  const rows = lines.map((line) =>
    h('tr', {}, h('th', { scope: 'row' }, linked(line)), cells(line.points)),
  )
  const title = outcome ? `Deal ${outcome.deal + 1}` : 'If the deal ended now'
  table.classList.toggle('many', columns.length > 3)
  swap(
    table,
    h('caption', { class: 'vh' }, 'Score'),
    h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, title), head)),
    h('tbody', {}, rows),
    h(
      'tfoot',
      {},
      h('tr', {}, h('th', { scope: 'row' }, 'Match'), cells(outcome?.after ?? state.scores)),
    ),
  )
}

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

const headOf = (state, names, seats) =>
  state.sides.length > 3
    ? seats.map((seat) => state.seats[seat].place).join('–')
    : seats.includes(state.you)
      ? capital(names.ofSeats(seats))
      : names.ofSeats(seats)

/** The players at their seats, with buttons to replace absent ones. */
export function drawSeats(list, state) {
  const canSeat = state.you !== null && state.state !== 'finished'
  swap(
    list,
    state.seats.map((seat) =>
      h(
        'li',
        {},
        h('span', { class: 'place' }, seat.compass),
        h(
          'span',
          {},
          seat.url ? h('a', { href: seat.url }, nameOf(seat)) : nameOf(seat),
          noteOf(seat) ? h('span', { class: 'quiet' }, ` ${noteOf(seat)}`) : null,
        ),
        canSeat && isVacant(seat)
          ? button('house', 'Seat a house bot', { 'data-seat': seat.index })
          : null,
      ),
    ),
  )
}

/** Whether a house bot may take the seat; it may not take one's own. */
const isVacant = (seat) =>
  seat.kind === 'open' || (seat.kind === 'person' && (seat.left || !seat.here))

/** The player of a seat, without the suffix of equal names, because the place stands beside it. */
const nameOf = (seat) => {
  if (seat.kind === 'open') return 'open'
  const name = seat.name.replace(` in the ${seat.compass.toLowerCase()}`, '')
  return seat.kind === 'you' ? `you, ${name}` : name
}

function noteOf(seat) {
  if (seat.fault) return seat.fault
  if (seat.left) return 'has left'
  if (seat.before) return `in place of ${seat.before}`
  return seat.kind === 'person' && !seat.here ? 'is away' : ''
}

/** A house bot's advice. */
export function drawHint(box, hint, withNames) {
  box.hidden = false
  box
    .querySelector('[data-part="hint-words"]')
    .replaceChildren(
      ...[
        h('b', {}, colourSuits(withNames(hint.sentence))),
        ' ',
        colourSuits(hint.why ?? ''),
      ].flat(),
    )
  box.querySelector('h3').textContent = `Hint from ${hint.by}`
}
