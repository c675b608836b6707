// Moves one after another, as a table and a replay show them: whose card it is, what it takes, its
// way. The page knows which frames there are and when they are drawn; pace.js how long each part lasts.

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
 * @property {boolean} still whether nothing may travel
 * @property {number} waiting moves that are to be shown before somebody here moves; 0: nobody waits
 * @property {(frame: import('./contract.js').Frame) => boolean} isOwn whether somebody here moved
 * @property {() => import('./contract.js').Frame|null} nextFrame null: there is none, or it stops here
 * @property {() => void} showNext draws that frame
 * @property {(frame: import('./contract.js').Frame) => void} say tells it, which is not drawn yet
 * @property {() => void} settled nothing is left to be shown
 * @property {(frame: import('./contract.js').Frame) => number|null} [thought] ms that the move waits, if
 *   not those of the pace
 */

/**
 * @typedef {object} Step one frame that is to be shown
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
    delete this.page.board.dataset.phase
    delete this.page.board.dataset.move
    this.isFirst = true
    this.spent = 0
  }

  /** The step of the next frame; null: there is none, or the page stops here. */
  next() {
    const frame = this.page.nextFrame()
    if (!frame) return null
    const isMove = frame.seat !== null && frame.move !== null
    this.step = { frame, isOwn: isMove && this.page.isOwn(frame), staged: this.#staged(frame) }
    return this.#parts(this.step, isMove)
  }

  /** What is seen of a move; of a game that does not tell, its card. */
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

  /** One step of the reader: the frame is drawn first, then its cards travel to their places. */
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

  /** How long what is no move stands, where nobody waits. */
  get #rests() {
    const { wait, shown } = PACES[this.page.pace]
    return wait + shown
  }

  /** What somebody here plays is known to them: it only travels. */
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
