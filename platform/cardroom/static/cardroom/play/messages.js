// The message above the hand: a reason, a notice, or that the site cannot be reached.

import { button } from './bar.js'
import { showMessage } from './message-box.js'
import { colourSuits } from './suits.js'

export class Messages {
  /** @param {import('./main.js').TablePage} page */
  constructor(page) {
    this.page = page
    this.box = page.find('why')
    this.wasLost = false
  }

  /** Show why a pick is impossible, until the next pick; `path`: of the part. */
  explain(sentence, clause = '', path = null) {
    const { felt, state, withNames } = this.page
    showMessage(this.box, colourSuits(withNames(sentence)), clause, state.format.rules)
    this.#unmark()
    if (path) felt.querySelector(`[data-path="${path}"]`)?.classList.add('asked')
  }

  show(sentence) {
    showMessage(this.box, colourSuits(this.page.withNames(sentence)), '', '', true)
  }

  hide() {
    this.box.hidden = true
    this.#unmark()
  }

  #unmark() {
    for (const part of this.page.felt.querySelectorAll('.asked')) part.classList.remove('asked')
  }

  /** The site does not respond; the page polls again in `wait` milliseconds. */
  showLost(wait) {
    const chip = this.page.find('chip')
    this.wasLost = true
    chip.className = 'chip lost'
    chip.textContent = 'connection lost'
    const retry = wait ? `; retrying in ${Math.ceil(wait / 1000)} s` : ''
    const words = [`The table may be out of date${retry}. `, button('now', 'Try now')]
    showMessage(this.box, words, '', '', true)
  }

  clearLost() {
    if (this.wasLost) this.hide()
    this.wasLost = false
    this.page.drawAround()
  }
}
