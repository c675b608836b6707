// A running match: fetches the public frames, and plays them move by move. When the match is over, the page
// loads the replay at the shown move.

import { Animator } from '../board/animator.js'
import { setCardFile } from '../board/cards.js'
import { load, matchOf } from '../board/data.js'
import { rendererOf } from '../board/games.js'
import { isMotionReduced } from '../board/stage.js'
import { richText } from '../board/words.js'
import { drawMoves, positionOf, withNames } from './moves.js'
import { drawSheet } from './sheet.js'
import { drawTable, fit, sceneOf } from './table.js'
import { wireSwipes, wireViews } from './views.js'

const MAX_QUEUED = 60 // frames to animate; earlier ones are skipped, for example after the tab was hidden
const RETRY_S = 5

class Live {
  constructor(root, setup) {
    const find = (name) => root.querySelector(`[data-part="${name}"]`)
    this.root = root
    this.setup = setup
    this.board = find('board')
    this.list = find('moves')
    this.sheet = find('sheet')
    this.position = find('position')
    this.behind = find('behind')
    this.trouble = find('trouble')
    this.last = find('last')
    this.isSmall = !this.list // one sentence replaces list and sheet
    this.followButton = root.querySelector('[data-do="follow"]')
    /** @type {import('../board/contract.js').Renderer|null} */
    this.renderer = null
    /** @type {import('../board/contract.js').Match|null} */
    this.match = null
    this.attempt = null
    this.received = 0 // all received frames of the match, including dropped ones
    this.queue = []
    this.frames = []
    this.at = 0
    this.isFollowing = true
    this.pace = /** @type {const} */ ('normal')
    this.animator = new Animator(this)
  }

  start() {
    this.root.addEventListener('click', (event) => this.click(event))
    document.addEventListener('keydown', (event) => this.key(event))
    if (!this.isSmall) this.wire()
    this.poll()
  }

  wire() {
    const list = () => {
      const frame = this.match?.frames[this.at]
      if (frame) drawMoves(this.list, this.renderer, this.match, frame)
    }
    wireViews(this.root, list)
    new ResizeObserver(list).observe(this.list)
    wireSwipes(this.board, (by) => this.lookAt(this.at + by))
    new ResizeObserver(() => fit(this.board)).observe(this.board)
  }

  // --- receiving ----------------------------------------------------------------------------------

  async poll() {
    let wait = RETRY_S
    try {
      if (!document.hidden) wait = await this.receive()
    } catch (error) {
      this.showTrouble(`The table could not be updated. ${error.message}`)
    }
    if (wait) setTimeout(() => this.poll(), wait * 1000)
  }

  /** Fetch once; returns the seconds until the next request, or 0 if the match has ended. */
  async receive() {
    const { live } = this.setup.urls
    const query = this.attempt === null ? '' : `?attempt=${this.attempt}&after=${this.received}`
    const piece = await load(live + query)
    this.showTrouble('')
    if (piece.attempt === null) {
      this.leave()
      return 0
    }
    if (piece.attempt !== this.attempt || piece.first !== this.received) await this.begin(piece)
    else this.queue.push(...piece.frames)
    this.attempt = piece.attempt
    this.received = piece.first + piece.frames.length
    this.advance()
    return piece.again
  }

  /** Replace all frames by these, and show the last one. */
  async begin(piece) {
    this.animator.stop()
    this.renderer ??= await rendererOf(piece.frames[0].view.game)
    this.frames = piece.frames
    this.queue = []
    this.at = this.frames.length - 1
    this.deriveMatch()
    this.draw()
  }

  /** No attempt is running any more: the reloaded page shows whether the match is over. */
  leave() {
    if (this.hasLeft) return
    this.hasLeft = true
    if (this.isSmall) {
      this.last.textContent = 'The match is over. Open the table for its replay.'
      return
    }
    const number = this.frames[this.at]?.n ?? null
    if (number !== null) location.hash = `#move-${number + 1}`
    location.reload()
  }

