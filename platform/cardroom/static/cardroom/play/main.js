// A table in play: the state from the site, the picks of a person, and what of both is shown.

import { useCardsOf } from '../replay/cards.js'
import { eventOf } from '../replay/data.js'
import { rendererOf } from '../replay/games.js'
import { again } from './again.js'
import * as bar from './bar.js'
import { drawBoard, drawEmpty, fit } from './board.js'
import { carried, meant, partsAt, pickedPaths, picksOf, weigh } from './composer.js'
import { Connection, Refused } from './connection.js'
import { wireDrag } from './drag.js'
import { flight } from './flight.js'
import { wireKeys } from './keys.js'
import { show as showMark } from './marks.js'
import * as places from './places.js'
import { History, matchFor, sceneFor } from './scene.js'
import { Settings } from './settings.js'
import * as side from './side.js'
import { signs } from './signs.js'
import { wireTyping } from './typing.js'

const BETWEEN_MS = 400
const LONGEST_MS = 3000

export class TablePage {
  constructor(root, state, renderer) {
    this.root = root
    this.renderer = renderer
    this.find = (name) => root.querySelector(`[data-part="${name}"]`)
    this.felt = this.find('felt')
    this.bar = this.find('bar')
    this.history = new History()
    this.settings = new Settings(root)
    this.picks = []
    this.at = -1 // the frame that is shown, counted among those kept
    this.closing = null // the deal that is over and still shown
    this.hint = null
    this.busy = false
    this.connection = new Connection(root.dataset.url, {
      onState: (next) => this.receive(next),
      onLost: (wait) => this.lost(wait),
      onFound: () => this.found(),
    })
    this.listen()
    this.receive(state)
    this.connection.take(state)
  }

  // --- what the site says -------------------------------------------------------------------------

  receive(state) {
    const behind = this.history.frames.length - 1 - this.at
    const fresh = this.history.add(state)
    const { frames } = this.history
    const turned = this.state?.chip.kind !== 'turn' && state.chip.kind === 'turn'
    this.state = state
    this.weighed = null
    this.match = matchFor(state, frames, this.renderer)
    if (this.at < 0 || fresh >= frames.length) {
      this.at = frames.length - 1
      this.drawFrame()
    } else if (fresh) {
      this.at = Math.max(0, frames.length - 1 - behind - fresh)
      this.began = performance.now()
      this.forward()
    }
    if (!this.isBehind) this.settle()
    if (turned) this.settings.click()
    this.drawAround()
  }

  /** Whether moves are still being shown one after another, or a deal that is over. */
  get isBehind() {
    return this.at < this.history.frames.length - 1
  }

  /** Show the next frame, then after a while the one after it. */
  forward() {
    clearTimeout(this.timer)
    if (!this.isBehind) return this.settle()
    const frames = this.match.frames
    if (this.isDealOver(frames[this.at]) && frames[this.at + 1].deal > frames[this.at].deal) {
      if (this.closing !== false) return this.closeDeal()
    }
    this.closing = null
    const isLate = document.hidden || performance.now() - this.began > LONGEST_MS
    const was =
      this.settings.calm || isLate ? null : flight(this.felt, this.match, this.at + 1, this)
    this.at += 1
    this.drawFrame()
    was?.()
    if (!this.isBehind) return this.settle()
    this.drawBar()
    this.timer = setTimeout(() => this.forward(), isLate || this.settings.calm ? 0 : BETWEEN_MS)
  }

  isDealOver(frame) {
    return ['score', 'deal_end', 'end', 'match'].some((type) => eventOf(frame, type))
  }

  /** A deal is over: it stays on the table until the person goes on. */
  closeDeal() {
    this.closing = true
    this.drawBar()
    this.drawAround()
  }

  nextDeal() {
    this.closing = false
    this.began = performance.now()
    this.forward()
  }

  /** The newest frame is shown: what can be done now? */
  settle() {
    const { decision } = this.state
    if (decision && this.picks.length) {
      const kept = carried(decision, this.picks)
      if (!kept) this.say('What you had picked cannot be played any more.')
      this.picks = kept ?? []
    }
    if (!decision) this.picks = []
    this.weigh()
  }

  weigh() {
    const { decision } = this.state
    this.weighed = decision && !this.isBehind ? weigh(decision, this.picks) : null
    this.drawPicks()
    if (decision?.more && this.picks.length && !this.weighed?.offered) this.askUnlisted()
  }

  get mayPick() {
    return Boolean(this.weighed) && !this.busy
  }

  get isTurn() {
    return this.mayPick && this.state.decision.moves.length > 0
  }

  // --- picking ------------------------------------------------------------------------------------

