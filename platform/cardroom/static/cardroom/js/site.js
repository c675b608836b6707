// Enhancements only: every page works without this script.

// A menu closes on Escape and on a click outside it.
/** @returns {NodeListOf<HTMLDetailsElement>} */
const menus = () => document.querySelectorAll('details.menu[open]')
document.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return
  for (const menu of menus()) {
    menu.open = false
    menu.querySelector('summary').focus()
  }
})
document.addEventListener('click', (event) => {
  const target = /** @type {Node} */ (event.target)
  for (const menu of menus()) if (!menu.contains(target)) menu.open = false
})

// A field marked data-submit sends its form immediately; the form's button is for readers without scripts.
document.addEventListener('change', (event) => {
  const field = /** @type {HTMLSelectElement} */ (event.target)
  if (field.matches('[data-submit]')) field.form.requestSubmit()
})

// A double click sends a form only once.
const REPEAT_MS = 2000
/** @type {WeakMap<EventTarget, number>} */
const sentAt = new WeakMap()
document.addEventListener('submit', (event) => {
  const form = /** @type {HTMLFormElement} */ (event.target)
  if (form.method !== 'post') return
  if (event.timeStamp - (sentAt.get(form) ?? -REPEAT_MS) < REPEAT_MS) event.preventDefault()
  else sentAt.set(form, event.timeStamp)
})

// A button beside a text copies the text.
document.addEventListener('click', async (event) => {
  /** @type {HTMLElement|null} */
  const button = /** @type {Element} */ (event.target).closest('[data-copy]')
  if (!button) return
  /** @type {HTMLInputElement} */
  const field = document.querySelector(`#${button.dataset.copy}`)
  field.select()
  try {
    await navigator.clipboard.writeText(field.value)
    button.textContent = 'Copied'
  } catch {
    button.textContent = 'Selected' // copying is blocked, so the viewer has to press the keys
  }
})

// If the menu is wider than the screen, scroll to the current item.
/** @type {NodeListOf<HTMLElement>} */
const current = document.querySelectorAll('.nav [aria-current], .tabs [aria-current]')
for (const item of current) {
  const bar = item.parentElement
  bar.scrollLeft = item.offsetLeft - bar.offsetLeft - (bar.clientWidth - item.clientWidth) / 2
}

// Live parts that htmx swaps keep their scroll positions: a log scrolls to its end only if it was there, and a
// wide table keeps its horizontal position.
const isAtEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 8
let wasAtEnd = true
const places = new Map()
/** @returns {NodeListOf<HTMLElement>} */
const wideBoxes = () => document.querySelectorAll('[data-keep-scroll]')
document.addEventListener('htmx:beforeSwap', () => {
  for (const box of wideBoxes()) {
    places.set(box.dataset.keepScroll, box.scrollLeft)
  }
  const log = document.querySelector('[data-follow]')
  wasAtEnd = !log || isAtEnd(log)
})
document.addEventListener('htmx:afterSettle', () => {
  const log = document.querySelector('[data-follow]')
  if (log && wasAtEnd) log.scrollTop = log.scrollHeight
  for (const box of wideBoxes()) {
    box.scrollLeft = places.get(box.dataset.keepScroll) ?? 0
  }
})

// The server renders times in UTC; show them in the viewer's time zone.
const formatter = (options) => new Intl.DateTimeFormat('en-GB', options)
const hourFormat = formatter({ hour: '2-digit', minute: '2-digit' })
const dayFormat = formatter({
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
})
const fullFormat = formatter({ dateStyle: 'long', timeStyle: 'short' })
/** @param {ParentNode} container */
function localise(container) {
  const today = new Date().toDateString()
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = container.querySelectorAll('time[datetime]')
  for (const time of times) {
    const moment = new Date(time.dateTime)
    if (Number.isNaN(moment.getTime())) continue
    time.title = fullFormat.format(moment)
    if (!('clock' in time.dataset)) continue
    time.textContent = (moment.toDateString() === today ? hourFormat : dayFormat).format(moment)
  }
  /** @type {NodeListOf<HTMLElement>} */
  const notes = container.querySelectorAll('[data-times]')
  for (const note of notes) note.hidden = false
}

// Times in forms are rendered in UTC; convert them to the viewer's time zone, in which new ones are typed.
/** @type {NodeListOf<HTMLInputElement>} */
const zones = document.querySelectorAll('input[name=zone]')
for (const zone of zones) {
  const timeZone = new Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!timeZone || zone.value !== 'UTC' || !zone.form) continue
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = zone.form.querySelectorAll('input[type=datetime-local]')
  for (const input of inputs) {
    const moment = new Date(`${input.value}Z`)
    if (Number.isNaN(moment.getTime())) continue
    const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
    input.value = shifted.toISOString().slice(0, input.value.length)
  }
  zone.value = timeZone
  const name = zone.form.querySelector('[data-zone]')
  if (name) name.textContent = timeZone
}

localise(document)
document.addEventListener('htmx:afterSettle', () => localise(document))
