// Texts with cards: 9♣ gets the colour of its suit, and "nine of clubs" becomes 9♣.

import { h } from '../board/dom.js'
import { richText } from '../board/words.js'

const LETTERS = { '♣': 'c', '♦': 'd', '♥': 'h', '♠': 's' }
const CARD = /(10|[2-9AJQK])?([♣♦♥♠])/g

/** The text as children for h(), its cards in colour. */
export function colourSuits(text) {
  return richText(text)
    .flat(2)
    .flatMap((part) => (typeof part === 'string' ? colourSigns(part) : [part]))
}

function colourSigns(text) {
  const parts = []
  let done = 0
  for (const match of text.matchAll(CARD)) {
    parts.push(text.slice(done, match.index))
    const [whole, rank, suit] = match
    parts.push(h('span', { class: `t-${LETTERS[suit]} nb` }, `${rank ?? ''}${suit}`))
    done = match.index + whole.length
  }
  return [...parts, text.slice(done)]
}
