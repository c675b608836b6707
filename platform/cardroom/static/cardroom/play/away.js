// Moves made while the tab was hidden or the site could not be reached. They are not animated; a sentence
// gives their number, with a button that shows them.

import { numberWord } from '../board/words.js'
import { button } from './bar.js'
import { show as showMark } from './marks.js'

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

export class Away {
  /** @param {import('./main.js').TablePage} page */
  constructor(page) {
    this.page = page
    this.moves = 0
    this.first = 0 // the frame before these moves, counted over all frames of the table
    this.isBack = false // whether the tab was hidden or the site unreachable until now
    document.addEventListener('visibilitychange', () => this.look())
    addEventListener('pageshow', (event) => event.persisted && this.found())
  }

  /** Whether frames that arrive now are not being watched. */
  get isAway() {
    return document.hidden || this.isBack
  }

  look() {
    if (document.hidden) {
      if (this.page.animator.isRunning) this.page.skip()
      return
    }
    this.found()
    this.tell()
  }

  /** The site could not be reached; frames of its next response were not watched. */
  found() {
    this.isBack = true
  }

  /** The site has responded. */
  here() {
    this.isBack = false
  }

  /** Treat frames after `from`, up to `to`, as watched. */
  note(from, to) {
    const { frames, total } = this.page.history
    const unseen = frames
      .slice(from + 1, to + 1)
      .filter((frame) => frame.move !== null && frame.seat !== this.page.state.you)
    if (!this.moves) this.first = total - frames.length + from
    this.moves += unseen.length
    if (!document.hidden) this.tell()
  }

  tell() {
    if (!this.moves) return
    const many = `${numberWord(this.moves)} move${this.moves === 1 ? '' : 's'}`
    const words = [`${capital(many)} while you were away. `, button('missed', 'Show them')]
    showMark(this.page.saying.box, words, '', '', true)
  }

  /** Animate the missed moves now. */
  show() {
    const { frames, total } = this.page.history
    const at = Math.max(0, this.first - (total - frames.length))
    this.forget()
    this.page.saying.quiet()
    this.page.showFrom(at)
  }

  /** The person has acted, so the offer to show missed moves ends. */
  forget() {
    this.moves = 0
  }
}
