// Comforts only: every page works without this script.

// A menu closes on Escape and when the reader goes elsewhere.
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

// A choice marked data-submit sends its form at once; its button stays for those without script.
document.addEventListener('change', (event) => {
  const field = /** @type {HTMLSelectElement} */ (event.target)
  if (field.matches('[data-submit]')) field.form.requestSubmit()
})

// A button beside a text copies it.
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
    button.textContent = 'Selected' // no leave to write there: the reader's own keys copy it
  }
})

// Moments are told in the reader's own time, in the form in which the page has them in UTC.
const two = (number) => String(number).padStart(2, '0')
const date = (at) => `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`
const time = (at) => `${two(at.getHours())}:${two(at.getMinutes())}`
const tellTimes = () => {
  /** @type {NodeListOf<HTMLTimeElement>} */
  const moments = document.querySelectorAll('time[datetime]')
  for (const moment of moments) {
    const at = new Date(moment.dateTime)
    if (Number.isNaN(at.getTime())) continue
    if (moment.dataset.shown === 'time') moment.textContent = time(at)
    if (moment.dataset.shown === 'date') moment.textContent = date(at)
    if (moment.title || moment.dataset.shown) moment.title = `${date(at)} ${time(at)}`
  }
}
tellTimes()
document.addEventListener('htmx:afterSettle', tellTimes)

// Where the menu is wider than the screen, the reader's place in it is in view.
/** @type {NodeListOf<HTMLElement>} */
const current = document.querySelectorAll('.nav [aria-current], .tabs [aria-current]')
for (const here of current) {
  const bar = here.parentElement
  bar.scrollLeft = here.offsetLeft - bar.offsetLeft - (bar.clientWidth - here.clientWidth) / 2
}

// Live parts are swapped without moving the reader: a log follows its end only while the reader is
// at the end, a wide table stays scrolled as it is.
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
