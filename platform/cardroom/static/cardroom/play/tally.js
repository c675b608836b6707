// The sheet of a finished deal on the felt: totals, a row for each line with the cards that earned its points,
// the verdict. Everything is drawn immediately; parts that appear later are invisible.

import { decorative, face } from '../board/cards.js'
import { h, s } from '../board/dom.js'
import { numberText, sideMark } from '../board/words.js'
import { colourSuits } from './suits.js'

const MANY = 8 // cards of one side in a row; of more cards, small screens show the first FEW
const FEW = 4
const MIN_DENSE = 7 // with this number of rows or more, each row is lower
const RAYS = 12

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)
const signed = (points) => (points > 0 ? `+${points}` : points ? numberText(points) : '–')

/** The lozenge of the card backs; the winner's has rays. */
function starNode(isWon) {
  const rays = Array.from({ length: RAYS }, (_, at) =>
    s('path', { class: 'ray', d: 'M0 -33V-47', transform: `rotate(${(360 / RAYS) * at})` }),
  )
  return s(
    'svg',
    { class: 'burst', viewBox: '-50 -50 100 100' },
    s('path', { class: 'lozenge', d: 'M0 -24 17 0 0 24 -17 0Z' }),
    isWon ? rays : null,
  )
}

/** @param {{ kind: string, title: string, sub: string }} verdict */
const verdictNode = (verdict) =>
  h(
    'div',
    { class: 'verdict to-come', 'data-verdict': verdict.kind },
    starNode(verdict.kind === 'won'),
    h('b', {}, verdict.title),
    h('span', {}, colourSuits(verdict.sub)),
  )

// --- evidence -------------------------------------------------------------------------------------

function bar(number, all, isBest) {
  const part = all ? (100 * number) / all : 0
  return s(
    'svg',
    { class: 'e-share', viewBox: '0 0 100 6', preserveAspectRatio: 'none' },
    s('rect', { class: 'all', width: 100, height: 6 }),
    s('rect', { class: isBest ? 'best' : 'part', width: part, height: 6 }),
  )
}

function cardNodes({ cards, crosswise }) {
  const drawn = cards.map((card) => {
    const shown = decorative(face(card))
    return crosswise ? h('span', { class: 'e-across' }, shown) : shown
  })
  return drawn.length > MANY ? shortenRow(drawn) : drawn
}

const shortenRow = (drawn) => [
  drawn.slice(0, FEW),
  h('span', { class: 'e-beyond' }, drawn.slice(FEW)),
  h('span', { class: 'e-more' }, `+${drawn.length - FEW}`),
]

function timesNodes(times) {
  const drawn = times.map(([card, number]) =>
    h('span', { class: 'e-times' }, decorative(face(card)), number > 1 ? `×${number}` : null),
  )
  return drawn.length > FEW ? shortenRow(drawn) : drawn
}

/** @param {import('../board/contract.js').Evidence|undefined} evidence */
function evidenceNodes(evidence, points) {
  if (!evidence) return null
  const { bar: share, cards, fans, times, words } = evidence
  return [
    share ? [bar(share[0], share[1], points > 0), h('b', { class: 'e-amount' }, share[0])] : null,
    cards?.length ? cardNodes(/** @type {any} */ (evidence)) : null,
    fans?.map((fan) =>
      h(
        'span',
        { class: 'fan' },
        fan.map((card) => decorative(face(card))),
      ),
    ),
    times ? timesNodes(times) : null,
    words ? h('span', { class: 'e-words' }, colourSuits(words)) : null,
  ]
}

// --- rows -----------------------------------------------------------------------------------------

const labelNode = (row, line) =>
  h(
    'div',
    { class: 'e-line' },
    row.name,
    h('small', {}, colourSuits([row.note, line?.worth].filter(Boolean).join(', '))),
  )

/** The reason why nobody scores a line; null if somebody does. */
const noneNode = (row, line) =>
  row.points.some(Boolean) ? null : h('small', { class: 'e-none' }, line?.none ?? 'nobody')

