// While an analysis runs: marks its results in the replay, announces each quarter, and notifies at its end.

const PREFIX = 'analysis-told'
const QUARTERS = ['', 'A quarter', 'Half', 'Three quarters', 'All']

/** @type {HTMLElement|null} */
const panel = document.querySelector('[data-analysis]')
/** @returns {HTMLElement|null} */
const liveRegion = () => panel.querySelector('.analysing')
/** @returns {HTMLButtonElement|null} */
const button = () => panel.querySelector('[data-tell]')
const key = `${PREFIX} ${location.pathname}`
let isNotifying = sessionStorage.getItem(key) !== null
let quarter = quarterOf()

function quarterOf() {
  const { done, moves } = liveRegion()?.dataset ?? {}
  return Math.floor((4 * Number(done)) / Math.max(1, Number(moves))) || 0
}

/** The live region stays when htmx swaps the panel; it announces quarters, not moves. */
function announceQuarter() {
  const newQuarter = quarterOf()
  if (newQuarter <= quarter) return
  quarter = newQuarter
  panel.querySelector('[data-part="quarter"]').textContent =
    `${QUARTERS[newQuarter]} of the analysis is done.`
}

/** Send the results so far to the time line and the list of moves. */
function updateReplay() {
  const marks = panel.querySelector('#analysis-marks')
  if (!marks) return
  const detail = JSON.parse(marks.textContent)
  document.dispatchEvent(new CustomEvent('analysis', { detail }))
}

function drawButton() {
  const element = button()
  if (!element) return
  element.hidden = false
  element.setAttribute('aria-pressed', String(isNotifying))
  element.textContent = isNotifying ? 'We will notify you' : 'Notify me when it is ready'
}

/** Ask for permission to notify; without it, only the title changes. */
async function toggleNotifying() {
  isNotifying = !isNotifying
  if (isNotifying) sessionStorage.setItem(key, 'asked')
  else sessionStorage.removeItem(key)
  drawButton()
  if (isNotifying && 'Notification' in window && Notification.permission === 'default') {
    await Notification.requestPermission()
  }
}

function notify() {
  document.title = `Ready: ${document.title}`
  if (!('Notification' in window) || Notification.permission !== 'granted') return
  try {
    new Notification('The analysis is ready', { body: location.href, tag: key })
  } catch {
    // Some phones allow notifications only to service workers; then only the title changes.
  }
}

/** Reload immediately, or, if the viewer of a hidden page wants to be notified, notify and reload later. */
function end() {
  sessionStorage.removeItem(key)
  if (!isNotifying || !document.hidden) {
    location.reload()
    return
  }
  notify()
  document.addEventListener('visibilitychange', () => location.reload(), { once: true })
}

if (panel && liveRegion()) {
  drawButton()
  panel.addEventListener('click', (event) => {
    if (/** @type {Element} */ (event.target).closest('[data-tell]')) toggleNotifying()
  })
  document.addEventListener('htmx:afterSwap', () => {
    drawButton()
    announceQuarter()
    updateReplay()
  })
  document.addEventListener('analysis-over', end)
}
