// Logs of the viewer's own bots beside the moves; the lines of the shown move are marked.

import { h } from '../board/dom.js'

const HEAD = /^-- move (\d+) --$/ // the line that the referee writes before the output of a decision

const kindOf = (line) =>
  /\b(error|traceback|exception)\b/i.test(line) ? 'e' : /\bwarn/i.test(line) ? 'w' : null

/** Lines as rows, each with the number of its decision. */
function rowsOf(text) {
  let move = null
  let number = 0
  return text
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => {
      const header = line.match(HEAD)
      if (header) move = header[1]
      else number += 1
      return h(
        'li',
        { class: header ? 'head' : kindOf(line), 'data-n': move },
        h('span', {}, header ? '' : number),
        h('span', {}, header ? `move ${Number(move) + 1}` : line),
      )
    })
}

const messageRow = (words, kind = null) =>
  h('li', { class: kind }, h('span', {}), h('span', {}, words))

export class Log {
  constructor(section) {
    this.section = section
    this.list = section.querySelector('ol')
    this.frame = null
  }

  /** Load the log when it is first shown. */
  async open() {
    if (this.list.childElementCount) return
    try {
      const response = await fetch(this.section.dataset.log, {
        headers: { Accept: 'application/json, text/plain' },
      })
      if (!response.ok) throw new Error(`The site responded with status ${response.status}.`)
      const json = response.headers.get('Content-Type')?.includes('json')
      const text = json ? (await response.json()).log : await response.text()
      this.list.replaceChildren(...(text ? rowsOf(text) : [messageRow('The bot wrote nothing.')]))
      this.update(this.frame)
    } catch (error) {
      this.list.replaceChildren(messageRow(`${error.message} Reload the page to try again.`, 'e'))
    }
  }

  /** Mark the lines of a frame's move, and scroll to them. */
  update(frame) {
    this.frame = frame
    for (const row of this.list.querySelectorAll('.on')) row.classList.remove('on')
    if (!frame || frame.n === null) return
    const rows = this.list.querySelectorAll(`[data-n="${frame.n}"]`)
    for (const row of rows) row.classList.add('on')
    const box = this.list.parentElement
    if (rows.length) box.scrollTop = rows[0].offsetTop - box.clientHeight / 3
  }
}
