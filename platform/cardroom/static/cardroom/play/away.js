// Moves made while the tab was hidden or the site could not be reached. They are not animated: a message gives
// their number, with a button that shows them.

import { numberWord } from '../board/words.js'
import { button } from './bar.js'
import { showMessage } from './message-box.js'

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

export class Away {
  /** @param {import('./main.js').TablePage} page */
  constructor(page) {
    this.page = page
    this.moves = 0
    this.first = 0 // the frame before these moves, counted over all frames of the table
    this.isBack = false // whether the tab was hidden or the site unreachable until now
    document.addEventListener('visibilitychange', () => this.visibilityChanged())
    addEventListener('pageshow', (event) => event.persisted && this.returned())
  }

  /** Whether nobody watches frames that arrive now. */
  get isAway() {
    return document.hidden || this.isBack
  }

  visibilityChanged() {
    if (document.hidden) {
      if (this.page.animator.isRunning) this.page.skip()
      return
    }
    this.returned()
    this.announce()
  }

  /** Nobody will have watched the frames of the site's next response. */
  returned() {
    this.isBack = true
  }

  responded() {
    this.isBack = false
  }

  /** Count the moves of other players in the frames after `from`, up to `to`. */
  addMissed(from, to) {
    const { frames, total } = this.page.history
    const unseen = frames
      .slice(from + 1, to + 1)
      .filter((frame) => frame.move !== null && frame.seat !== this.page.state.you)
    if (!this.moves) this.first = total - frames.length + from
    this.moves += unseen.length
    if (!document.hidden) this.announce()
  }

  announce() {
    if (!this.moves) return
    const movesText = `${numberWord(this.moves)} move${this.moves === 1 ? '' : 's'}`
    const words = [`${capital(movesText)} while you were away. `, button('missed', 'Show them')]
    showMessage(this.page.messages.box, words, '', '', true)
  }

  /** Animate the missed moves now. */
  show() {
    const { frames, total } = this.page.history
    const at = Math.max(0, this.first - (total - frames.length))
    this.forget()
    this.page.messages.hide()
    this.page.showFrom(at)
  }

  /** Stop offering to show the missed moves. */
  forget() {
    this.moves = 0
  }
}