  showTrouble(words) {
    if (!this.trouble) return
    this.trouble.textContent = words
    this.trouble.hidden = !words
  }

  // --- showing ------------------------------------------------------------------------------------

  /** Animate new frames, or only count them while the viewer looks at an older one. */
  advance() {
    const skipped = this.isFollowing ? this.queue.length - MAX_QUEUED : this.queue.length
    if (skipped > 0) this.append(skipped)
    if (this.isFollowing) this.animator.start()
    else this.drawBehind()
  }

  append(count) {
    this.frames.push(...this.queue.splice(0, count))
    this.deriveMatch()
  }

  get waiting() {
    return this.queue.length + 1
  }

  get still() {
    return isMotionReduced()
  }

  isOwn() {
    return false
  }

  nextFrame() {
    if (!this.isFollowing || !this.queue.length) return null
    this.append(1)
    return this.match.frames.at(-1)
  }

  showNext() {
    this.show(this.frames.length - 1)
  }

  say(frame) {
    this.last.replaceChildren(...richText(withNames(this.match, frame.sentence)).flat())
  }

  settled() {
    this.drawBehind()
  }

  /** Derive the match from the frames of the last two deals. */
  deriveMatch() {
    const newest = this.frames.at(-1).deal
    const before = this.frames.length
    this.frames = this.frames.filter((frame) => frame.deal >= newest - 1)
    this.at = Math.max(0, this.at - (before - this.frames.length))
    const match = matchOf(this.frames, {}, this.setup)
    match.banks = match.frames.map(() => match.seats.map(() => null)) // not known yet
    match.extras = this.renderer.prepare(match)
    this.match = match
    if (this.list) delete this.list.dataset.deal
  }

  show(at) {
    this.at = at
    this.draw()
  }

  draw() {
    const { match, renderer, at } = this
    const scene = sceneOf(match, at, null)
    drawTable(this.board, renderer, scene)
    this.drawBehind()
    this.say(scene.frame)
    if (this.isSmall) return
    drawSheet(this.sheet, renderer, scene)
    drawMoves(this.list, renderer, match, scene.frame)
    this.position.textContent = positionOf(match, scene.frame)
  }

  drawBehind() {
    const left = this.frames.length - 1 - this.at
    this.followButton.setAttribute('aria-pressed', String(this.isFollowing))
    if (this.behind)
      this.behind.textContent = left ? `${left} ${left === 1 ? 'move' : 'moves'} behind` : ''
  }

  // --- controls -----------------------------------------------------------------------------------

  lookAt(at) {
    if (!this.match || at < 0 || at >= this.frames.length) return
    this.isFollowing = false
    this.animator.stop()
    this.show(at)
    this.advance()
  }

  follow() {
    this.isFollowing = !this.isFollowing
    this.animator.stop()
    if (!this.match) return
    if (this.isFollowing) this.show(this.frames.length - 1)
    this.advance()
  }

  click(event) {
    const button = event.target.closest('[data-do]')
    if (button) {
      this.press(button.dataset.do)
      return
    }
    const row = event.target.closest('[data-at]')
    if (!row || event.target.closest('.say')) return
    event.preventDefault()
    this.lookAt(Number(row.dataset.at))
  }

  press(action) {
    if (action === 'follow') this.follow()
    else this.lookAt(this.at + (action === 'on' ? 1 : -1))
  }

  key(event) {
    if (this.isSmall || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.target.closest('input, select, textarea, button, a, summary')) return
    const action = { ArrowLeft: 'back', ArrowRight: 'on', ' ': 'follow' }[event.key]
    if (!action) return
    event.preventDefault()
    this.press(action)
  }
}

/** @type {HTMLElement|null} */
const root = document.querySelector('[data-live]')
if (root) {
  const setup = JSON.parse(document.getElementById(root.dataset.live).textContent)
  setCardFile(setup.urls.cards)
  new Live(root, setup).start()
}
