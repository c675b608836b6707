// Typing a move, in the engine's notation or as text, completed from the legal moves.

import { h } from '../board/dom.js'

const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9♣♦♥♠]+/g, ' ')
    .trim()

/** The legal move that equals the typed text, or the only one that begins with it. */
function found(moves, text) {
  const exact = moves.find((offer) => offer.move.toLowerCase() === text.trim().toLowerCase())
  if (exact) return exact
  const wanted = plain(text)
  const near = moves.filter((offer) => plain(offer.sentence).includes(wanted))
  const begun = moves.filter((offer) =>
    offer.move.toLowerCase().startsWith(text.trim().toLowerCase()),
  )
  return near.length === 1 ? near[0] : begun.length === 1 ? begun[0] : null
}

/** Moves with a text, which excludes several moves in one go. */
const single = (page) => page.state.decision.moves.filter((offer) => !offer.after.length)

export function wireTyping(page) {
  /** @type {HTMLFormElement} */
  const form = page.find('type')
  const input = form.querySelector('input')
  const list = form.querySelector('datalist')
  input.addEventListener('focus', () => {
    const moves = page.picking.isTurn ? single(page) : []
    list.replaceChildren(
      ...moves.map((offer) => h('option', { value: offer.move }, page.told(offer.sentence))),
    )
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    if (!page.picking.isTurn || !input.value.trim()) return
    const offer = found(single(page), input.value)
    if (!offer) return page.saying.say('That matches no legal move, or several.')
    input.value = ''
    page.picking.offer(offer)
  })
}