const pointsNode = (row, column) =>
  h(
    'b',
    { class: `e-points${row.points[column] > 0 ? ' got' : ''}${row.counts ? '' : ' apart'}` },
    signed(row.points[column]),
  )

function rowNode(row, outcome, line, isTwo) {
  const cells = outcome.order.map((column, place) => {
    const evidence = h(
      'div',
      { class: 'e-proof' },
      evidenceNodes(line?.sides?.[column], row.points[column]),
    )
    const points = pointsNode(row, column)
    return h(
      'div',
      { class: `e-cell${column === outcome.own ? ' e-own' : ''}` },
      isTwo && place === 0 ? [evidence, points] : [points, evidence],
    )
  })
  const [first, ...rest] = cells
  const label = labelNode(row, line)
  label.append(...[noneNode(row, line)].filter(Boolean))
  return h(
    'li',
    { class: 'to-come', 'data-row': row.key },
    isTwo ? [first, label, rest] : [label, first, rest],
  )
}

/** The names of a side's players, with a short form for large sides and many columns. */
function playersNode(outcome, names, seats) {
  const full = h('span', { class: 'e-long' }, capital(names.ofSeats(seats)))
  if (seats.length < 3 && outcome.columns.length < 5) return full
  const own = seats.filter((seat) => seat === names.you).map(() => 'You')
  const others = seats.filter((seat) => seat !== names.you).map((seat) => names.seats[seat].place)
  return [full, h('span', { class: 'e-short' }, [...own, ...others].join(', '))]
}

/** A side's players and total; the ending counts the total up. */
function headNode(outcome, names, column) {
  const seats = outcome.columns[column]
  const isOwn = column === outcome.own
  const before = outcome.before[column]
  return h(
    'div',
    { class: `e-head${isOwn ? ' e-own' : ''}` },
    h(
      'span',
      { class: 'e-who' },
      h('span', {}, sideMark(column), ' ', playersNode(outcome, names, seats)),
      outcome.deal ? h('small', {}, `${numberText(before)} before`) : null,
    ),
    h('b', { class: 'e-total', 'data-total': column }, numberText(before)),
  )
}

/**
 * Draw a deal's sheet into the felt.
 *
 * @param {HTMLElement} felt
 * @param {import('./scoring.js').Outcome} outcome
 * @param {{ names: import('./names.js').Names, verdict: any, earned: Record<string, any> }} ending
 */
export function drawTally(felt, outcome, { names, verdict, earned }) {
  const isTwo = outcome.columns.length === 2
  const total = outcome.columns.length
  const rows = outcome.rows.map((row) => rowNode(row, outcome, earned[row.key], isTwo))
  const kind = isTwo ? 'duel' : `round n${total}${total > 4 ? ' packed' : ''}`
  felt.className = 'felt at-end'
  felt.replaceChildren(
    h(
      'div',
      {
        class: `e-sheet ${kind}${rows.length >= MIN_DENSE ? ' dense' : ''}`,
        'aria-hidden': 'true',
        'data-deal': outcome.deal,
      },
      verdictNode(verdict),
      h(
        'div',
        { class: 'e-heads' },
        outcome.order.map((column) => headNode(outcome, names, column)),
      ),
      h('ol', {}, rows),
    ),
  )
}

/** The sheet as a table for screen readers. */
export const sheetTable = (outcome, { names, verdict }) =>
  h(
    'table',
    { 'data-part': 'end-sheet' },
    h('caption', {}, `${verdict.title}: where the points came from`),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, 'What'),
        outcome.order.map((column) =>
          h('th', { scope: 'col' }, capital(names.ofSeats(outcome.columns[column]))),
        ),
      ),
    ),
    h(
      'tbody',
      {},
      outcome.rows.map((row) =>
        h(
          'tr',
          {},
          h('th', { scope: 'row' }, row.name),
          outcome.order.map((column) => h('td', {}, numberText(row.points[column]))),
        ),
      ),
    ),
    h(
      'tfoot',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'row' }, 'Total'),
        outcome.order.map((column) => h('td', {}, numberText(outcome.after[column]))),
      ),
    ),
  )
