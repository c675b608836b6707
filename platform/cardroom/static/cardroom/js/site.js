// Enhancements only: every page works without this script.

// A menu closes on Escape and when the focus leaves it.
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

// A choice marked data-submit sends its form immediately; its button remains for readers without scripts.
document.addEventListener('change', (event) => {
  const field = /** @type {HTMLSelectElement} */ (event.target)
  if (field.matches('[data-submit]')) field.form.requestSubmit()
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
    button.textContent = 'Selected' // not permitted, so the reader copies it by key
  }
})

// If the menu is wider than the screen, scroll to the current item.
/** @type {NodeListOf<HTMLElement>} */
const current = document.querySelectorAll('.nav [aria-current], .tabs [aria-current]')
for (const here of current) {
  const bar = here.parentElement
  bar.scrollLeft = here.offsetLeft - bar.offsetLeft - (bar.clientWidth - here.clientWidth) / 2
}

// Swapped live parts keep the reader's position: a log follows its end only if it was at its end, and a wide
// table keeps its horizontal scroll position.
const atEnd = (log) => log.scrollHeight - log.scrollTop - log.clientHeight < 8
let following = true
const places = new Map()
/** @returns {NodeListOf<HTMLElement>} */
const wide = () => document.querySelectorAll('[data-keep-scroll]')
document.addEventListener('htmx:beforeSwap', () => {
  for (const box of wide()) {
    places.set(box.dataset.keepScroll, box.scrollLeft)
  }
  const log = document.querySelector('[data-follow]')
  following = !log || atEnd(log)
})
document.addEventListener('htmx:afterSettle', () => {
  const log = document.querySelector('[data-follow]')
  if (log && following) log.scrollTop = log.scrollHeight
  for (const box of wide()) {
    box.scrollLeft = places.get(box.dataset.keepScroll) ?? 0
  }
})

// The server writes times in UTC; show them in the reader's time zone.
const asText = (options) => new Intl.DateTimeFormat('en-GB', options)
const hour = asText({ hour: '2-digit', minute: '2-digit' })
const dayAndHour = asText({ day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit' })
const inFull = asText({ dateStyle: 'long', timeStyle: 'short' })
/** @param {ParentNode} part */
function localise(part) {
  const today = new Date().toDateString()
  /** @type {NodeListOf<HTMLTimeElement>} */
  const times = part.querySelectorAll('time[datetime]')
  for (const time of times) {
    const moment = new Date(time.dateTime)
    if (Number.isNaN(moment.getTime())) continue
    time.title = inFull.format(moment)
    if (!('clock' in time.dataset)) continue
    time.textContent = (moment.toDateString() === today ? hour : dayAndHour).format(moment)
  }
  /** @type {NodeListOf<HTMLElement>} */
  const notes = part.querySelectorAll('[data-times]')
  for (const note of notes) note.hidden = false
}

// Times in forms are rendered in UTC; people type them in their own zone.
/** @type {NodeListOf<HTMLInputElement>} */
const zones = document.querySelectorAll('input[name=zone]')
for (const zone of zones) {
  const own = new Intl.DateTimeFormat().resolvedOptions().timeZone
  if (!own || zone.value !== 'UTC' || !zone.form) continue
  /** @type {NodeListOf<HTMLInputElement>} */
  const inputs = zone.form.querySelectorAll('input[type=datetime-local]')
  for (const input of inputs) {
    const moment = new Date(`${input.value}Z`)
    if (Number.isNaN(moment.getTime())) continue
    const shifted = new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000)
    input.value = shifted.toISOString().slice(0, input.value.length)
  }
  zone.value = own
  const name = zone.form.querySelector('[data-zone]')
  if (name) name.textContent = own
}

localise(document)
document.addEventListener('htmx:afterSettle', () => localise(document))
