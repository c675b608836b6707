// A running table: it shows the site's states frame by frame, and sends the person's actions.

import { Animator } from '../board/animator.js'
import { setCardFile } from '../board/cards.js'
import { eventOf } from '../board/data.js'
import { showFailure } from '../board/dom.js'
import { rendererOf } from '../board/games.js'
import { Away } from './away.js'
import { drawBoard, drawEmpty, fit } from './board.js'
import { Connection, Refused } from './connection.js'
import { wireDrag } from './drag.js'
import { drawAround, drawBar, drawRings } from './drawing.js'
import { Ending } from './ending.js'
import { drawGoal } from './goal.js'
import { wireKeys } from './keys.js'
import { Messages } from './messages.js'
import { Picking } from './picking.js'
import { rematch } from './rematch.js'
import { History, matchFor, sceneFor } from './scene.js'
import { Settings } from './settings.js'
import { drawEvents, drawHint } from './side.js'
import { colourSuits } from './suits.js'
import { swap } from './swap.js'
import { wireTyping } from './typing.js'

const HINT_PAUSE_MS = 300 // the site may be too busy to hold the request

export class TablePage {
  constructor(root, state, renderer) {
    this.root = root
    this.renderer = renderer
    this.find = (name) => root.querySelector(`[data-part="${name}"]`)
    this.felt = this.find('felt')
    this.bar = this.find('bar')
    this.history = new History()
    this.settings = new Settings(root)
    this.picking = new Picking(this)
    this.messages = new Messages(this)
    this.animator = new Animator(this)
    this.ending = new Ending(this)
    this.away = new Away(this)
    this.at = -1 // the index of the shown frame in the history
    this.closing = null // true: a finished deal is shown; false: the person has continued
    this.hint = null
    this.busy = false
    this.connection = this.connect(root.dataset.url, {
      onState: (next) => this.receive(next),
      onSame: () => this.away.responded(),
      onLost: (wait) => this.messages.showLost(wait),
      onFound: () => {
        this.away.returned()
        this.messages.clearLost()
      },
      onGone: () => this.vanish(),
    })
    this.listen()
    this.receive(state)
    this.connection.accept(state)
  }

  /**
   * The connection to the site.
   *
   * @returns {Pick<Connection, 'accept' | 'take' | 'pollNow' | 'post' | 'do'>}
   */
  connect(address, handlers) {
    return new Connection(address, handlers)
  }

  /** The label of the button that submits a move; empty: the move itself. */
  get verb() {
    return ''
  }

  // --- the site's state ---------------------------------------------------------------------------

  receive(state) {
    // The frames are those of this person's other seat.
    if (this.state && this.state.you !== null && state.you !== this.state.you)
      return location.reload()
    const behind = this.waiting
    const fresh = this.history.add(state)
    const { frames } = this.history
    if (this.state?.chip.kind !== 'turn' && state.chip.kind === 'turn') this.hasTurned = true
    this.state = state
    this.picking.composition = null
    this.match = matchFor(state, frames, this.renderer)
    if (this.at < 0 || fresh >= frames.length) this.showNewest()
    else if (fresh) {
      this.at = Math.max(0, frames.length - 1 - behind - fresh)
      if (this.away.isAway) this.skip()
      else this.animator.start()
    }
    this.away.responded()
    if (!this.animator.isRunning) this.picking.settle()
    else drawBar(this)
    this.drawAround()
  }

  /** The table was deleted, or is closed to this person. */
  vanish() {
    const chip = { kind: 'finished', words: 'gone' }
    this.state = { ...this.state, decision: null, chip, isGone: true }
    this.messages.hide()
    this.picking.settle()
    this.drawAround()
  }

  /** Whether frames wait: moves are animated, or a finished deal is shown. */
  get isBehind() {
    return this.waiting > 0
  }

  /** The number of frames that are not shown yet. */
  get waiting() {
    return this.history.frames.length - 1 - this.at
  }

  /** Show the newest frame immediately. */
  showNewest() {
    this.animator.stop()
    this.at = this.history.frames.length - 1
    this.drawFrame()
    this.conclude(false)
  }

