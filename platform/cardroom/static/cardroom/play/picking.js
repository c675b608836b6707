// The parts that a person has picked, in their turn or before it. Every way of picking uses this class.

import { carryOver, compose, partToPick, pickedPaths, picksOf } from './composer.js'

export class Picking {
  /** @param {import('./main.js').TablePage} page */
  constructor(page) {
    this.page = page
    /** @type {import('./composer.js').Pick[]} */
    this.picks = []
    /** @type {import('./composer.js').Composition|null} */
    this.composition = null // null: nothing can be picked now
  }

  get decision() {
    return this.page.state.decision
  }

  get mayPick() {
    return Boolean(this.composition) && !this.page.busy
  }

  get isTurn() {
    return this.mayPick && this.decision.moves.length > 0
  }

  /** Keep the picks if they are still possible, once the newest frame is shown. */
  settle() {
    const { decision } = this
    if (decision && this.picks.length) {
      const kept = carryOver(decision, this.picks)
      if (!kept) this.page.messages.show('The move that you picked is no longer legal.')
      this.picks = kept ?? []
    }
    if (!decision) this.picks = []
    this.recompose()
  }

  recompose() {
    const { decision, page } = this
    this.composition = decision && !page.isBehind ? compose(decision, this.picks) : null
    page.drawPicks()
    if (decision?.more && this.picks.length && !this.composition?.offered) this.askUnlisted()
  }

  /** Pick these parts. If only one move contains them, play it if the person's settings allow it. */
  set(picks) {
    const { page } = this
    page.messages.hide()
    this.picks = picks
    this.recompose()
    const isOnly = this.composition?.offered && this.composition.left.length === 1
    if (isOnly && picks.length && page.settings.isOn('tap') && !this.composition.offered.warning)
      page.play()
  }

  /** Whether cards can be picked during an animation: if the shown hand is that of the person's turn. */
  get mayPickMeanwhile() {
    const { page } = this
    if (!this.decision || page.closing || !page.isBehind || !page.scene) return false
    const newest = page.match.frames.at(-1).view.hand
    return String(page.scene.view.hand) === String(newest)
  }

  /** Pick during an animation; picks that are not possible afterwards are dropped. */
  pickMeanwhile(path) {
    const part = this.decision.parts.find(
      (one) => one.kind === 'hand' && one.where.some((where) => where.join('.') === path),
    )
    if (!part) return this.page.hurry()
    const others = this.picks.filter((pick) => pick.path !== path)
    const isPicked = others.length < this.picks.length
    this.picks = isPicked ? others : [...others, { key: part.key, path }]
    this.page.drawPicks()
  }

  /** Pick the part at a path, or put it back. */
  pickAt(path) {
    if (this.mayPickMeanwhile) return this.pickMeanwhile(path)
    if (this.page.isBehind) return this.page.hurry()
    if (!this.mayPick) return
    const { decision } = this
    const picked = this.picks.findIndex((pick) => pick.path === path)
    const target = partToPick(decision, this.composition, path)
    this.page.messages.hide()
    if (picked >= 0) return this.set(this.picks.filter((_, at) => at !== picked))
    if (!target) return
    const part = decision.parts[target.part]
    if (!decision.moves.length) {
      if (part.kind === 'hand') this.set([...this.picks, { key: part.key, path }])
      return
    }
    const alongside = pickedPaths(decision, this.composition, this.picks)
    if (!target.fits && alongside.has(path)) return this.set(this.picks.slice(0, -1))
    if (!target.fits && !decision.more) return this.askWhy(part, path)
    this.set([...this.picks, { key: part.key, path }])
  }

  /** Pick a choice or a place by the key of its part. */
  pickKey(key) {
    const part = this.decision?.parts.find((one) => one.key === key)
    if (!part || !this.mayPick) return
    this.set([...this.picks, { key, path: part.where[0]?.join('.') ?? null }])
  }

  pickAll() {
    if (this.composition?.largest) this.set(picksOf(this.decision, this.composition.largest))
  }

  /** Lay the picked card on the table, if that is possible. */
  tapFelt() {
    const { decision } = this
    if (!this.isTurn || !this.picks.length) return
    const table = decision.parts.findIndex((part) => part.kind === 'table')
    if (table >= 0 && this.composition.lit.has(table)) this.pickKey(decision.parts[table].key)
  }

  /** Pick a whole move: one from the list, a hint, or a typed move. */
  pickMove(offer) {
    this.set(picksOf(this.decision, offer))
    this.page.closeMenu()
    this.page.bar.querySelector('[data-do="play"]')?.focus()
  }

  async askWhy(part, path = null) {
    const { connection, messages } = this.page
    const picked = [...this.picks.map((pick) => pick.key), part.key]
    try {
      const refusal = await connection.post('why', { picked })
      if (refusal) messages.explain(refusal.sentence, refusal.clause, path)
    } catch (error) {
      this.page.showError(error)
    }
  }

  /** Ask the site whether the picks make a legal move that is not listed. */
  async askUnlisted() {
    const { decision, picks } = this
    const refusal = await this.page.connection
      .post('why', { picked: picks.map((pick) => pick.key) })
      .catch(() => null)
    if (this.picks !== picks || this.decision !== decision || !refusal?.move) return
    const parts = picks.map((pick) => decision.parts.findIndex((part) => part.key === pick.key))
    const { move, sentence, clause } = refusal
    const plain = {
      effect: '',
      warning: '',
      step: '',
      label: '',
      leads: '',
      decides: '',
      after: [],
    }
    decision.moves.push({ move, parts, sentence, clause, ...plain })
    this.composition = compose(decision, picks)
    this.page.drawPicks()
  }
}
