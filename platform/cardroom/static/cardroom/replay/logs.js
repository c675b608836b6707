// Logs of the reader's own bots beside the moves, with the lines of the shown move marked.

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
      const head = line.match(HEAD)
      if (head) move = head[1]
      else number += 1
      return h(
        'li',
        { class: head ? 'head' : kindOf(line), 'data-n': move },
        h('span', {}, head ? '' : number),
        h('span', {}, head ? `move ${Number(move) + 1}` : line),
      )
    })
}

const said = (words, kind = null) => h('li', { class: kind }, h('span', {}), h('span', {}, words))

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
      const answer = await fetch(this.section.dataset.log, {
        headers: { Accept: 'application/json, text/plain' },
      })
      if (!answer.ok) throw new Error(`The site answered ${answer.status}.`)
      const json = answer.headers.get('Content-Type')?.includes('json')
      const text = json ? (await answer.json()).log : await answer.text()
      this.list.replaceChildren(...(text ? rowsOf(text) : [said('The bot wrote nothing.')]))
      this.update(this.frame)
    } catch (error) {
      this.list.replaceChildren(said(`${error.message} Reload the page to try again.`, 'e'))
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