  /** Skip to the newest frame, or to the end of the deal before it. */
  skip() {
    const from = this.at
    this.animator.stop()
    while (this.isBehind && !this.isDealDone) this.at += 1
    if (this.at === from) return
    if (this.isBehind) this.closing = true
    this.drawFrame()
    this.away.addMissed(from, this.at)
    this.settled()
  }

  /** Return to a frame, and animate the later ones. */
  showFrom(at) {
    this.at = at
    this.closing = null
    this.ending.forget()
    this.drawFrame()
    this.animator.start()
  }

  /** Whether the shown deal is over, the next one has begun, and the person has not continued. */
  get isDealDone() {
    const { frames } = this.match
    const [shown, next] = [frames[this.at], frames[this.at + 1]]
    return this.closing !== false && isDealOver(shown) && next?.deal > shown.deal
  }

  get board() {
    return this.felt
  }

  get pace() {
    return this.settings.pace
  }

  get still() {
    return this.settings.still
  }

  isOwn(frame) {
    return frame.seat === this.state.you
  }

  /** The next frame to show; null if there is none, or if the end of a deal is shown. */
  nextFrame() {
    if (!this.isBehind) return null
    this.closing = this.isDealDone ? true : null
    return this.closing ? null : this.match.frames[this.at + 1]
  }

  /** Draw the next frame. */
  showNext() {
    this.at += 1
    this.drawFrame()
  }

  /** Called when all frames are shown, or the end of a deal is reached. */
  settled() {
    this.picking.settle()
    if (this.hasTurned && !this.isBehind) {
      this.hasTurned = false
      this.settings.click()
    }
    this.drawAround()
    this.conclude(true)
  }

  /** If a deal is over, show its score sheet until the person continues. */
  conclude(isSeen) {
    if (!this.match) return
    const isLast = !this.isBehind && Boolean(this.state.result)
    if (!this.closing && !isLast) return
    this.ending.begin(this.match.frames[this.at].deal, { isLast, isSeen })
    drawBar(this)
    this.drawAround()
    const active = document.activeElement
    if (active === document.body || this.felt.contains(active) || this.bar.contains(active))
      this.bar.querySelector('.main')?.focus({ preventScroll: true })
  }

  nextDeal() {
    this.closing = false
    this.ending.forget()
    this.drawFrame()
    this.animator.start()
  }

  // --- actions ------------------------------------------------------------------------------------

  async play() {
    const offered = this.picking.composition?.offered
    if (!offered || !this.picking.isTurn) return
    await this.act(async () => {
      this.picking.picks = []
      this.away.forget()
      this.messages.hide()
      this.settings.click()
      for (const move of [offered.move, ...offered.after])
        await this.connection.do('move', { n: this.state.n, move })
      this.keepFocus()
    })
  }

  /** Pick a choice or a place, and play the move that it completes. */
  playKey(key) {
    this.picking.pickKey(key)
    return this.play()
  }

  /** Run an action that the site may refuse; further actions are ignored until the site responds. */
  async act(action) {
    if (this.busy) return
    this.busy = true
    this.root.setAttribute('aria-busy', 'true')
    this.bar.querySelector('[data-do="play"]')?.setAttribute('disabled', '')
    try {
      await action()
    } catch (error) {
      this.showError(error)
    } finally {
      this.busy = false
      this.root.removeAttribute('aria-busy')
      this.drawPicks()
    }
  }

  showError(error) {
    if (!(error instanceof Refused)) return this.messages.showLost(0)
    if (error.state) this.connection.take(error.state)
    this.messages.explain(error.message, error.clause)
  }

  async askHint() {
    if (!this.picking.isTurn) return this.messages.show('You can ask for a hint on your turn.')
    await this.act(async () => {
      this.messages.show('The house bot is thinking …')
      const ask = () => this.connection.post('hint', { n: this.state.n })
      let hint = await ask()
      for (; hint.pending; hint = await ask())
        await new Promise((resolve) => setTimeout(resolve, HINT_PAUSE_MS))
      this.hint = hint
      drawHint(this.find('hint'), hint, this.withNames)
      this.messages.show([hint.sentence, hint.why].filter(Boolean).join(' '))
    })
  }

