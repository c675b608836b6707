// The form "From here" beside a replay, which follows the shown position.

import { positionOf } from './moves.js'

export class Here {
  /** @param {HTMLElement} root */
  constructor(root, match) {
    this.match = match
    this.words = root.querySelector('[data-part="here-words"]')
    this.after = /** @type {HTMLInputElement} */ (root.querySelector('[name="after"]'))
    this.seat = /** @type {HTMLSelectElement} */ (root.querySelector('[name="seat"]'))
    this.sit = root.querySelector('button')
    this.other = root.querySelector('a')
    this.chosen = false // whether the reader has chosen a seat
    this.seat.addEventListener('change', () => {
      this.chosen = this.seat.value !== ''
    })
  }

  /** Another frame is shown: the form continues after its move, in the seat that moves next. */
  update(frame) {
    const next = this.match.frames.slice(frame.at + 1).find((one) => one.n !== null)
    const moved = frame.n !== null ? frame.n + 1 : (next?.n ?? this.match.record.moves.length)
    this.after.value = String(moved)
    const seat = next?.seat ?? frame.view.to_act ?? null
    if (!this.chosen && seat !== null) this.seat.value = String(seat)
    const who = seat === null ? 'the match is over' : `${this.match.seats[seat].name} to move`
    this.words.textContent = `${positionOf(this.match, frame)}: ${who}`
    this.sit.toggleAttribute('disabled', seat === null)
    this.other.hidden = seat === null
    this.other.setAttribute('href', this.other.getAttribute('href').replace(/\d+\/$/, `${moved}/`))
  }
}
