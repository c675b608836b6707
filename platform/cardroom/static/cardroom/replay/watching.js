// A small table on a page with other content: it replays a match automatically, with one sentence below.
// watch.js starts it.

import { Animator } from '../board/animator.js'
import { setCardFile } from '../board/cards.js'
import { load, matchOf } from '../board/data.js'
import { rendererOf } from '../board/games.js'
import { isMotionReduced } from '../board/stage.js'
import { richText } from '../board/words.js'
import { withNames } from './moves.js'
import { drawTable, sceneOf } from './table.js'

const REST_MS = 8000 // pause at the end, before the deal is replayed

class SmallReplay {
  constructor(root, match, renderer) {
    this.board = root.querySelector('[data-part="board"]')
    this.last = root.querySelector('[data-part="last"]')
    this.match = match
    this.renderer = renderer
    this.deal = match.deals.at(-1)
    this.pace = /** @type {const} */ ('normal')
    this.waiting = 0 // nobody moves here
    this.animator = new Animator(this)
  }

  /** Play the second half of the last deal; with reduced motion, show only one position. */
  start() {
    this.show(this.deal.first + Math.floor((this.deal.last - this.deal.first) / 2))
    if (this.still) return
    this.animator.start()
    document.addEventListener('visibilitychange', () => this.nextFrame() && this.animator.start())
  }

  get still() {
    return isMotionReduced()
  }

  isOwn() {
    return false
  }

  /** Pause while the table is out of view. */
  nextFrame() {
    const isPaused = document.hidden || this.at >= this.deal.last
    return isPaused ? null : this.match.frames[this.at + 1]
  }

  showNext() {
    this.show(this.at + 1)
  }

  say(frame) {
    this.last.replaceChildren(...richText(withNames(this.match, frame.sentence)).flat())
  }

  /** At the end of the deal, replay it after a pause. */
  settled() {
    if (this.at < this.deal.last) return
    setTimeout(() => {
      this.show(this.deal.first)
      this.animator.start()
    }, REST_MS)
  }

  show(at) {
    this.at = at
    drawTable(this.board, this.renderer, sceneOf(this.match, at, null))
    this.say(this.match.frames[at])
  }
}

/** Draw the page's match into `root`, and replay it. */
export async function begin(root) {
  const setup = JSON.parse(document.getElementById('watch-setup').textContent)
  setCardFile(setup.urls.cards)
  const data = await load(setup.urls.frames)
  const match = matchOf(data.frames ?? data, {}, setup)
  const renderer = await rendererOf(match.game)
  match.extras = renderer.prepare(match)
  new SmallReplay(root, match, renderer).start()
}