  /** Somebody takes what lies at a path. */
  takeAt(path) {
    if (this.isBehind) return this.hurry()
    if (!this.mayPick) return
    const { decision } = this.state
    const picked = this.picks.findIndex((pick) => pick.path === path)
    const found = meant(decision, this.weighed, path)
    this.quiet()
    if (picked >= 0) return this.setPicks(this.picks.filter((_, at) => at !== picked))
    if (!found) return
    const part = decision.parts[found.part]
    if (!decision.moves.length) {
      if (part.kind === 'hand') this.setPicks([...this.picks, { key: part.key, path }])
      return
    }
    const alongside = pickedPaths(decision, this.weighed, this.picks)
    if (!found.fits && alongside.has(path)) return this.setPicks(this.picks.slice(0, -1))
    if (!found.fits && !decision.more) return this.askWhy(part, path)
    this.setPicks([...this.picks, { key: part.key, path }])
  }

  /** A choice or a place, by the key of its part. */
  takeKey(key) {
    const part = this.state.decision?.parts.find((one) => one.key === key)
    if (!part || !this.mayPick) return
    this.setPicks([...this.picks, { key, path: part.where[0]?.join('.') ?? null }])
  }

  setPicks(picks) {
    this.quiet()
    this.picks = picks
    this.weigh()
    const only = this.weighed?.offered && this.weighed.left.length === 1
    if (only && picks.length && this.settings.isOn('tap') && !this.weighed.offered.warning)
      this.play()
  }

  /** Take over a whole move: from the list, a hint, what was typed. */
  offer(offer) {
    this.setPicks(picksOf(this.state.decision, offer))
    this.closeMenu()
    this.bar.querySelector('[data-do="play"]')?.focus()
  }

  takeAll() {
    if (this.weighed?.largest) this.setPicks(picksOf(this.state.decision, this.weighed.largest))
  }

  async askWhy(part, path = null) {
    const picked = [...this.picks.map((pick) => pick.key), part.key]
    try {
      const refusal = await this.connection.post('why', { picked })
      if (refusal) this.why(refusal.sentence, refusal.clause, path)
    } catch (error) {
      this.trouble(error)
    }
  }

  /** The picks are no listed move, but more are legal than are listed. */
  async askUnlisted() {
    const picks = this.picks
    const refusal = await this.connection
      .post('why', { picked: picks.map((pick) => pick.key) })
      .catch(() => null)
    if (this.picks !== picks || !refusal?.move) return
    const { decision } = this.state
    const at = picks.map((pick) => decision.parts.findIndex((part) => part.key === pick.key))
    const { move, sentence, clause } = refusal
    decision.moves.push({ move, parts: at, sentence, clause, effect: '', warning: '', step: '' })
    this.weighed = weigh(decision, picks)
    this.drawPicks()
  }

  // --- doing --------------------------------------------------------------------------------------

  async play() {
    const offered = this.weighed?.offered
    if (!offered || !this.isTurn) return
    await this.act(async () => {
      this.picks = []
      this.settings.click()
      await this.connection.do('move', { n: this.state.n, move: offered.move })
      this.keepFocus()
    })
  }

  /** Do something that the site may refuse; meanwhile nothing else is done. */
  async act(deed) {
    if (this.busy) return
    this.busy = true
    this.root.setAttribute('aria-busy', 'true')
    this.bar.querySelector('[data-do="play"]')?.setAttribute('disabled', '')
    try {
      await deed()
    } catch (error) {
      this.trouble(error)
    } finally {
      this.busy = false
      this.root.removeAttribute('aria-busy')
      this.drawPicks()
    }
  }

  trouble(error) {
    if (!(error instanceof Refused)) return this.lost(0)
    if (error.state) {
      this.receive(error.state)
      this.connection.take(error.state)
    }
    this.why(error.message, error.clause)
  }

  async askHint() {
    if (!this.isTurn) return this.say('A hint is given at your turn.')
    await this.act(async () => {
      this.say('The house thinks about it …')
      let hint = { pending: true }
      while (hint.pending) hint = await this.connection.post('hint', { n: this.state.n })
      this.hint = hint
      side.drawHint(this.find('hint'), hint, this.told)
      this.find('why').hidden = true
      this.say([hint.sentence, hint.why].filter(Boolean).join(' '))
    })
  }

  showHint() {
    const offer = this.state.decision?.moves.find((one) => one.move === this.hint?.move)
    if (offer && this.hint.n === this.state.n) this.offer(offer)
  }

  // --- saying -------------------------------------------------------------------------------------

  get told() {
    return (text) => this.scene?.names.shorten(text) ?? text
  }

