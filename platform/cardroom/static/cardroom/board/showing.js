// Animates moves one after another at tables and in replays: the card played, what it takes, and its way. The
// page knows the frames and draws them; pace.js computes the durations.

import { PACES, timesOf } from './pace.js'
import { Sequence, wallClock } from './sequence.js'
import { Stage } from './stage.js'

const NOTHING = { cards: [], takes: [] }

/**
 * @typedef {object} Host the page that shows a match
 * @property {HTMLElement} board
 * @property {import('./contract.js').Match} match
 * @property {import('./contract.js').Renderer} renderer
 * @property {keyof typeof PACES} pace
 * @property {boolean} still whether nothing may fly
 * @property {number} waiting moves to show before a person here moves; 0: nobody waits
 * @property {(frame: import('./contract.js').Frame) => boolean} isOwn whether a person here moved
 * @property {() => import('./contract.js').Frame|null} nextFrame null: there is none, or the page stops here
 * @property {() => void} showNext draws that frame
 * @property {(frame: import('./contract.js').Frame) => void} say announces a frame before it is drawn
 * @property {() => void} settled called when nothing is left to show
 * @property {(frame: import('./contract.js').Frame) => number|null} [thought] the move's wait in ms, if
 * not that of the pace
 */

/**
 * @typedef {object} Step one frame to show
 * @property {import('./contract.js').Frame} frame
 * @property {boolean} isOwn
 * @property {import('./contract.js').Staged} staged
 */

export class Showing {
  /**
   * @param {Host} page
   * @param {import('./sequence.js').Clock} [clock]
   */
  constructor(page, clock = wallClock) {
    this.page = page
    this.clock = clock
    this.stage = new Stage(page.board)
    this.ended = -Infinity // the end of the last move's animation
    this.spent = 0 // ms of other players' moves since a person here moved
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

  /** Stop the animation; the page draws the next frame. */
  stop() {
    this.sequence.stop()
    this.stage.clear()
    this.#rest()
  }

  #rest() {
    delete this.page.board.dataset.phase
    delete this.page.board.dataset.move
    this.isFirst = true
    this.spent = 0
  }

  /** The step of the next frame; null if there is none or the page stops here. */
  next() {
    const frame = this.page.nextFrame()
    if (!frame) return null
    const isMove = frame.seat !== null && frame.move !== null
    this.step = { frame, isOwn: isMove && this.page.isOwn(frame), staged: this.#staged(frame) }
    return this.#parts(this.step, isMove)
  }

  /** What the move shows; its card alone if the renderer does not define `staged`. */
  #staged(frame) {
    const { match, renderer } = this.page
    if (frame.seat === null || !frame.move) return NOTHING
    const extra = match.extras[frame.at]
    const told = renderer.staged?.(frame, match.frames[frame.at - 1] ?? null, extra)
    if (told || renderer.staged) return told ?? NOTHING
    const card = renderer.moved(frame, extra)
    return card ? { cards: [card], takes: [] } : NOTHING
  }

  /** The cards that a move plays. */
  cardsOf(frame) {
    return this.#staged(frame).cards
  }

  /** A step of the viewer's own move: first the frame is drawn, then its cards travel to their places. */
  stepTo(frame) {
    const { match, pace, still } = this.page
    const staged = this.#staged(frame)
    const ms = still ? 0 : PACES[pace].arrive
    this.stage.leave(staged, frame.seat)
    if (staged.toPile) this.stage.sweep(staged, frame.seat, match.sideOf(frame.seat), ms)
    const ways = this.stage.ghosts
    this.page.showNext()
    this.page.board.append(...ways)
    if (!staged.toPile) this.stage.land(ms)
  }

  /** @returns {import('./sequence.js').Parts} */
  #parts({ frame, isOwn, staged }, isMove) {
    if (!isMove) return [['draw', this.page.waiting ? 0 : this.#rests]]
    const times = this.#times(frame, isOwn, staged)
    const way = this.page.still ? 0 : times.arrive
    this.isFirst = isOwn
    this.spent = isOwn ? 0 : this.spent + times.wait + times.shown + times.ring + way
    /** @type {import('./sequence.js').Parts} */
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

  /** How long a frame without a move is shown when nobody waits. */
  get #rests() {
    const { wait, shown } = PACES[this.page.pace]
    return wait + shown
  }

  /** The viewer knows their own move, so it only travels. */
  #times(frame, isOwn, staged) {
    const { pace, waiting } = this.page
    if (isOwn) return { wait: 0, shown: 0, ring: 0, arrive: PACES[pace].arrive }
    const times = timesOf(
      pace,
      { shows: staged.cards.length > 0, takes: staged.takes.length > 0 },
      {
        isFirst: this.isFirst || !waiting,
        spent: waiting && this.spent,
        left: waiting || 1,
        rested: this.clock.now() - this.ended,
      },
    )
    return { ...times, wait: this.page.thought?.(frame) ?? times.wait }
  }

  enter(part, ms) {
    const { frame, staged } = this.step
    const { page, stage } = this
    page.board.dataset.phase = part
    page.board.dataset.move = String(frame.n ?? '')
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
