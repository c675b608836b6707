// A card's way from hand to table when somebody else moves, or oneself.

import { placeOf, travel } from '../replay/motion.js'

/**
 * Measure now, before the frame is drawn; the answer lets the card travel once it is drawn.
 *
 * @returns {(() => void)|null}
 */
export function flight(felt, match, at, page) {
  const frame = match.frames[at]
  if (!frame?.move || frame.seat === null) return null
  const card = page.renderer.moved(frame, match.extras[at])
  if (!card) return null
  const mover = { seat: frame.seat, side: match.sideOf(frame.seat) }
  const was = placeOf(felt, card, mover, true)
  const home = felt.querySelector(`[data-seat="${frame.seat}"] .closed .card`)
  if (!was.card && home) was.card = home.getBoundingClientRect()
  return () => travel(felt, card, mover, was)
}
