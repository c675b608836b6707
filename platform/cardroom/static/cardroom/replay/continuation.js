// The form "From here" beside a replay, which continues the match from the shown position.

import { positionOf } from './moves.js'

export class ContinuationForm {
  /** @param {HTMLElement} root */
  constructor(root, match) {
    this.match = match
    this.words = root.querySelector('[data-part="here-words"]')
    this.after = /** @type {HTMLInputElement} */ (root.querySelector('[name="after"]'))
    this.seat = /** @type {HTMLSelectElement} */ (root.querySelector('[name="seat"]'))
    this.sitButton = root.querySelector('button')
    this.positionLink = root.querySelector('a')
    this.isSeatChosen = false
    this.seat.addEventListener('change', () => {
      this.isSeatChosen = this.seat.value !== ''
    })
  }

  /** Continue after the move of this frame, in the seat that moves next. */
  update(frame) {
    const next = this.match.frames.slice(frame.at + 1).find((one) => one.n !== null)
    const move = frame.n !== null ? frame.n + 1 : (next?.n ?? this.match.record.moves.length)
    this.after.value = String(move)
    const seat = next?.seat ?? frame.view.to_act ?? null
    if (!this.isSeatChosen && seat !== null) this.seat.value = String(seat)
    const toMove = seat === null ? 'the match is over' : `${this.match.seats[seat].name} to move`
    this.words.textContent = `${positionOf(this.match, frame)}: ${toMove}`
    this.sitButton.toggleAttribute('disabled', seat === null)
    this.positionLink.hidden = seat === null
    this.positionLink.setAttribute(
      'href',
      this.positionLink.getAttribute('href').replace(/\d+\/$/, `${move}/`),
    )
  }
}
