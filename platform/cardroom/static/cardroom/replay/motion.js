// One card travels, 180 ms; nothing else moves. Geometry is measured, never written into the page.

const TRAVEL_MS = 180
const calm = matchMedia('(prefers-reduced-motion: reduce)')

const boxOf = (board, selector) => board.querySelector(selector)?.getBoundingClientRect() ?? null

/** Where a card is, or else the pile of the side that moves. */
export function placeOf(board, card, side) {
  return {
    card: boxOf(board, `[data-card="${card}"]:not(.sweep)`),
    pile: boxOf(board, `[data-pile="${side}"] .pile`),
    drawing: board.querySelector(`[data-card="${card}"]:not(.sweep)`)?.cloneNode(true) ?? null,
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
  const move = drawing.animate({ transform: ['none', end] }, { duration: TRAVEL_MS, easing: 'ease-out' })
  move.finished.finally(() => drawing.remove()).catch(() => {})
}

/** Let `card` travel from where it was (`placeOf` before drawing) to where it is now. */
export function travel(board, card, side, was) {
  if (calm.matches || document.documentElement.dataset.motion === 'off') return
  const is = placeOf(board, card, side)
  const from = was.card ?? was.pile
  if (!from) return
  if (!is.card) {
    if (is.pile && was.drawing && was.card) ghost(board, was.drawing, from, is.pile)
    return
  }
  const element = board.querySelector(`[data-card="${card}"]:not(.sweep)`)
  element.animate(
    { transform: [shift(from, is.card), 'none'] },
    { duration: TRAVEL_MS, easing: 'ease-out' },
  )
}
