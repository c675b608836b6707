// The expert's verdict on the shown move, with its cards. Small screens show it as a tab.

import { face } from '../board/cards.js'
import { h } from '../board/dom.js'
import { richText } from '../board/words.js'
import { costMark, costOf, withNames } from './moves.js'

function wordsOf(match, frame) {
  const { analysis } = match
  if (!analysis) return ['This match has not been analysed yet.']
  if (frame.n === null) return ['No move was made here. Go to a move.']
  if (analysis.done !== null && frame.n >= analysis.done)
    return ['This move has not been analysed yet.']
  const cost = costOf(match, frame)
  if (!cost) return ['The expert found no clearly better move.']
  return [
    h('b', { class: 'cost' }, `${costMark(cost)} points: a ${cost.kind}.`),
    cost.better && h('span', {}, 'The expert: ', richText(withNames(match, cost.better))),
  ]
}

const cardsOf = (cards) =>
  cards.length
    ? h(
        'figure',
        {},
        h(
          'span',
          { class: 'cards' },
          cards.map((card) => face(card)),
        ),
        h('figcaption', {}, 'played'),
      )
    : null

/** Draw the expert's verdict on a frame; `cards`: the cards that its move played. */
export function drawExpert(box, match, frame, cards) {
  box.replaceChildren(
    cardsOf(cards) ?? '',
    ...wordsOf(match, frame)
      .filter(Boolean)
      .map((words) => h('p', {}, words)),
  )
}
