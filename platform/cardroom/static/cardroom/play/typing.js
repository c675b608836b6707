// Typing a move, in the engine's notation or as text, completed from the legal moves.

import { h } from '../board/dom.js'

const normalise = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9♣♦♥♠]+/g, ' ')
    .trim()

/** The legal move that equals the text, or the only one that contains it or begins with it. */
function findMove(moves, text) {
  const exact = moves.find((offer) => offer.move.toLowerCase() === text.trim().toLowerCase())
  if (exact) return exact
  const words = normalise(text)
  const containing = moves.filter((offer) => normalise(offer.sentence).includes(words))
  const starting = moves.filter((offer) =>
    offer.move.toLowerCase().startsWith(text.trim().toLowerCase()),
  )
  return containing.length === 1 ? containing[0] : starting.length === 1 ? starting[0] : null
}

/** The moves that can be typed: moves that do not include later ones. */
const singleMoves = (page) => page.state.decision.moves.filter((offer) => !offer.after.length)

export function wireTyping(page) {
  /** @type {HTMLFormElement} */
  const form = page.find('type')
  const input = form.querySelector('input')
  const list = form.querySelector('datalist')
  input.addEventListener('focus', () => {
    const moves = page.picking.isTurn ? singleMoves(page) : []
    list.replaceChildren(
      ...moves.map((offer) => h('option', { value: offer.move }, page.withNames(offer.sentence))),
    )
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!page.picking.isTurn || !input.value.trim()) return
    const offer = findMove(singleMoves(page), input.value)
    if (!offer) return page.messages.show('No legal move fits this text, or several do.')
    input.value = ''
    page.picking.pickMove(offer)
  })
}
