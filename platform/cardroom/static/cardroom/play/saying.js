// The message over the hand, and the message while the site cannot be reached.

import { button } from './bar.js'
import { show as showMark } from './marks.js'
import { signs } from './signs.js'

export class Saying {
  /** @param {import('./main.js').TablePage} page */
  constructor(page) {
    this.page = page
    this.box = page.find('why')
    this.wasLost = false
  }

  /** Show why something is impossible, until the next pick; `path`: of the thing. */
  why(sentence, clause = '', path = null) {
    const { felt, state, told } = this.page
    showMark(this.box, signs(told(sentence)), clause, state.format.rules)
    this.#unmark()
    if (path) felt.querySelector(`[data-path="${path}"]`)?.classList.add('asked')
  }

  say(sentence) {
    showMark(this.box, signs(this.page.told(sentence)), '', '', true)
  }

  quiet() {
    this.box.hidden = true
    this.#unmark()
  }

  #unmark() {
    for (const one of this.page.felt.querySelectorAll('.asked')) one.classList.remove('asked')
  }

  /** The site does not respond; the page polls again in `wait` milliseconds. */
  lost(wait) {
    const chip = this.page.find('chip')
    this.wasLost = true
    chip.className = 'chip lost'
    chip.textContent = 'connection lost'
    const again = wait ? `; next try in ${Math.ceil(wait / 1000)} s` : ''
    const words = [`The table may be out of date${again}. `, button('now', 'Try now')]
    showMark(this.box, words, '', '', true)
  }

  found() {
    if (this.wasLost) this.quiet()
    this.wasLost = false
    this.page.drawAround()
  }
}
