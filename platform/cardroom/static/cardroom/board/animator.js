// Animates moves one after another at tables and in replays: the card played, the items it takes, its flight.
// The page has the frames and draws them; pace.js computes the durations.

import { PACES, timesOf } from './pace.js'
import { Sequence, wallClock } from './sequence.js'
import { Stage } from './stage.js'

const NO_CARDS = { cards: [], takes: [] }

/**
 * @typedef {object} Host the page that shows a match
 * @property {HTMLElement} board
 * @property {import('./contract.js').Match} match
 * @property {import('./contract.js').Renderer} renderer
 * @property {keyof typeof PACES} pace
 * @property {boolean} still whether cards must not fly
 * @property {number} waiting moves to show before a person here may move; 0: nobody waits
 * @property {(frame: import('./contract.js').Frame) => boolean} isOwn whether a person here moved
 * @property {() => import('./contract.js').Frame|null} nextFrame null: there is none, or the page pauses
 * @property {() => void} showNext draws that frame
 * @property {(frame: import('./contract.js').Frame) => void} say announces a frame before it is drawn
 * @property {() => void} settled called when nothing is left to show
 * @property {(frame: import('./contract.js').Frame) => number|null} [thinkingMs] the move's wait, if
 * it is not that of the pace
 */

/**
 * @typedef {object} Step one frame to show
 * @property {import('./contract.js').Frame} frame
 * @property {boolean} isOwn
 * @property {import('./contract.js').Staged} staged
 */

export class Animator {
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
    this.#reset()
  }

  #reset() {
    delete this.page.board.dataset.phase
    delete this.page.board.dataset.move
    this.isFirst = true
    this.spent = 0
  }

  /** The step of the next frame; null if there is none or the page pauses. */
  next() {
    const frame = this.page.nextFrame()
    if (!frame) return null
    const isMove = frame.seat !== null && frame.move !== null
    this.step = { frame, isOwn: isMove && this.page.isOwn(frame), staged: this.#staged(frame) }
    return this.#parts(this.step, isMove)
  }

  /** The cards that the move shows; only its card if the renderer does not define `staged`. */
  #staged(frame) {
    const { match, renderer } = this.page
    if (frame.seat === null || !frame.move) return NO_CARDS
    const extra = match.extras[frame.at]
    const staged = renderer.staged?.(frame, match.frames[frame.at - 1] ?? null, extra)
    if (staged || renderer.staged) return staged ?? NO_CARDS
    const card = renderer.movedCard(frame, extra)
    return card ? { cards: [card], takes: [] } : NO_CARDS
  }

  /** The cards that a move plays. */
  cardsOf(frame) {
    return this.#staged(frame).cards
  }

  /** Show the next move without a pause: draw its frame, then fly its cards to their places. */
  stepTo(frame) {
    const { match, pace, still } = this.page
    const staged = this.#staged(frame)
    const ms = still ? 0 : PACES[pace].arrive
    this.stage.leave(staged, frame.seat)
    if (staged.toPile) this.stage.sweep(staged, frame.seat, match.sideOf(frame.seat), ms)
    const ghosts = this.stage.ghosts
    this.page.showNext()
    this.page.board.append(...ghosts)
    if (!staged.toPile) this.stage.land(ms)
  }

  /** @returns {import('./sequence.js').Parts} */
  #parts({ frame, isOwn, staged }, isMove) {
    if (!isMove) return [['draw', this.page.waiting ? 0 : this.#pauseMs]]
    const times = this.#times(frame, isOwn, staged)
    const flightMs = this.page.still ? 0 : times.arrive
    this.isFirst = isOwn
    this.spent = isOwn ? 0 : this.spent + times.wait + times.shown + times.ring + flightMs
    /** @type {import('./sequence.js').Parts} */
    const before = isOwn
      ? []
      : [
          ['wait', times.wait],
          ['shown', times.shown],
          ['ring', times.ring],
        ]
    return staged.toPile
      ? [...before, ['sweep', flightMs], ['draw', 0]]
      : [...before, ['leave', 0], ['draw', 0], ['land', flightMs]]
  }

  /** How long a frame without a move is shown when nobody waits. */
  get #pauseMs() {
    const { wait, shown } = PACES[this.page.pace]
    return wait + shown
  }

  /** The durations of a move; the viewer's own move only flies. */
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
    return { ...times, wait: this.page.thinkingMs?.(frame) ?? times.wait }
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
    this.#reset()
    this.page.settled()
  }
}
