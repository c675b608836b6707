// A replay: the viewer moves through the match with buttons, keys and addresses.

import { Animator } from '../board/animator.js'
import { PACES } from '../board/pace.js'
import { isMotionReduced } from '../board/stage.js'
import { ContinuationForm } from './continuation.js'
import { drawExpert } from './expert.js'
import { Log } from './logs.js'
import { addressOf, costOf, drawMoves, positionOf, sentenceOf } from './moves.js'
import { QuestionPanel } from './question.js'
import { drawSheet } from './sheet.js'
import { Sound } from './sound.js'
import { drawTable, fit, sceneOf } from './table.js'
import { legend, TimeLine } from './timeline.js'
import { wireSwipes, wireViews } from './views.js'

const MIN_THINKING_MS = 150 // limits of the pace "as played", so that people can follow
const MAX_THINKING_MS = 3000
const REMEMBER_MS = 250

/** Keys of the whole page, ignored while typing; a focused button gets the space key. */
const KEYS = {
  ArrowLeft: (player) => player.step(-1),
  ArrowRight: (player) => player.step(1),
  '[': (player) => player.deal(-1),
  ']': (player) => player.deal(1),
  PageUp: (player, event) => onSlider(event) && player.deal(-1),
  PageDown: (player, event) => onSlider(event) && player.deal(1),
  Home: (player) => player.show(0),
  End: (player) => player.show(player.last),
  ' ': (player) => player.toggle(),
  f: (player) => player.nextFault(),
  0: (player) => player.lookFrom(null),
  c: (player) => player.toggleSuits(),
  s: (player) => player.sound.toggle(),
  '?': (player) => player.help.showModal(),
}

const onSlider = (event) => event.target.getAttribute('role') === 'slider'

export class Player {
  constructor(root, match, renderer) {
    this.root = root
    this.page = root.closest('main')
    this.match = match
    this.renderer = renderer
    this.at = 0
    this.viewer = null
    this.isPlaying = false
    this.waiting = 0 // nobody moves here
    this.last = match.frames.length - 1
    const find = (name) => this.page.querySelector(`[data-part="${name}"]`)
    this.board = find('board')
    this.animator = new Animator(this)
    this.list = find('moves')
    this.position = find('position')
    this.sheet = find('sheet')
    this.announcement = find('said')
    this.caption = find('last')
    this.expert = find('expert')
    this.help = find('help')
    this.speed = find('speed')
    this.playButton = root.querySelector('[data-do="play"]')
    this.timeline = new TimeLine(find('timeline'), match, renderer, (at) => {
      this.pause()
      this.show(at)
    })
    this.legend = find('legend')
    this.legend.replaceChildren(...legend(match, renderer))
    this.question = find('question') && new QuestionPanel(find('question'), match)
    this.continuation = find('here') && new ContinuationForm(find('here'), match)
    this.logs = [...this.page.querySelectorAll('[data-log]')].map((section) => new Log(section))
    this.sound = new Sound(root.querySelector('[data-do="sound"]'))
  }

  /** Attach listeners, and show the frame in the address. */
  start() {
    const seat = Number(new URLSearchParams(location.search).get('seat') ?? NaN)
    if (seat >= 1 && seat <= this.match.total) this.viewer = seat - 1
    this.root.classList.add('ready')
    this.listen()
    this.show(this.frameInAddress() ?? 0, { quiet: true })
    wireViews(this.root, (name) => this.showView(name))
    wireSwipes(this.board, (by) => this.step(by))
    new ResizeObserver(() => fit(this.board)).observe(this.board)
    new ResizeObserver(() => this.showView(this.root.dataset.view)).observe(this.list)
  }

  listen() {
    document.addEventListener('keydown', (event) => this.key(event))
    document.addEventListener('analysis', (event) =>
      this.updateAnalysis(/** @type {CustomEvent} */ (event).detail),
    )
    addEventListener('hashchange', () => {
      const at = this.frameInAddress()
      if (at !== null) this.show(at)
    })
    this.page.addEventListener('click', (event) => this.click(event))
    this.help.querySelector('button').addEventListener('click', () => this.help.close())
  }

