// A small table that plays itself, with one sentence below: for pages that show a match beside other
// things; watch.js begins it.

import { useCardsOf } from './cards.js'
import { load, matchOf } from './data.js'
import { rendererOf } from './games.js'
import { placeOf, travel } from './motion.js'
import { named } from './moves.js'
import { drawTable, sceneOf } from './table.js'
import { rich } from './words.js'

const STEP_MS = 2200
const REST_MS = 8000 // at the end, before the deal begins again

class Watch {
  constructor(root, match, renderer) {
    this.board = root.querySelector('[data-part="board"]')
    this.last = root.querySelector('[data-part="last"]')
    this.match = match
    this.renderer = renderer
    this.deal = match.deals.at(-1)
    this.isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  }

  /** The last deal from its middle on; with reduced motion one position stands still. */
  start() {
    this.show(this.deal.first + Math.floor((this.deal.last - this.deal.first) / 2))
    if (!this.isCalm) this.plan(STEP_MS)
  }

  plan(wait) {
    setTimeout(() => {
      if (document.hidden) return this.plan(STEP_MS)
      const isOver = this.at >= this.deal.last
      this.show(isOver ? this.deal.first : this.at + 1, !isOver)
      this.plan(this.at === this.deal.last ? REST_MS : STEP_MS)
    }, wait)
  }

  show(at, single = false) {
    const { match, renderer, board } = this
    const frame = match.frames[at]
    const card = single && frame.move !== null ? renderer.moved(frame, match.extras[at]) : null
    const mover = { seat: frame.seat, side: frame.seat === null ? null : match.sideOf(frame.seat) }
    const was = card && placeOf(board, card, mover, true)
    this.at = at
    drawTable(board, renderer, sceneOf(match, at, null))
    this.last.replaceChildren(...rich(named(match, frame.sentence)).flat())
    if (was) travel(board, card, mover, was)
  }
}

/** Draw the match that the page names into `root`, and play it. */
export async function begin(root) {
  const setup = JSON.parse(document.getElementById('watch-setup').textContent)
  useCardsOf(setup.urls.cards)
  const shown = await load(setup.urls.frames)
  const match = matchOf(shown.frames ?? shown, {}, setup)
  const renderer = await rendererOf(match.game)
  match.extras = renderer.prepare(match)
  new Watch(root, match, renderer).start()
}
