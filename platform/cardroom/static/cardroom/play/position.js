// A position of a finished match: a person composes a move as at a table, and the expert judges it.

import { setCardFile } from '../board/cards.js'
import { h, showFailure } from '../board/dom.js'
import { rendererOf } from '../board/games.js'
import { csrfToken, Refused } from './connection.js'
import { TablePage } from './main.js'
import { colourSuits } from './suits.js'

const TRIES = 5

/** The connection of a position, which never changes: it does not poll. */
class PositionConnection {
  constructor(address) {
    this.address = address
  }

  accept() {}

  take() {}

  pollNow() {}

  async post(verb, body) {
    const content = verb === 'ask' ? new URLSearchParams(body) : JSON.stringify(body)
    const type = verb === 'ask' ? {} : { 'Content-Type': 'application/json' }
    const answer = await fetch(`${this.address}${verb}/`, {
      method: 'POST',
      headers: { ...type, Accept: 'application/json', 'X-CSRFToken': csrfToken() },
      body: content,
      signal: AbortSignal.timeout(15_000),
    })
    const data = await answer.json().catch(() => ({}))
    if (!answer.ok) throw new Refused(data)
    return data
  }

  do(verb, body) {
    return this.post(verb, body)
  }
}

class PositionPage extends TablePage {
  connect(address) {
    return new PositionConnection(address)
  }

  get verb() {
    return 'Ask the expert'
  }

  /** Ask the expert about the composed move. */
  async play() {
    const offered = this.picking.composition?.offered
    if (!offered || !this.picking.isTurn) return
    await this.act(async () => {
      this.messages.show('The expert is thinking …')
      const answer = await this.ask(offered.move)
      this.messages.show(answer.words || 'The expert is still thinking; ask again.')
      if (answer.words) this.addAnswer(answer)
    })
  }

  async ask(move) {
    let answer = { words: '' }
    for (let tries = 0; tries < TRIES && !answer.words; tries += 1)
      answer = await this.connection.post('ask', { move })
    return answer
  }

  /** Add an answer to the list beside the board, newest first. */
  addAnswer(answer) {
    const list = this.find('answers')
    list.querySelector(`[data-move="${CSS.escape(answer.move)}"]`)?.remove()
    const words = [
      h('b', {}, colourSuits(this.withNames(answer.sentence))),
      ' ',
      colourSuits(this.withNames(answer.words)),
    ]
    list.prepend(h('li', { 'data-move': answer.move }, words.flat()))
    this.find('none').hidden = true
  }

  async askHint() {}
}

async function begin(root) {
  const { state, answers } = JSON.parse(document.getElementById('position').textContent)
  setCardFile(root.dataset.cards)
  const page = new PositionPage(root, state, await rendererOf(state.format.game))
  for (const answer of answers) if (answer.words) page.addAnswer(answer)
  root.classList.add('ready')
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-position]')
if (root) begin(root).catch((error) => showFailure(root, error))
