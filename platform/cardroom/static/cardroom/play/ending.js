// The end of a deal: its sheet appears line by line while the totals count up. Then the verdict appears.

import { h } from '../board/dom.js'
import { PACES } from '../board/pace.js'
import { Sequence, wallClock } from '../board/sequence.js'
import { isMotionReduced } from '../board/stage.js'
import { numberText } from '../board/words.js'
import { fit } from './board.js'
import { sceneFor, scoreFrameOf } from './scene.js'
import { lineText, outcomeOf, verdictOf } from './scoring.js'
import { colourSuits } from './suits.js'
import { drawTally, sheetTable } from './tally.js'

const SETTLE_MS = 600
const TOTAL_MS = 200 // the total, after its line
const VERDICT_MS = 300 // the verdict, after the last total

/**
 * The parts of the animation and their durations: each line, and shortly after it its total.
 *
 * @param {number} lines
 * @param {number} lineMs from one line to the next; 0: all together
 * @returns {import('../board/sequence.js').Parts}
 */
export function partsOf(lines, lineMs) {
  const each = Array.from({ length: lines }, (_, at) => [
    [`line ${at}`, lineMs && TOTAL_MS],
    [`total ${at}`, at < lines - 1 ? lineMs && lineMs - TOTAL_MS : lineMs && VERDICT_MS],
  ])
  return /** @type {any} */ ([['settle', SETTLE_MS], ['begin', 0], ...each.flat(), ['verdict', 0]])
}

export class Ending {
  /**
   * @param {import('./main.js').TablePage} page
   * @param {import('../board/sequence.js').Clock} [clock]
   */
  constructor(page, clock = wallClock) {
    this.page = page
    /** @type {import('./scoring.js').Outcome|null} */
    this.outcome = null
    this.verdict = null
    this.sequence = new Sequence(clock, {
      next: () => this.next(),
      enter: (part) => this.enter(part),
      done: () => delete page.felt.dataset.phase,
    })
  }

  get isCounting() {
    return this.sequence.isRunning
  }

  /**
   * Show the end of a deal, unless it is shown already.
   *
   * @param {number} number of the deal, from 0
   * @param {{ isLast: boolean, isSeen: boolean }} how `isSeen`: whether the viewer watched its end
   */
  begin(number, { isLast, isSeen }) {
    if (this.outcome?.deal === number && this.outcome.isLast === isLast) return
    const { page } = this
    this.outcome = outcomeOf(page.state, number, isLast)
    if (!this.outcome) return
    const at = scoreFrameOf(page.match, page.at)
    const scene = sceneFor(page.match, at, page.state)
    const points = Object.fromEntries(this.outcome.rows.map((row) => [row.key, row.points]))
    this.earned = page.renderer.earned?.(scene, points) ?? {}
    this.names = scene.names
    this.verdict = verdictOf(this.outcome, scene.names, scene.view.target ?? 0)
    this.isSeen = isSeen
    this.isBegun = false
    this.sequence.start()
    if (!isSeen) this.finish()
  }

  /** Forget the sheet, because the next deal begins. */
  forget() {
    this.sequence.stop()
    this.outcome = null
  }

  finish() {
    this.sequence.finish()
  }

  next() {
    if (this.isBegun) return null
    this.isBegun = true
    const { settings } = this.page
    const isStatic = !this.isSeen || isMotionReduced() || settings.still
    return partsOf(this.outcome.rows.length, isStatic ? 0 : PACES[settings.pace].line)
  }

  enter(part) {
    const { felt } = this.page
    const [kind, number] = part.split(' ')
    felt.dataset.phase = part
    if (kind === 'begin') this.draw()
    if (kind === 'line') this.showLine(Number(number))
    if (kind === 'total') this.showTotals(Number(number) + 1)
    if (kind === 'verdict') this.showVerdict()
  }

  draw() {
    const { page, outcome } = this
    drawTally(page.felt, outcome, this)
    page.felt.classList.toggle('still', !this.isSeen || page.settings.still)
    fit(page.felt)
  }

  showLine(at) {
    const row = this.outcome.rows[at]
    const node = this.page.felt.querySelectorAll('.e-sheet li')[at]
    node?.classList.remove('to-come')
    if (this.isSeen) {
      const none = this.earned[row.key]?.none ?? 'nobody'
      this.page
        .find('said')
        .replaceChildren(...colourSuits(lineText(row, this.outcome, this.names, none)))
    }
  }

  /** Show the totals after the first `lines` rows. */
  showTotals(lines) {
    const { rows, before } = this.outcome
    const countedRows = rows.slice(0, lines).filter((row) => row.counts)
    before.forEach((start, column) => {
      const total = countedRows.reduce((sum, row) => sum + row.points[column], start)
      this.#total(column).textContent = numberText(total)
    })
  }

  #total(column) {
    return this.page.felt.querySelector(`[data-total="${column}"]`)
  }

  showVerdict() {
    const { page, outcome } = this
    outcome.after.forEach((score, column) => {
      this.#total(column).textContent = numberText(score)
    })
    for (const column of outcome.winners) this.#total(column).classList.add('win')
    page.felt.querySelector('.verdict').classList.remove('to-come')
    // A table is at least as wide as its text, so a box around it hides the overflow.
    page.felt.append(h('div', { class: 'vh' }, sheetTable(outcome, this)))
    page.find('said').replaceChildren(...colourSuits(this.verdict.sentence))
  }
}
