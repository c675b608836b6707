// Dragging an element onto another, which has the effect of tapping both.

const FAR = 8 // pixels; shorter movements are taps

export function wireDrag(page) {
  let drag = null
  page.felt.addEventListener('pointerdown', (event) => {
    const element = event.target.closest('[data-path]')
    if (!element || event.button || !page.picking.isTurn) return
    if (!element.matches('.lit, .picked')) return
    const { clientX: x, clientY: y, pointerId: id } = event
    drag = { element, x, y, id, isDragging: false }
  })
  page.felt.addEventListener('pointermove', (event) => {
    if (!drag || event.pointerId !== drag.id) return
    const [x, y] = [event.clientX - drag.x, event.clientY - drag.y]
    if (!drag.isDragging && Math.hypot(x, y) < FAR) return
    if (!drag.isDragging) start(page, drag)
    drag.element.style.setProperty('translate', `${x}px ${y}px`)
  })
  const end = (event) => {
    if (!drag || event.pointerId !== drag.id) return
    const { element, isDragging } = drag
    drag = null
    if (!isDragging) return
    drop(page, element, event)
  }
  page.felt.addEventListener('pointerup', end)
  page.felt.addEventListener('pointercancel', end)
  // Ignore the click that ends a drag.
  page.felt.addEventListener('click', (event) => page.dragged && event.stopPropagation(), true)
}

function start(page, drag) {
  drag.isDragging = true
  page.dragged = true
  drag.element.setPointerCapture(drag.id)
  drag.element.classList.add('dragged')
  page.felt.classList.add('dragging')
  if (!drag.element.classList.contains('picked')) page.picking.pickAt(drag.element.dataset.path)
}

function drop(page, element, event) {
  element.classList.remove('dragged')
  element.style.removeProperty('translate')
  page.felt.classList.remove('dragging')
  setTimeout(() => {
    page.dragged = false
  })
  if (event.type === 'pointercancel') return
  const under = document
    .elementsFromPoint(event.clientX, event.clientY)
    .filter((one) => page.felt.contains(one) && !element.contains(one))
  const target = /** @type {HTMLElement} */ (under.find((one) => one.closest('[data-path]')))
  if (target)
    page.picking.pickAt(/** @type {HTMLElement} */ (target.closest('[data-path]')).dataset.path)
  else if (under.some((one) => one.closest('[data-felt]'))) page.picking.tapFelt()
}
