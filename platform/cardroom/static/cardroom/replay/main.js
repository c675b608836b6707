// The replay: loads frames and record, then shows one frame at a time. It knows no rules.

import { setCardFile } from '../board/cards.js'
import { load, matchOf } from '../board/data.js'
import { rendererOf } from '../board/games.js'
import { Player } from './player.js'

/** Data that the page adds to the record. */
const readSetup = () => JSON.parse(document.getElementById('replay-setup').textContent)

async function begin(root) {
  const setup = readSetup()
  setCardFile(setup.urls.cards)
  const [data, record, tally] = await Promise.all([
    load(setup.urls.frames),
    load(setup.urls.record),
    load(setup.urls.tally),
  ])
  const match = matchOf(data.frames ?? data, record, { ...setup, tally })
  const renderer = await rendererOf(match.game)
  match.extras = renderer.prepare(match)
  new Player(root, match, renderer).start()
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-replay]')
if (root) {
  begin(root).catch((error) => {
    /** @type {HTMLElement} */
    const message = root.querySelector('[data-part="trouble"]')
    message.textContent =
      `The replay could not be loaded. ${error.message} Reload the page to try again; ` +
      'the transcript describes every move.'
    message.hidden = false
  })
}
