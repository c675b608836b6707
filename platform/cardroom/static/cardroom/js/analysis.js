// While an analysis runs: marks in the replay, an announcement at each quarter, a notice at its end.

const TOLD = 'analysis-told'
const QUARTERS = ['', 'A quarter', 'Half', 'Three quarters', 'All']

/** @type {HTMLElement|null} */
const panel = document.querySelector('[data-analysis]')
/** @returns {HTMLElement|null} */
const live = () => panel.querySelector('.analysing')
/** @returns {HTMLButtonElement|null} */
const button = () => panel.querySelector('[data-tell]')
const kept = `${TOLD} ${location.pathname}`
let isTelling = sessionStorage.getItem(kept) !== null
let quarter = quarterOf()

function quarterOf() {
  const { done, moves } = live()?.dataset ?? {}
  return Math.floor((4 * Number(done)) / Math.max(1, Number(moves))) || 0
}

/** The live region stays when htmx swaps the panel; it announces quarters, not moves. */
function speak() {
  const reached = quarterOf()
  if (reached <= quarter) return
  quarter = reached
  panel.querySelector('[data-part="quarter"]').textContent =
    `${QUARTERS[reached]} of the analysis is done.`
}

/** The results so far, for the time line and the list of moves. */
function tellReplay() {
  const marks = panel.querySelector('#analysis-marks')
  if (!marks) return
  const detail = JSON.parse(marks.textContent)
  document.dispatchEvent(new CustomEvent('analysis', { detail }))
}

function showTelling() {
  const shown = button()
  if (!shown) return
  shown.hidden = false
  shown.setAttribute('aria-pressed', String(isTelling))
  shown.textContent = isTelling ? 'We will notify you' : 'Notify me when it is ready'
}

/** The title always changes; a notification is sent if the reader and the browser allow it. */
async function toggleTelling() {
  isTelling = !isTelling
  if (isTelling) sessionStorage.setItem(kept, 'asked')
  else sessionStorage.removeItem(kept)
  showTelling()
  if (isTelling && 'Notification' in window && Notification.permission === 'default') {
    await Notification.requestPermission()
  }
}

function notify() {
  document.title = `Ready: ${document.title}`
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  try {
    new Notification('The analysis is ready', { body: location.href, tag: kept })
  } catch {
    // Some phones allow notifications only to service workers; then only the title changes.
  }
}

/** Reload immediately if the page is visible; else notify, and reload when the reader returns. */
function end() {
  sessionStorage.removeItem(kept)
  if (!isTelling || !document.hidden) {
    location.reload()
    return
  }
  notify()
  document.addEventListener('visibilitychange', () => location.reload(), { once: true })
}

if (panel && live()) {
  showTelling()
  panel.addEventListener('click', (event) => {
    if (/** @type {Element} */ (event.target).closest('[data-tell]')) toggleTelling()
  })
  document.addEventListener('htmx:afterSwap', () => {
    showTelling()
    speak()
    tellReplay()
  })
  document.addEventListener('analysis-over', end)
}
