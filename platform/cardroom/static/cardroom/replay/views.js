// Small screens show one part of the match at a time: buttons choose it, and swipes on the table change moves.

const MIN_SWIPE_PX = 48 // px of a swipe
const MAX_SWIPE_MS = 300
const EDGE_PX = 20 // px at the screen's edge, where the browser has its own swipes

/** Let buttons choose the shown part of the match; CSS hides the others. */
export function wireViews(root, onShow) {
  const buttons = [...root.querySelectorAll('[data-part="views"] [data-view]')]
  const choose = (name) => {
    root.dataset.view = name
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.dataset.view === name))
    }
    onShow(name)
  }
  for (const button of buttons) button.addEventListener('click', () => choose(button.dataset.view))
  // A wide screen always shows the table, so the moves come first.
  const beside = matchMedia('(width >= 700px)')
  const settle = () => {
    const [from, to] = beside.matches ? ['table', 'moves'] : ['moves', 'table']
    choose(root.dataset.view === from ? to : root.dataset.view)
  }
  beside.addEventListener('change', settle)
  settle()
}

/** Call `onSwipe` with 1 after a swipe to the left, and with −1 after a swipe to the right. */
export function wireSwipes(board, onSwipe) {
  let start = null
  board.addEventListener('pointerdown', (event) => {
    const inside = event.clientX > EDGE_PX && event.clientX < innerWidth - EDGE_PX
    start = event.isPrimary && event.pointerType !== 'mouse' && inside ? event : null
  })
  board.addEventListener('pointercancel', () => {
    start = null
  })
  board.addEventListener('pointerup', (event) => {
    if (!start) return
    const dx = event.clientX - start.clientX
    const dy = event.clientY - start.clientY
    const isQuick = event.timeStamp - start.timeStamp < MAX_SWIPE_MS
    start = null
    if (isQuick && Math.abs(dx) >= MIN_SWIPE_PX && Math.abs(dx) > Math.abs(dy)) {
      onSwipe(dx < 0 ? 1 : -1)
    }
  })
}