  /** One sentence over the hand, until the next pick. */
  why(sentence, clause = '', path = null) {
    showMark(this.find('why'), signs(this.told(sentence)), clause, this.state.format.rules)
    for (const one of this.felt.querySelectorAll('.asked')) one.classList.remove('asked')
    if (path) this.felt.querySelector(`[data-path="${path}"]`)?.classList.add('asked')
  }

  say(sentence) {
    showMark(this.find('why'), signs(this.told(sentence)), '', '', true)
  }

  quiet() {
    this.find('why').hidden = true
    for (const one of this.felt.querySelectorAll('.asked')) one.classList.remove('asked')
  }

  lost(wait) {
    const chip = this.find('chip')
    this.wasLost = true
    chip.className = 'chip lost'
    chip.textContent = 'connection lost'
    const again = wait ? `; next try in ${Math.ceil(wait / 1000)} s` : ''
    showMark(
      this.find('why'),
      [`You see the table as it was${again}. `, bar.button('now', 'Try now')],
      '',
      '',
      true,
    )
  }

  found() {
    if (this.wasLost) this.quiet()
    this.wasLost = false
    this.drawAround()
  }

  // --- drawing ------------------------------------------------------------------------------------

  drawFrame() {
    if (!this.match) {
      drawEmpty(this.felt)
      return
    }
    const focused = document.activeElement?.getAttribute('data-path')
    this.scene = sceneFor(this.match, this.at, this.state)
    drawBoard(this.felt, this.renderer, this.scene)
    const { frame, names } = this.scene
    this.find('said').replaceChildren(...signs(names.tell(frame.sentence)))
    side.drawTold(this.find('told'), this.match.frames, this.at, names)
    if (focused) this.felt.querySelector(`[data-path="${focused}"]`)?.focus()
    this.drawPicks()
  }

  /** Rings, ticks and dimming by what is picked; then the bar. */
  drawPicks() {
    const { decision } = this.state
    const weighed = this.isBehind ? null : this.weighed
    const picked = weighed ? pickedPaths(decision, weighed, this.picks) : new Set()
    for (const thing of this.felt.querySelectorAll('[data-path]')) {
      const { path } = /** @type {HTMLElement} */ (thing).dataset
      const here = weighed ? partsAt(decision, path) : []
      const isPicked = picked.has(path)
      const isLit = !isPicked && here.some((part) => weighed.lit.has(part))
      const mayDim = here.length && this.picks.length && this.isTurn
      const isDim = Boolean(mayDim && !isLit && !isPicked)
      thing.classList.toggle('picked', isPicked)
      thing.classList.toggle('lit', isLit && this.isTurn)
      thing.classList.toggle('dim', isDim)
      thing.classList.toggle('idle', !here.length)
      thing.setAttribute('aria-pressed', String(isPicked))
      thing.setAttribute('aria-disabled', String(!isLit && !isPicked))
    }
    this.tabStops()
    this.drawBar()
  }

  /** One stop for the hand and one for what lies on the table; arrows go on from there. */
  tabStops() {
    for (const group of [this.felt.querySelector('.hand'), this.felt]) {
      const things = [...(group?.querySelectorAll('[data-path]:not(.idle)') ?? [])].filter(
        (one) => group !== this.felt || !one.closest('.hand'),
      )
      const stop = things.find((one) => one === document.activeElement) ?? things[0]
      for (const one of things) one.setAttribute('tabindex', one === stop ? '0' : '-1')
    }
  }

  drawBar() {
    const { state } = this
    /** @type {HTMLElement} */
    const focused = document.activeElement?.closest('[data-part="bar"] [data-do]')
    this.drawBarOf(state)
    if (focused) this.bar.querySelector(`[data-do="${focused.dataset.do}"]:not(:disabled)`)?.focus()
  }

  drawBarOf(state) {
    const frame = this.match?.frames[this.at]
    if (state.you === null && this.root.dataset.invitation) return places.invited(this.bar, state)
    if (frame && this.closing) {
      const deal = state.deals.find((one) => one.number === frame.deal)
      const scores = deal?.scores ?? frame.view.scores
      return places.over(this.bar, state, this.scene.names, { isLast: false, scores })
    }
    if (!this.isBehind && state.chip.kind === 'finished')
      return places.over(this.bar, state, this.scene?.names, { isLast: true, scores: state.scores })
    if (state.you === null) return places.watching(this.bar, state)
    if (state.seats[state.you].left) return places.resting(this.bar)
    if (state.state === 'waiting') return places.waiting(this.bar, state)
    if (state.chip.kind === 'resting') return places.resting(this.bar)
    if (state.chip.kind === 'waiting') return places.left(this.bar, state)
    const { decision } = state
    if (this.isBehind) return bar.others(this.bar)
    if (!this.weighed || !decision?.moves.length)
      return bar.ahead(this.bar, state.chip, decision ?? { parts: [] }, decision ? this.picks : [])
    return bar.composing(this.bar, decision, this.weighed, this.picks, this.told)
  }

