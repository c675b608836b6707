// What lies behind a move: the exact question that the bot was asked, and its owner's log.

import { load } from './data.js'
import { h } from './dom.js'

/** JSON a person can read: one line for each key, lists of plain values on one line. */
function readable(value, indent = '') {
  const inner = `${indent}  `
  const flat = JSON.stringify(value)
  if (flat === undefined || flat.length + indent.length <= 76) return flat
  if (Array.isArray(value)) {
    return `[\n${value.map((part) => inner + readable(part, inner)).join(',\n')}\n${indent}]`
  }
  if (value !== null && typeof value === 'object') {
    const lines = Object.entries(value).map(
      ([key, part]) => `${inner}${JSON.stringify(key)}: ${readable(part, inner)}`,
    )
    return `{\n${lines.join(',\n')}\n${indent}}`
  }
  return flat
}

/** The panel "What the bot saw": loaded when it is open and the frame has changed. */
export class Question {
  constructor(details, match) {
    this.details = details
    this.match = match
    this.body = details.querySelector('pre')
    this.title = details.querySelector('[data-who]')
    details.addEventListener('toggle', () => this.refresh())
  }

  update(frame) {
    this.frame = frame
    this.refresh()
  }

  async refresh() {
    const { frame } = this
    if (!frame || !this.details.open || this.shown === frame.at) return
    this.shown = frame.at
    if (frame.n === null) {
      this.title.textContent = ''
      this.body.textContent = 'Nobody was asked here. Go to a move.'
      return
    }
    this.title.textContent = `${this.match.seats[frame.seat].name}, move ${frame.moveInDeal}`
    try {
      const question = await load(this.match.urls.question.replace('/0/', `/${frame.n + 1}/`))
      if (this.shown === frame.at) this.body.textContent = readable(question)
    } catch (error) {
      this.shown = null
      this.body.textContent = `${error.message} Open the panel again to try once more.`
    }
  }
}

/** A log panel: one line of the bot's stderr a row. */
function logRows(text) {
  const lines = text.replace(/\n$/, '').split('\n')
  return lines.map((line, i) => {
    const kind = /\b(error|traceback|exception)\b/i.test(line)
      ? 'e'
      : /\bwarn/i.test(line)
        ? 'w'
        : null
    return h('li', { class: kind }, h('span', {}, i + 1), h('span', {}, line))
  })
}

/** Fill a log panel when it is opened for the first time. */
export function wireLog(details) {
  details.addEventListener('toggle', async () => {
    const list = details.querySelector('ol')
    if (!details.open || list.childElementCount) return
    try {
      const answer = await fetch(details.dataset.log, {
        headers: { Accept: 'application/json, text/plain' },
      })
      if (!answer.ok) throw new Error(`The site answered ${answer.status}.`)
      const json = answer.headers.get('Content-Type')?.includes('json')
      const text = json ? (await answer.json()).log : await answer.text()
      list.replaceChildren(
        ...(text
          ? logRows(text)
          : [h('li', {}, h('span', {}), h('span', {}, 'The bot wrote nothing.'))]),
      )
    } catch (error) {
      list.replaceChildren(
        h(
          'li',
          { class: 'e' },
          h('span', {}),
          h('span', {}, `${error.message} Close and open the panel to try again.`),
        ),
      )
    }
  })
}
