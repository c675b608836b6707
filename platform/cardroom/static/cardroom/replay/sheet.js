// The score of a deal: each side's number of scoring cards, and their points.

import { h } from '../board/dom.js'
import { numberText, richText, sideMark } from '../board/words.js'

const MANY_SIDES = 4 // with more sides, columns are only as wide as their numbers

const capital = (text) => text[0].toUpperCase() + text.slice(1)

/** The points of the deal by side, if it ended at this frame; zeros without a tally. */
export function pointsOf(match, frame) {
  const lines = match.tally?.frames[frame.at]
  if (!lines) return match.sides.map(() => 0)
  return match.sides.map((_, side) => lines.reduce((sum, rowNode) => sum + rowNode[side], 0))
}

/** The scores of the match if the deal ended at this frame. */
export function standingOf(match, frame) {
  const deal = match.deals[frame.dealIndex]
  if (!match.tally) return frame.view.scores
  if (match.tally.standing) return match.tally.standing[frame.at]
  const before = match.frames[deal.first].view.scores
  return pointsOf(match, frame).map((points, side) => before[side] + points)
}

const sideHead = (match, side) =>
  h(
    'th',
    { scope: 'col', class: 'n' },
    sideMark(side),
    ' ',
    match.sides[side].map((seat) => match.seats[seat].place).join('–'),
  )

const signed = (points) => (points > 0 ? `+${points}` : numberText(points))

/** An amount with its points, or the points alone. */
function cell(amount, points) {
  if (!amount && !points) return h('td', { class: 'n none' }, '–')
  if (amount === undefined) return h('td', { class: 'n' }, numberText(points))
  return h(
    'td',
    { class: 'n' },
    String(amount),
    points ? h('span', { class: 'pts' }, signed(points)) : null,
  )
}

function rowNode(match, frame, clause, index, amounts) {
  const points = match.tally.frames[frame.at][index]
  const link = h(
    'a',
    { href: `${match.urls.rules}#${clause.clause}`, title: clause.clause },
    richText(capital(clause.for)),
  )
  return h(
    'tr',
    {},
    h('th', { scope: 'row' }, link),
    match.sides.map((_, side) => cell(amounts?.[side], points[side])),
  )
}

/** Draw the sheet of the frame's deal. */
export function drawSheet(table, renderer, scene) {
  const { match, frame } = scene
  const isOver =
    frame.at === match.deals[frame.dealIndex].last ||
    frame.moveInDeal === match.deals[frame.dealIndex].moves
  const amounts = renderer.amounts?.(scene) ?? {}
  const points = pointsOf(match, frame)
  const title = `Deal ${frame.deal + 1}${isOver ? '' : ' so far'}`
  const rows = (match.tally?.lines ?? []).map((clause, i) =>
    rowNode(match, frame, clause, i, amounts[clause.key]),
  )
  const sum = (label, values, sign = '') =>
    h(
      'tr',
      {},
      h('th', { scope: 'row' }, label),
      values.map((value) =>
        h('td', { class: 'n' }, sign && value > 0 ? `${sign}${value}` : numberText(value)),
      ),
    )
  const link = ([label, clause, values]) =>
    sum(h('a', { href: `${match.urls.rules}#${clause}`, title: clause }, label), values)
  const total = !match.tally
    ? sum('Score', frame.view.scores)
    : (renderer.sums?.(scene).map(link) ??
      sum(isOver ? 'This deal' : 'If it ended now', points, '+'))
  table.classList.toggle('wide', match.sides.length > 2)
  table.classList.toggle('many', match.sides.length > MANY_SIDES)
  table.replaceChildren(
    h('caption', { class: 'vh' }, `Score of ${title.toLowerCase()}`),
    h(
      'thead',
      {},
      h(
        'tr',
        {},
        h('th', { scope: 'col' }, title),
        match.sides.map((_, side) => sideHead(match, side)),
      ),
    ),
    h('tbody', {}, rows),
    h('tfoot', {}, total),
  )
}
