// The panel "The bot's view": the exact request that the bot got for a move.

import { load } from '../board/data.js'

/** JSON for people: one line for each key, lists of plain values on one line. */
function readable(value, indent = '') {
  const inner = `${indent}  `
  const oneLine = JSON.stringify(value)
  if (oneLine === undefined || oneLine.length + indent.length <= 76) return oneLine
  if (Array.isArray(value)) {
    return `[\n${value.map((part) => inner + readable(part, inner)).join(',\n')}\n${indent}]`
  }
  if (value !== null && typeof value === 'object') {
    const lines = Object.entries(value).map(
      ([key, part]) => `${inner}${JSON.stringify(key)}: ${readable(part, inner)}`,
    )
    return `{\n${lines.join(',\n')}\n${indent}}`
  }
  return oneLine
}

/** Loads the request of the shown move while the panel is open. */
export class QuestionPanel {
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
    if (!frame || !this.details.open || this.loadedAt === frame.at) return
    this.loadedAt = frame.at
    if (frame.n === null) {
      this.title.textContent = ''
      this.body.textContent = 'No bot had to move here. Go to a move.'
      return
    }
    this.title.textContent = `${this.match.seats[frame.seat].name}, move ${frame.moveInDeal}`
    try {
      const question = await load(this.match.urls.question.replace('/0/', `/${frame.n + 1}/`))
      if (this.loadedAt === frame.at) this.body.textContent = readable(question)
    } catch (error) {
      this.loadedAt = null
      this.body.textContent = `${error.message} Reopen the panel to try again.`
    }
  }
}
