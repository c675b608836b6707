// Moves that were made while nobody looked: in a hidden tab, or while the site could not be reached. They
// are not played back; a sentence gives their number, with a button that shows them.

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

  /** Whether what comes now was not waited for by anybody's eyes. */
  get isAway() {
    return document.hidden || this.isBack
  }

  look() {
    if (document.hidden) {
      if (this.page.showing.isRunning) this.page.skip()
      return
    }
    this.found()
    this.tell()
  }

  /** The site is asked again after a while: what it answers was not watched. */
  found() {
    this.isBack = true
  }

  /** It has answered. */
  here() {
    this.isBack = false
  }

  /** Frames after `from`, up to `to`, are shown as if they had been seen. */
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

  /** Play them back now. */
  show() {
    const { frames, total } = this.page.history
    const at = Math.max(0, this.first - (total - frames.length))
    this.forget()
    this.page.saying.quiet()
    this.page.showFrom(at)
  }

  /** Somebody plays on: what was before is over. */
  forget() {
    this.moves = 0
  }
}
