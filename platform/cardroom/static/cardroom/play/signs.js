// Text with cards: 9♣ gets the colour of its suit, and "nine of clubs" becomes 9♣.

import { h } from '../board/dom.js'
import { richText } from '../board/words.js'

const LETTERS = { '♣': 'c', '♦': 'd', '♥': 'h', '♠': 's' }
const CARD = /(10|[2-9AJQK])?([♣♦♥♠])/g

/** Children for h(): the text with its cards in colour. */
export function signs(text) {
  return richText(text)
    .flat(2)
    .flatMap((part) => (typeof part === 'string' ? coloured(part) : [part]))
}

function coloured(text) {
  const parts = []
  let done = 0
  for (const found of text.matchAll(CARD)) {
    parts.push(text.slice(done, found.index))
    const [whole, rank, suit] = found
    parts.push(h('span', { class: `t-${LETTERS[suit]} nb` }, `${rank ?? ''}${suit}`))
    done = found.index + whole.length
  }
  return [...parts, text.slice(done)]
}
