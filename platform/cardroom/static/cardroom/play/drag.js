// Dragging an element onto another, which has the effect of tapping both.

const FAR = 8 // pixels; shorter movements are taps

export function wireDrag(page) {
  let drag = null
  page.felt.addEventListener('pointerdown', (event) => {
    const thing = event.target.closest('[data-path]')
    if (!thing || event.button || !page.picking.isTurn || !thing.matches('.lit, .picked')) return
    drag = { thing, x: event.clientX, y: event.clientY, id: event.pointerId, moved: false }
  })
  page.felt.addEventListener('pointermove', (event) => {
    if (!drag || event.pointerId !== drag.id) return
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y]
    if (!drag.isDragging && Math.hypot(x, y) < FAR) return
    if (!drag.isDragging) start(page, drag)
    drag.thing.style.setProperty('translate', `${x}px ${y}px`)
  })
  const end = (event) => {
    if (!drag || event.pointerId !== drag.id) return
    const { thing, moved } = drag
    drag = null
    if (!moved) return
    drop(page, thing, event)
  }
  page.felt.addEventListener('pointerup', end)
  page.felt.addEventListener('pointercancel', end)
  // Ignore the click that ends a drag.
  page.felt.addEventListener('click', (event) => page.dragged && event.stopPropagation(), true)
}

function start(page, drag) {
  drag.isDragging = true
  page.dragged = true
  drag.thing.setPointerCapture(drag.id)
  drag.thing.classList.add('dragged')
  page.felt.classList.add('dragging')
  if (!drag.thing.classList.contains('picked')) page.picking.pickAt(drag.thing.dataset.path)
}

function drop(page, thing, event) {
  thing.classList.remove('dragged')
  thing.style.removeProperty('translate')
  page.felt.classList.remove('dragging')
  setTimeout(() => {
    page.dragged = false
  })
  if (event.type === 'pointercancel') return
  const under = document
    .elementsFromPoint(event.clientX, event.clientY)
    .filter((one) => page.felt.contains(one) && !thing.contains(one))
  const target = /** @type {HTMLElement} */ (under.find((one) => one.closest('[data-path]')))
  if (target)
    page.picking.pickAt(/** @type {HTMLElement} */ (target.closest('[data-path]')).dataset.path)
  else if (under.some((one) => one.closest('[data-felt]'))) page.picking.tapFelt()
}
