// One card travels, 180 ms; nothing else moves. Geometry is measured, never written into the page.

const TRAVEL_MS = 180
const calm = matchMedia('(prefers-reduced-motion: reduce)')

/** The drawing of a card: of equal cards the mover's own, or the one that the last move brought. */
function drawingOf(board, card, seat, isInHand) {
  const drawn = [...board.querySelectorAll(`[data-card="${card}"]:not(.sweep)`)]
  const held = drawn.find((one) => one.closest('[data-hand]')?.dataset.hand === String(seat))
  const laid = drawn.filter((one) => !one.closest('[data-hand]'))
  const latest = laid.find((one) => one.closest('.new')) ?? laid.at(-1)
  return (isInHand ? (held ?? latest) : (latest ?? held)) ?? null
}

/** Where a card is (in the hand, if `isInHand` and it is there too), or else the mover's pile. */
export function placeOf(board, card, { seat, side }, isInHand) {
  const drawing = drawingOf(board, card, seat, isInHand)
  return {
    card: drawing?.getBoundingClientRect() ?? null,
    pile: board.querySelector(`[data-pile="${side}"] .pile`)?.getBoundingClientRect() ?? null,
    drawing,
    wasInHand: Boolean(drawing?.closest('[data-hand]')),
  }
}

const shift = (from, to) =>
  `translate(${from.left - to.left}px, ${from.top - to.top}px) scale(${from.width / to.width})`

/** A copy of the card on its way to a pile, where it disappears. */
function ghost(board, drawing, from, to) {
  const frame = board.getBoundingClientRect()
  drawing.setAttribute('class', 'card ghost')
  drawing.setAttribute('aria-hidden', 'true')
  drawing.style.setProperty('left', `${from.left - frame.left}px`)
  drawing.style.setProperty('top', `${from.top - frame.top}px`)
  drawing.style.setProperty('width', `${from.width}px`)
  drawing.style.setProperty('height', `${from.height}px`)
  board.append(drawing)
  const end = `translate(${to.left - from.left}px, ${to.top - from.top}px) scale(${to.width / from.width})`
  const move = drawing.animate(
    { transform: ['none', end] },
    { duration: TRAVEL_MS, easing: 'ease-out' },
  )
  move.finished.finally(() => drawing.remove()).catch(() => {})
}

/** Let `card` travel from where it was (`placeOf` before drawing) to where it is now. */
export function travel(board, card, mover, was) {
  if (calm.matches || document.documentElement.dataset.motion === 'off') return
  if (!board.clientWidth) return // something else is shown in its place
  const is = placeOf(board, card, mover, !was.wasInHand)
  const from = was.card ?? was.pile
  if (!from?.width || is.card?.width === 0) return
  if (!is.card) {
    if (is.pile && was.drawing) ghost(board, was.drawing.cloneNode(true), from, is.pile)
    return
  }
  is.drawing.animate(
    { transform: [shift(from, is.card), 'none'] },
    { duration: TRAVEL_MS, easing: 'ease-out' },
  )
}
