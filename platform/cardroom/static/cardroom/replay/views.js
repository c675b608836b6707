// The part of the match that small screens show: buttons above, swipes on the table.

const FAR = 48 // px
const QUICK_MS = 300
const EDGE = 20 // px, the browser's own

/** Buttons that show one part of the match instead of another; the page's CSS does the rest. */
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
  // Beside a table that is there anyway, the moves are what one wants first.
  const beside = matchMedia('(width >= 700px)')
  const settle = () => {
    const [from, to] = beside.matches ? ['table', 'moves'] : ['moves', 'table']
    choose(root.dataset.view === from ? to : root.dataset.view)
  }
  beside.addEventListener('change', settle)
  settle()
}

/** A swipe on the table to the left leads on, one to the right back. */
export function wireSwipes(board, onSwipe) {
  let began = null
  board.addEventListener('pointerdown', (event) => {
    const inside = event.clientX > EDGE && event.clientX < innerWidth - EDGE
    began = event.isPrimary && event.pointerType !== 'mouse' && inside ? event : null
  })
  board.addEventListener('pointercancel', () => {
    began = null
  })
  board.addEventListener('pointerup', (event) => {
    if (!began) return
    const across = event.clientX - began.clientX
    const down = event.clientY - began.clientY
    const isQuick = event.timeStamp - began.timeStamp < QUICK_MS
    began = null
    if (isQuick && Math.abs(across) >= FAR && Math.abs(across) > Math.abs(down)) {
      onSwipe(across < 0 ? 1 : -1)
    }
  })
}
