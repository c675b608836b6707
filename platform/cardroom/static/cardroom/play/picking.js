// The parts that a person has picked, in their turn or before it; all ways of picking use it.

import { carried, meant, pickedPaths, picksOf, weigh } from './composer.js'

export class Picking {
  /** @param {import('./main.js').TablePage} page */
  constructor(page) {
    this.page = page
    /** @type {import('./composer.js').Pick[]} */
    this.picks = []
    /** @type {import('./composer.js').Weighed|null} */
    this.weighed = null // null: nothing can be picked now
  }

  get decision() {
    return this.page.state.decision
  }

  get mayPick() {
    return Boolean(this.weighed) && !this.page.busy
  }

  get isTurn() {
    return this.mayPick && this.decision.moves.length > 0
  }

  /** The newest frame is shown: keep the picks that can still be played. */
  settle() {
    const { decision } = this
    if (decision && this.picks.length) {
      const kept = carried(decision, this.picks)
      if (!kept) this.page.saying.say('The move that you picked is no longer legal.')
      this.picks = kept ?? []
    }
    if (!decision) this.picks = []
    this.weigh()
  }

  weigh() {
    const { decision, page } = this
    this.weighed = decision && !page.isBehind ? weigh(decision, this.picks) : null
    page.drawPicks()
    if (decision?.more && this.picks.length && !this.weighed?.offered) this.askUnlisted()
  }

  /** Pick these parts, and play the only move that they make if the person's settings allow it. */
  set(picks) {
    const { page } = this
    page.saying.quiet()
    this.picks = picks
    this.weigh()
    const only = this.weighed?.offered && this.weighed.left.length === 1
    if (only && picks.length && page.settings.isOn('tap') && !this.weighed.offered.warning)
      page.play()
  }

  /** Whether cards can be picked during animations, which requires that the hand is that of one's turn. */
  get mayPickMeanwhile() {
    const { page } = this
    if (!this.decision || page.closing || !page.isBehind || !page.scene) return false
    const newest = page.match.frames.at(-1).view.hand
    return String(page.scene.view.hand) === String(newest)
  }

  /** Pick during an animation; picks that do not fit afterwards are dropped. */
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

  /** Pick the thing at a path. */
  takeAt(path) {
    if (this.mayPickMeanwhile) return this.pickMeanwhile(path)
    if (this.page.isBehind) return this.page.hurry()
    if (!this.mayPick) return
    const { decision } = this
    const picked = this.picks.findIndex((pick) => pick.path === path)
    const found = meant(decision, this.weighed, path)
    this.page.saying.quiet()
    if (picked >= 0) return this.set(this.picks.filter((_, at) => at !== picked))
    if (!found) return
    const part = decision.parts[found.part]
    if (!decision.moves.length) {
      if (part.kind === 'hand') this.set([...this.picks, { key: part.key, path }])
      return
    }
    const alongside = pickedPaths(decision, this.weighed, this.picks)
    if (!found.fits && alongside.has(path)) return this.set(this.picks.slice(0, -1))
    if (!found.fits && !decision.more) return this.askWhy(part, path)
    this.set([...this.picks, { key: part.key, path }])
  }

  /** Pick a choice or a place, by the key of its part. */
  takeKey(key) {
    const part = this.decision?.parts.find((one) => one.key === key)
    if (!part || !this.mayPick) return
    this.set([...this.picks, { key, path: part.where[0]?.join('.') ?? null }])
  }

  takeAll() {
    if (this.weighed?.largest) this.set(picksOf(this.decision, this.weighed.largest))
  }

  /** The empty felt is a place where a card can be laid. */
  tapFelt() {
    const { decision } = this
    if (!this.isTurn || !this.picks.length) return
    const table = decision.parts.findIndex((part) => part.kind === 'table')
    if (table >= 0 && this.weighed.lit.has(table)) this.takeKey(decision.parts[table].key)
  }

  /** Pick a whole move: from the list, a hint, or typed. */
  offer(offer) {
    this.set(picksOf(this.decision, offer))
    this.page.closeMenu()
    this.page.bar.querySelector('[data-do="play"]')?.focus()
  }

  async askWhy(part, path = null) {
    const { connection, saying } = this.page
    const picked = [...this.picks.map((pick) => pick.key), part.key]
    try {
      const refusal = await connection.post('why', { picked })
      if (refusal) saying.why(refusal.sentence, refusal.clause, path)
    } catch (error) {
      this.page.trouble(error)
    }
  }

  /** The picks match no listed move, but some legal moves are not listed. */
  async askUnlisted() {
    const { decision, picks } = this
    const refusal = await this.page.connection
      .post('why', { picked: picks.map((pick) => pick.key) })
      .catch(() => null)
    if (this.picks !== picks || this.decision !== decision || !refusal?.move) return
    const at = picks.map((pick) => decision.parts.findIndex((part) => part.key === pick.key))
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
    decision.moves.push({ move, parts: at, sentence, clause, ...plain })
    this.weighed = weigh(decision, picks)
    this.page.drawPicks()
  }
}