  /** The move that the last hint advises, if the hint is for the shown position. */
  get hintedMove() {
    if (!this.hint || this.hint.n !== this.state.n || this.isBehind) return null
    return this.state.decision?.moves.find(({ move }) => move === this.hint.move) ?? null
  }

  showHint() {
    if (this.hintedMove) this.picking.pickMove(this.hintedMove)
  }

  /** Replaces full names in an engine's sentence by the short names of the table. */
  get withNames() {
    return (text) => this.scene?.names.shorten(text) ?? text
  }

  // --- drawing ------------------------------------------------------------------------------------

  drawFrame() {
    if (!this.match) {
      drawEmpty(this.felt)
      return
    }
    const focused = document.activeElement?.getAttribute('data-path')
    const atHand = document.activeElement?.matches('.hand')
    this.scene = sceneFor(this.match, this.at, this.state)
    drawBoard(this.felt, this.renderer, this.scene)
    this.say(this.scene.frame)
    if (focused) this.felt.querySelector(`[data-path="${focused}"]`)?.focus()
    if (atHand) this.focusHand()
    this.drawPicks()
  }

  /** Announce a frame, which may not be drawn yet. */
  say(frame) {
    const { names } = this.scene
    const words = colourSuits(names.replacePlaces(frame.sentence))
    swap(this.find('said'), words) // an unchanged text is not announced again
    drawEvents(this.find('sentences'), this.match.frames, frame.at, names)
  }

  /** Draw the picks, and the bar that describes them. */
  drawPicks() {
    drawRings(this)
    drawBar(this)
    drawGoal(this)
  }

  drawAround() {
    drawAround(this)
  }

  // --- focus and skipping -------------------------------------------------------------------------

  /** After a move, focus the next card of the hand. */
  keepFocus() {
    if (document.activeElement === document.body)
      this.felt.querySelector('.hand [data-path]')?.focus({ preventScroll: true })
  }

  /** Focus the hand: digits then pick cards, and Tab leads to the first one. */
  focusHand() {
    this.felt.querySelector('.hand')?.focus({ preventScroll: true })
  }

  /** End the current animation: of a move, or of the counting of a deal. */
  hurry() {
    this.animator.finish()
    this.ending.finish()
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
    const action = /** @type {HTMLElement} */ (target.closest('[data-do]'))
    if (action) return this.press(action.dataset.do, action)
    const part = /** @type {HTMLElement} */ (target.closest('[data-path]'))
    if (part) return this.picking.pickAt(part.dataset.path)
    if (!target.closest('[data-part="felt"]')) return
    if (this.isBehind || this.ending.isCounting) this.hurry()
    else this.picking.tapFelt()
  }

  press(action, element) {
    const actions = {
      play: () => this.play(),
      again: () => this.picking.set([]),
      all: () => this.picking.pickAll(),
      pick: () => this.picking.pickKey(element.dataset.key),
      do: () => this.playKey(element.dataset.key),
      offer: () => this.picking.pickMove(this.state.decision.moves[Number(element.dataset.offer)]),
      hint: () => this.askHint(),
      'show-hint': () => this.showHint(),
      next: () => this.nextDeal(),
      now: () => this.connection.pollNow(),
      menu: () => (this.root.classList.contains('menu-open') ? this.closeMenu() : this.openMenu()),
      'close-why': () => this.messages.hide(),
      sit: () => this.sit(),
      house: () =>
        this.act(() => this.connection.do('house', { seat: Number(element.dataset.seat) })),
      leave: () => this.act(() => this.connection.do('leave')),
      copy: () => this.copy(element),
      missed: () => this.away.show(),
      another: () => rematch(this.find('another'), this.state),
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

const isDealOver = (frame) =>
  ['score', 'deal_end', 'end', 'match'].some((type) => eventOf(frame, type))

async function begin(root) {
  const state = JSON.parse(document.getElementById('state').textContent)
  setCardFile(root.dataset.cards)
  const renderer = await rendererOf(state.format.game)
  const page = new TablePage(root, state, renderer)
  if (document.activeElement === document.body) page.focusHand()
  root.classList.add('ready')
  return page
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-table]')
if (root) begin(root).catch((error) => showFailure(root, error))
