// A move before it takes effect: its cards face up at the seat, a ring around the things they take, then the
// flight of all of them. Geometry is measured and set on elements, because the page's markup has none.

import { face, silent } from './cards.js'
import { h } from './dom.js'

const EDGE = 4 // px between a shown card and the edge of the board
const ORIGIN = ['0 0', '0 0'] // the corner from which getBoundingClientRect measures
const calm = matchMedia('(prefers-reduced-motion: reduce)')

/** Whether motion is reduced, by the reader's system or by the switch. */
export const isStill = () => calm.matches || document.documentElement.dataset.motion === 'off'

export class Stage {
  /** @param {HTMLElement} board what the frames are drawn into */
  constructor(board) {
    this.board = board
    this.shown = null
    /** @type {Map<string, DOMRect>} where each card was before the board was redrawn */
    this.were = new Map()
  }

  #put(element, left, top) {
    const frame = this.board.getBoundingClientRect()
    this.board.append(element)
    const own = element.getBoundingClientRect()
    const inside = (at, size, room) => Math.max(EDGE, Math.min(at, room - size - EDGE))
    element.style.left = `${inside(left - frame.left - own.width / 2, own.width, frame.width)}px`
    element.style.top = `${inside(top - frame.top, own.height, frame.height)}px`
  }

  /** The rectangle of a seat's cards: its closed hand, or else its plate. */
  #home(seat) {
    const place = this.board.querySelector(`[data-seat="${seat}"]`)
    return place?.querySelector('.closed, [data-hand]') ?? place
  }

  /**
   * Show cards or text at a seat.
   *
   * @param {import('./contract.js').Staged} staged
   * @param {number} seat
   */
  show(staged, seat) {
    this.clear()
    const home = this.#home(seat)?.getBoundingClientRect()
    if (!home || (!staged.cards.length && !staged.words)) return
    const cards = staged.cards.map((card) => silent(face(card)))
    this.shown = h(
      'div',
      {
        class: `shown${cards.length ? '' : ' words-only'}`,
        'aria-hidden': 'true',
        'data-by': seat,
      },
      cards.length ? cards : staged.words,
    )
    this.#put(this.shown, home.left + home.width / 2, home.top)
  }

  #things(paths) {
    return paths
      .map((path) => this.board.querySelector(`[data-path="${path}"]`))
      .filter((thing) => thing !== null)
  }

  /** Draw a ring around the things taken, with their sums. */
  ring(staged) {
    for (const { paths, words } of staged.takes) {
      const things = this.#things(paths)
      for (const thing of things) thing.classList.add('taken')
      if (words && things.length) this.#sum(words, things)
    }
  }

  #sum(words, things) {
    const places = things.map((thing) => thing.getBoundingClientRect())
    const left = Math.min(...places.map((place) => place.left))
    const right = Math.max(...places.map((place) => place.right))
    const isRow = places.every((place) => Math.abs(place.top - places[0].top) < place.height / 2)
    const [first] = places
    const tag = h('span', { class: 'sum', 'aria-hidden': 'true' }, words)
    const middle = isRow ? (left + right) / 2 : first.left + first.width / 2
    this.#put(tag, middle, isRow ? Math.max(...places.map((one) => one.bottom)) : first.bottom)
    this.#apart(tag)
  }

  /** Move a sum below other sums that it would cover. */
  #apart(tag) {
    for (const other of this.board.querySelectorAll('.sum')) {
      if (other === tag) continue
      const [own, its] = [tag.getBoundingClientRect(), other.getBoundingClientRect()]
      const meets = own.left < its.right && its.left < own.right
      if (meets && own.top < its.bottom && its.top < own.bottom)
        tag.style.top = `${parseFloat(tag.style.top) + its.bottom - own.top + 2}px`
    }
  }

  /** The flying cards: those shown, or played from the viewer's hand, and the things taken. */
  #movers(staged, seat) {
    const hand = this.board.querySelector(`[data-hand="${seat}"]`)
    const played = this.shown
      ? [...this.shown.querySelectorAll('.card')]
      : staged.cards.map((card) => hand?.querySelector(`[data-card="${card}"]`))
    const taken = staged.takes
      .flatMap(({ paths }) => this.#things(paths))
      .flatMap((thing) => (thing.matches('.card') ? [thing] : [...thing.querySelectorAll('.card')]))
    return [...played, ...taken].filter(Boolean)
  }

  /** Fly everything to a side's pile, where it disappears; the board is not redrawn yet. */
  sweep(staged, seat, side, ms) {
    const pile = this.board.querySelector(`[data-pile="${side}"] .pile`)?.getBoundingClientRect()
    if (!pile?.width || !ms || isStill()) return
    for (const card of this.#movers(staged, seat)) {
      const from = card.getBoundingClientRect()
      if (!from.width) continue
      const copy = this.#copy(card, from)
      card.classList.add('gone')
      const end = `translate(${pile.left - from.left}px, ${pile.top - from.top}px) scale(${pile.width / from.width})`
      const way = copy.animate(
        { transform: ['none', end], transformOrigin: ORIGIN },
        { duration: ms, easing: 'ease-in-out', fill: 'forwards' },
      )
      way.finished.then(() => copy.remove()).catch(() => {})
    }
  }

  #copy(card, from) {
    const frame = this.board.getBoundingClientRect()
    const copy = silent(card.cloneNode(true))
    copy.setAttribute('class', 'card ghost')
    copy.style.left = `${from.left - frame.left - this.board.clientLeft}px`
    copy.style.top = `${from.top - frame.top - this.board.clientTop}px`
    copy.style.width = `${from.width}px`
    copy.style.height = `${from.height}px`
    this.board.append(copy)
    return copy
  }

  /** Store the positions of the moving cards, before the board is redrawn. */
  leave(staged, seat) {
    const home = this.#home(seat)?.getBoundingClientRect()
    this.were = new Map()
    const movers = this.#movers({ ...staged, takes: [] }, seat)
    for (const card of staged.cards) {
      const mover = movers.find((one) => one.dataset.card === card)
      const place = mover?.getBoundingClientRect() ?? home
      if (place?.width) this.were.set(card, place)
    }
  }

  /** Fly the cards to their new places, after the board is redrawn. */
  land(ms) {
    if (!ms || isStill() || !this.board.clientWidth) return
    for (const [card, was] of this.were) {
      const drawn = [...this.board.querySelectorAll(`[data-card="${card}"]:not(.sweep)`)]
      const laid = drawn.filter((one) => !one.closest('[data-hand], .shown'))
      const here = laid.find((one) => one.closest('.new')) ?? laid.at(-1)
      const is = here?.getBoundingClientRect()
      if (!is?.width) continue
      const from = `translate(${was.left - is.left}px, ${was.top - is.top}px) scale(${was.width / is.width})`
      const way = { transform: [from, 'none'], transformOrigin: ORIGIN }
      here.animate(way, { duration: ms, easing: 'ease-out' })
    }
    this.were = new Map()
  }

  /** The elements on their way to a pile. */
  get ghosts() {
    return [...this.board.querySelectorAll('.ghost')]
  }

  /** Remove everything shown. */
  clear() {
    for (const one of this.board.querySelectorAll('.shown, .sum, .ghost')) one.remove()
    for (const one of this.board.querySelectorAll('.taken')) one.classList.remove('taken')
    this.shown = null
  }
}
