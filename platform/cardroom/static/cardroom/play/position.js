// A position of a finished match: a person composes a move as at a table, and the expert judges it.

import { setCardFile } from '../board/cards.js'
import { h } from '../board/dom.js'
import { rendererOf } from '../board/games.js'
import { Refused, token } from './connection.js'
import { TablePage } from './main.js'
import { signs } from './signs.js'

const TRIES = 5

/** Sends requests only for actions: the position never changes. */
class Asking {
  constructor(address) {
    this.address = address
  }

  take() {}

  now() {}

  async post(verb, body) {
    const sent = verb === 'ask' ? new URLSearchParams(body) : JSON.stringify(body)
    const type = verb === 'ask' ? {} : { 'Content-Type': 'application/json' }
    const answer = await fetch(`${this.address}${verb}/`, {
      method: 'POST',
      headers: { ...type, Accept: 'application/json', 'X-CSRFToken': token() },
      body: sent,
      signal: AbortSignal.timeout(15_000),
    })
    const said = await answer.json().catch(() => ({}))
    if (!answer.ok) throw new Refused(said)
    return said
  }

  do(verb, body) {
    return this.post(verb, body)
  }
}

class PositionPage extends TablePage {
  connect(address) {
    return new Asking(address)
  }

  get verb() {
    return 'Ask the expert'
  }

  /** The button that plays a move at a table asks the expert here. */
  async play() {
    const offered = this.picking.weighed?.offered
    if (!offered || !this.picking.isTurn) return
    await this.act(async () => {
      this.saying.say('The expert is thinking …')
      const answer = await this.ask(offered.move)
      this.saying.say(answer.words || 'The expert is still thinking; ask again.')
      if (answer.words) this.keep(answer)
    })
  }

  async ask(move) {
    let answer = { words: '' }
    for (let tries = 0; tries < TRIES && !answer.words; tries += 1)
      answer = await this.connection.post('ask', { move })
    return answer
  }

  /** All answers stay beside the board, newest first. */
  keep(answer) {
    const list = this.find('answers')
    list.querySelector(`[data-move="${CSS.escape(answer.move)}"]`)?.remove()
    const words = [
      h('b', {}, signs(this.told(answer.sentence))),
      ' ',
      signs(this.told(answer.words)),
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
  for (const answer of answers) if (answer.words) page.keep(answer)
  root.classList.add('ready')
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-position]')
if (root) begin(root)