  /** Everything that is not the felt or the bar. */
  drawAround() {
    const { state } = this
    this.root.dataset.n = String(state.n)
    const names = this.scene?.names
    const chip = this.find('chip')
    chip.className = `chip ${state.chip.kind}`
    chip.textContent = names ? names.shorten(state.chip.words) : state.chip.words
    const title = document.title.replace(/^▲ /, '')
    document.title = state.chip.kind === 'turn' ? `▲ ${title}` : title
    if (names) {
      side.drawScore(this.find('score'), state, names)
      side.drawSeats(this.find('seats'), state, names)
    }
    side.drawMoves(this.find('moves'), state.decision, this.told)
    this.find('trouble').textContent = state.trouble
    this.find('trouble').hidden = !state.trouble
    if (this.hint && this.hint.n !== state.n) this.find('hint').hidden = true
    for (const one of this.root.querySelectorAll('[data-do="hint"]'))
      one.toggleAttribute('hidden', state.you === null || state.chip.kind === 'finished')
  }

  // --- going about --------------------------------------------------------------------------------

  /** After a play the focus stays in the hand, on the next card. */
  keepFocus() {
    if (document.activeElement === document.body)
      this.felt.querySelector('.hand [data-path]')?.focus({ preventScroll: true })
  }

  /** Show what has happened at once. */
  hurry() {
    this.began = -Infinity
    if (this.isBehind && !this.closing) this.forward()
  }

  openMenu() {
    this.root.classList.add('menu-open')
    this.find('side').querySelector('button, a, summary')?.focus()
  }

  closeMenu() {
    this.root.classList.remove('menu-open')
  }

  listen() {
    this.root.addEventListener('click', (event) => this.click(event))
    new ResizeObserver(() => fit(this.felt)).observe(this.felt)
    wireKeys(this)
    wireDrag(this)
    wireTyping(this)
  }

  click(event) {
    const target = /** @type {HTMLElement} */ (event.target)
    const deed = /** @type {HTMLElement} */ (target.closest('[data-do]'))
    if (deed) return this.press(deed.dataset.do, deed)
    const thing = /** @type {HTMLElement} */ (target.closest('[data-path]'))
    if (thing) return this.takeAt(thing.dataset.path)
    if (!target.closest('[data-part="felt"]')) return
    if (this.isBehind) this.hurry()
    else this.tapFelt()
  }

  /** The felt itself is a place where a card can be laid. */
  tapFelt() {
    const { decision } = this.state
    if (!this.isTurn || !this.picks.length) return
    const table = decision.parts.findIndex((part) => part.kind === 'table')
    if (table >= 0 && this.weighed.lit.has(table)) this.takeKey(decision.parts[table].key)
  }

  press(action, element) {
    const actions = {
      play: () => this.play(),
      again: () => this.setPicks([]),
      all: () => this.takeAll(),
      pick: () => this.takeKey(element.dataset.key),
      offer: () => this.offer(this.state.decision.moves[Number(element.dataset.offer)]),
      hint: () => this.askHint(),
      'show-hint': () => this.showHint(),
      next: () => this.nextDeal(),
      now: () => this.connection.now(),
      menu: () => (this.root.classList.contains('menu-open') ? this.closeMenu() : this.openMenu()),
      'close-why': () => this.quiet(),
      sit: () => this.sit(),
      house: () =>
        this.act(() => this.connection.do('house', { seat: Number(element.dataset.seat) })),
      leave: () => this.act(() => this.connection.do('leave')),
      copy: () => this.copy(element),
      another: () => again(this.find('another'), this.state),
    }
    actions[action]?.()
  }

  sit() {
    const token = this.state.you === null ? (this.root.dataset.invitation ?? '') : ''
    const handle = this.bar.querySelector('#handle')?.value.trim() ?? ''
    return this.act(() => this.connection.do('sit', { token, handle }))
  }

  async copy(element) {
    try {
      await navigator.clipboard.writeText(element.dataset.text)
      element.textContent = 'Copied'
    } catch {
      element.parentElement.querySelector('input').select()
    }
  }
}

async function begin(root) {
  const state = JSON.parse(document.getElementById('state').textContent)
  useCardsOf(root.dataset.cards)
  const renderer = await rendererOf(state.format.game)
  const page = new TablePage(root, state, renderer)
  root.classList.add('ready')
  return page
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-table]')
if (root) begin(root)
