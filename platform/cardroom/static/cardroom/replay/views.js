// Parts of the match on small screens: buttons above, swipes on the table.

const FAR = 48 // px of a swipe
const QUICK_MS = 300
const EDGE = 20 // px at the screen's edge, where the browser has its own swipes

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
  // A wide screen always shows the table, so the moves come first.
  const beside = matchMedia('(width >= 700px)')
  const settle = () => {
    const [from, to] = beside.matches ? ['table', 'moves'] : ['moves', 'table']
    choose(root.dataset.view === from ? to : root.dataset.view)
  }
  beside.addEventListener('change', settle)
  settle()
}

/** A swipe on the table to the left goes forward, one to the right goes back. */
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