  /** Show the results of an analysis that has advanced. */
  updateAnalysis(analysis) {
    this.match.analysis = analysis
    this.timeline.draw()
    this.legend.replaceChildren(...legend(this.match, this.renderer))
    this.list.dataset.deal = ''
    this.draw()
  }

  /** The frame in the address, or null. */
  frameInAddress() {
    const [, kind, number] = location.hash.match(/^#(move|deal|end)(?:-(\d+))?$/) ?? []
    if (kind === 'end') return this.last
    if (kind === 'deal') return this.match.frameOfDeal(Number(number)) ?? null
    const move = kind ? Number(number) : this.match.move // without a #, the link's ?move= counts
    return move ? (this.match.frameOfMove(move) ?? null) : null
  }

  // --- navigation ---------------------------------------------------------------------------------

  /** Show a frame without motion. `quiet`: do not put it into the address. */
  show(at, { quiet = false } = {}) {
    this.pause()
    this.at = Math.min(Math.max(at, 0), this.last)
    this.draw()
    if (!quiet) this.rememberLater()
  }

  draw() {
    const scene = sceneOf(this.match, this.at, this.viewer)
    const { frame } = scene
    drawTable(this.board, this.renderer, scene)
    drawSheet(this.sheet, this.renderer, scene)
    drawMoves(this.list, this.renderer, this.match, frame)
    if (this.expert) drawExpert(this.expert, this.match, frame, this.animator.cardsOf(frame))
    this.timeline.update(frame)
    this.question?.update(frame)
    this.continuation?.update(frame)
    for (const log of this.logs) log.update(frame)
    this.say(frame)
    this.position.textContent = positionOf(this.match, frame)
    const shown = String(this.viewer ?? 'all')
    for (const button of this.root.querySelectorAll('[data-from]')) {
      button.setAttribute('aria-pressed', String(button.dataset.from === shown))
    }
  }

  /** Prepare a part of the match that the viewer opens. */
  showView(name) {
    if (name === 'log') for (const log of this.logs) log.open()
    drawMoves(this.list, this.renderer, this.match, this.match.frames[this.at])
  }

  step(by) {
    this.pause()
    if (by > 0 && this.at < this.last) this.animator.stepTo(this.match.frames[this.at + 1])
    else this.show(this.at + by)
    if (this.announcement)
      this.announcement.textContent =
        this.list.querySelector('[aria-current] .say')?.textContent ?? ''
  }

  deal(by) {
    this.pause()
    const deal = this.match.deals[this.match.frames[this.at].dealIndex]
    const offset = deal.first === this.at || by > 0 ? by : 0
    const target = this.match.deals[this.match.deals.indexOf(deal) + offset]
    this.show(target ? target.first : by > 0 ? this.last : 0)
  }

  nextFault() {
    this.pause()
    const places = this.match.faults.map((fault) => fault.at).sort((a, b) => a - b)
    const next = places.find((at) => at > this.at) ?? places[0]
    if (next !== undefined) this.show(next)
  }

  nextCostly() {
    const isCostly = (frame) => costOf(this.match, frame)
    const { frames } = this.match
    const next = frames.find((frame) => frame.at > this.at && isCostly(frame))
    const target = next ?? frames.find(isCostly)
    if (target) this.show(target.at)
  }

  lookFrom(seat) {
    this.viewer = seat
    this.draw()
    this.rememberLater()
  }

  toggleSuits() {
    const { dataset } = document.documentElement
    dataset.suits = dataset.suits === 'four' ? 'classic' : 'four'
    document.cookie = `suits=${dataset.suits};path=/;max-age=31536000;samesite=lax`
    /** @type {NodeListOf<HTMLButtonElement>} */
    const buttons = document.querySelectorAll('button[name="suits"]')
    for (const button of buttons) {
      button.setAttribute('aria-pressed', String(button.value === dataset.suits))
    }
  }

  /** Browsers limit address changes per second, so several moves in a row make only one. */
  rememberLater() {
    clearTimeout(this.remembering)
    this.remembering = setTimeout(() => this.remember(), REMEMBER_MS)
  }

  /** Put the shown frame into the address, which can then be shared. */
  remember() {
    const address = new URL(location.href)
    address.hash = addressOf(this.match.frames[this.at])
    if (this.viewer === null) address.searchParams.delete('seat')
    else address.searchParams.set('seat', String(this.viewer + 1))
    history.replaceState(null, '', address)
    /** @type {NodeListOf<HTMLInputElement>} */
    const fields = document.querySelectorAll('form [name="next"]')
    for (const field of fields) field.value = address.pathname + address.search + address.hash
  }

  // --- playback -----------------------------------------------------------------------------------

  get pace() {
    return Object.hasOwn(PACES, this.speed.value)
      ? /** @type {keyof typeof PACES} */ (this.speed.value)
      : 'fast'
  }

  get still() {
    return isMotionReduced()
  }

  isOwn() {
    return false
  }

  /** At the pace "as played", a move waits for its bot's thinking time, within limits. */
  thinkingMs(frame) {
    if (Object.hasOwn(PACES, this.speed.value)) return null
    return Math.min(Math.max(frame.clock_ms ?? MAX_THINKING_MS, MIN_THINKING_MS), MAX_THINKING_MS)
  }

  nextFrame() {
    return this.isPlaying && this.at < this.last ? this.match.frames[this.at + 1] : null
  }

  showNext() {
    this.at += 1
    if (this.match.frames[this.at].move !== null) this.sound.click()
    this.draw()
    this.rememberLater()
  }

  say(frame) {
    this.caption?.replaceChildren(sentenceOf(this.match, frame))
  }

  settled() {
    this.showPlaying(false)
  }

  toggle() {
    if (this.isPlaying) this.pause()
    else this.play()
  }

  play() {
    if (this.at === this.last) this.show(0)
    this.showPlaying(true)
    this.animator.start()
  }

  /** Stop at the frame that is drawn. */
  pause() {
    this.showPlaying(false)
    if (!this.animator.isRunning) return
    this.animator.stop()
    this.draw()
  }

  showPlaying(isPlaying) {
    this.isPlaying = isPlaying
    this.playButton.setAttribute('aria-label', isPlaying ? 'Pause' : 'Play')
    this.playButton.classList.toggle('playing', isPlaying)
  }

  // --- listeners ----------------------------------------------------------------------------------

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || this.help.open) return
    if (event.target.closest('input, select, textarea, [contenteditable]')) return
    if (event.key === ' ' && event.target.closest('button, a, summary')) return
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key
    const seat = Number(key) - 1
    if (seat >= 0 && seat < this.match.total && /^[1-8]$/.test(key)) {
      this.lookFrom(seat)
      event.preventDefault()
      return
    }
    const action = Object.hasOwn(KEYS, key) ? KEYS[key] : null
    if (!action || action(this, event) === false) return
    event.preventDefault()
  }

  click(event) {
    const button = event.target.closest('[data-do]')
    if (button) {
      event.preventDefault()
      this.press(button.dataset.do, button)
      return
    }
    const view = event.target.closest('[data-from]')
    if (view) {
      this.lookFrom(view.dataset.from === 'all' ? null : Number(view.dataset.from))
      return
    }
    const row = event.target.closest('[data-at]')
    if (!row || event.target.closest('.say')) return
    event.preventDefault()
    this.pause()
    this.show(Number(row.dataset.at))
  }

  press(action, button) {
    const actions = {
      'deal-back': () => this.deal(-1),
      back: () => this.step(-1),
      play: () => this.toggle(),
      on: () => this.step(1),
      'deal-on': () => this.deal(1),
      fault: () => this.nextFault(),
      costly: () => this.nextCostly(),
      help: () => this.help.showModal(),
      sound: () => this.sound.toggle(),
      share: () => this.share(button),
      here: () => document.getElementById('here').scrollIntoView(),
    }
    actions[action]?.()
  }

  async share(button) {
    this.remember()
    const words = button.textContent
    if (navigator.share) {
      try {
        await navigator.share({ title: document.title, url: location.href })
        return
      } catch (error) {
        if (error.name === 'AbortError') return // the viewer has closed the dialog
      }
    }
    try {
      await navigator.clipboard.writeText(location.href)
      button.textContent = 'Link copied'
    } catch {
      button.textContent = 'The link is in the address bar'
    }
    setTimeout(() => {
      button.textContent = words
    }, 2000)
  }
}
