// Moves one after another, as they are shown at a table: whose card it is, what it takes, its way. Which
// frames there are and when they are drawn, the page knows; how long each part lasts, pace.js.

import { PACES, timesOf } from '../replay/pace.js'
import { Sequence, wallClock } from '../replay/sequence.js'
import { Stage } from '../replay/stage.js'

const NOTHING = { cards: [], takes: [] }

/**
 * @typedef {object} Step one frame that is to be shown
 * @property {import('../replay/contract.js').Frame} frame
 * @property {boolean} isOwn whether somebody here moved
 * @property {import('../replay/contract.js').Staged} staged
 */

export class Showing {
  /**
   * @param {import('./main.js').TablePage} page
   * @param {import('../replay/sequence.js').Clock} [clock]
   */
  constructor(page, clock = wallClock) {
    this.page = page
    this.clock = clock
    this.stage = new Stage(page.felt)
    this.ended = -Infinity // when the last move had been shown
    this.spent = 0 // ms that moves of others took since somebody here moved
    this.isFirst = true
    /** @type {Step|null} */
    this.step = null
    this.sequence = new Sequence(clock, {
      next: () => this.next(),
      enter: (part, ms) => this.enter(part, ms),
      done: () => this.done(),
    })
  }

  get isRunning() {
    return this.sequence.isRunning
  }

  start() {
    this.sequence.start()
  }

  finish() {
    this.sequence.finish()
  }

  /** Show no more of it; the page draws what is next. */
  stop() {
    this.sequence.stop()
    this.stage.clear()
    this.#rest()
  }

  #rest() {
    delete this.page.felt.dataset.phase
    delete this.page.felt.dataset.move
    this.isFirst = true
    this.spent = 0
  }

  /** The step of the next frame; null: there is none, or the page stops here. */
  next() {
    const frame = this.page.nextFrame()
    if (!frame) return null
    const { match, renderer, state } = this.page
    const before = match.frames[frame.at - 1] ?? null
    const isMove = frame.seat !== null && frame.move !== null
    const told =
      isMove && frame.move ? renderer.staged?.(frame, before, match.extras[frame.at]) : null
    this.step = { frame, isOwn: isMove && frame.seat === state.you, staged: told ?? NOTHING }
    return this.#parts(this.step, isMove)
  }

  /** @returns {import('../replay/sequence.js').Parts} */
  #parts({ isOwn, staged }, isMove) {
    if (!isMove) return [['draw', 0]]
    const times = this.#times(isOwn, staged)
    const way = this.page.settings.still ? 0 : times.arrive
    this.isFirst = isOwn
    this.spent = isOwn ? 0 : this.spent + times.wait + times.shown + times.ring + way
    /** @type {import('../replay/sequence.js').Parts} */
    const before = isOwn
      ? []
      : [
          ['wait', times.wait],
          ['shown', times.shown],
          ['ring', times.ring],
        ]
    return staged.toPile
      ? [...before, ['sweep', way], ['draw', 0]]
      : [...before, ['leave', 0], ['draw', 0], ['land', way]]
  }

  /** What somebody here plays is known to them: it only travels. */
  #times(isOwn, staged) {
    const { settings, waiting } = this.page
    if (isOwn) return { wait: 0, shown: 0, ring: 0, arrive: PACES[settings.pace].arrive }
    return timesOf(
      settings.pace,
      { shows: staged.cards.length > 0, takes: staged.takes.length > 0 },
      {
        isFirst: this.isFirst,
        spent: this.spent,
        left: waiting,
        rested: this.clock.now() - this.ended,
      },
    )
  }

  enter(part, ms) {
    const { frame, staged } = this.step
    const { page, stage } = this
    page.felt.dataset.phase = part
    page.felt.dataset.move = String(frame.n ?? '')
    const parts = {
      wait: () => {},
      shown: () => stage.show(staged, frame.seat),
      ring: () => {
        if (ms) stage.ring(staged)
        page.say(frame)
      },
      sweep: () => stage.sweep(staged, frame.seat, page.match.sideOf(frame.seat), ms),
      leave: () => stage.leave(staged, frame.seat),
      draw: () => {
        stage.clear()
        page.showNext()
      },
      land: () => stage.land(ms),
    }
    parts[part]()
    this.ended = this.clock.now() + ms
  }

  done() {
    this.#rest()
    this.page.settled()
  }
}
