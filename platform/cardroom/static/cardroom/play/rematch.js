// A rematch: sends the form of the page *Play*, filled from the table's state.

import { h } from '../board/dom.js'

const opponent = (seat) => seat.bot ?? 'friend'

/** @param {HTMLFormElement} form */
export function rematch(form, state) {
  const fields = [['format', state.format.text]]
  for (const seat of state.seats) {
    if (seat.index !== state.you) fields.push([`seat-${seat.index}`, opponent(seat)])
    else fields.push(['you', String(seat.index)], ['handle', seat.account ? '' : seat.name])
  }
  form.append(...fields.map(([name, value]) => h('input', { type: 'hidden', name, value })))
  form.requestSubmit()
}
