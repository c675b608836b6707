// A small table that plays itself, with one sentence below: for pages that show a match beside other
// things; watch.js begins it.

import { useCardsOf } from '../board/cards.js'
import { load, matchOf } from '../board/data.js'
import { rendererOf } from '../board/games.js'
import { Showing } from '../board/showing.js'
import { isStill } from '../board/stage.js'
import { rich } from '../board/words.js'
import { named } from './moves.js'
import { drawTable, sceneOf } from './table.js'

const REST_MS = 8000 // at the end, before the deal begins again

class Watch {
  constructor(root, match, renderer) {
    this.board = root.querySelector('[data-part="board"]')
    this.last = root.querySelector('[data-part="last"]')
    this.match = match
    this.renderer = renderer
    this.deal = match.deals.at(-1)
    this.pace = /** @type {const} */ ('normal')
    this.waiting = 0 // nobody here is to move
    this.showing = new Showing(this)
  }

  /** The last deal from its middle on; with reduced motion one position stands still. */
  start() {
    this.show(this.deal.first + Math.floor((this.deal.last - this.deal.first) / 2))
    if (this.still) return
    this.showing.start()
    document.addEventListener('visibilitychange', () => this.nextFrame() && this.showing.start())
  }

  get still() {
    return isStill()
  }

  isOwn() {
    return false
  }

  /** Nothing moves where nobody looks. */
  nextFrame() {
    const isOver = document.hidden || this.at >= this.deal.last
    return isOver ? null : this.match.frames[this.at + 1]
  }

  showNext() {
    this.show(this.at + 1)
  }

  say(frame) {
    this.last.replaceChildren(...rich(named(this.match, frame.sentence)).flat())
  }

  /** At its end the deal begins again after a while. */
  settled() {
    if (this.at < this.deal.last) return
    setTimeout(() => {
      this.show(this.deal.first)
      this.showing.start()
    }, REST_MS)
  }

  show(at) {
    this.at = at
    drawTable(this.board, this.renderer, sceneOf(this.match, at, null))
    this.say(this.match.frames[at])
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
