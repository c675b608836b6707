// The felt's first lines: the game and its goal, the score, and the needs, which can still change in this deal.

import { h, s } from '../board/dom.js'
import { numberText, sideMark } from '../board/words.js'
import { fit } from './board.js'
import { colourSuits } from './suits.js'
import { swap } from './swap.js'

/** @typedef {import('./main.js').TablePage} TablePage */

/** The amount that the picks add to a need. */
function pickedAmount(need, decision, composition) {
  let sum = 0
  for (const [at, times] of composition?.picked ?? [])
    sum += (need.adds[decision.parts[at].key] ?? 0) * times
  return sum
}

/** "First meld 30 of 50", as a bar. */
function meter(need, more) {
  const width = (amount) => Math.min(100, (100 * amount) / need.want)
  const now = width(need.have)
  return [
    `${need.words.split(':')[0]} `,
    s(
      'svg',
      { viewBox: '0 0 100 8', preserveAspectRatio: 'none', 'aria-hidden': 'true' },
      s('rect', { class: 'o', width: 100, height: 8 }),
      s('rect', { class: 'f', width: now, height: 8 }),
      s('rect', { class: 'x', x: now, width: width(need.have + more) - now, height: 8 }),
    ),
    h('b', {}, `${need.have + more} of ${need.want}`),
  ]
}

/** The needs as chips; the need that the offered move decides is brass. */
function needsOf(decision, composition) {
  const decidedNeed = composition?.offered?.decides
  return (decision?.needs ?? []).map((need) => {
    const more = need.want ? pickedAmount(need, decision, composition) : 0
    const counts = need.want > 0 && need.have + more > 0
    const kind = counts ? 'meter' : decidedNeed && need.key === decidedNeed ? 'hot' : null
    return h('li', { class: kind }, counts ? meter(need, more) : colourSuits(need.words))
  })
}

/** The score of the match, or of its only deal if it ended now, the viewer's side first. */
function scoreOf(state) {
  const own = Math.max(
    0,
    state.sides.findIndex((side) => side.includes(state.you)),
  )
  const order = state.sides
    .map((_, side) => side)
    .sort((a, b) => Number(b === own) - Number(a === own))
  const isOneDeal = state.format.one_deal
  const sums = order.map((side) =>
    (state.tally ?? []).reduce((sum, line) => sum + line.points[side], 0),
  )
  const points = isOneDeal ? sums : order.map((side) => state.scores[side])
  return [
    h('span', { class: 'quiet' }, isOneDeal ? 'if it ended now ' : 'score '),
    ...order.flatMap((side, i) => [
      i ? ' – ' : '',
      h('span', { class: 'nb' }, sideMark(side), ' ', numberText(points[i])),
    ]),
  ]
}

/** @param {TablePage} page */
export function drawGoal(page) {
  const box = page.felt.querySelector('.f-goal')
  const { state } = page
  if (!box || !state.goal || page.isBehind) return
  const before = box.offsetHeight
  const needs = needsOf(state.decision, page.picking.composition)
  swap(
    box,
    h(
      'p',
      { class: 'goal' },
      h('b', { class: 'gm' }, state.format.title),
      h('span', { class: 'aim' }, h('b', {}, 'Goal'), ` ${state.goal}`),
      h('span', { class: 'push' }, scoreOf(state)),
    ),
    needs.length
      ? h('ul', { class: 'needs', 'aria-label': 'What can still change in this deal' }, needs)
      : null,
  )
  const sideList = page.find('needs')
  if (sideList) swap(sideList, needsOf(state.decision, null))
  if (box.offsetHeight !== before) fit(page.felt)
}
