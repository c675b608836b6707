// Shows a move before it takes effect: its cards face up at the seat, rings around the items they take, then
// the flight of all of them. Positions are measured, because the page's markup has none.

import { decorative, face } from './cards.js'
import { h } from './dom.js'

const EDGE = 4 // px between a shown card and the edge of the board
const ORIGIN = ['0 0', '0 0'] // the corner from which getBoundingClientRect measures
const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')

/** Whether motion is reduced, by the viewer's system or by the page's switch. */
export const isMotionReduced = () =>
  reducedMotion.matches || document.documentElement.dataset.motion === 'off'

export class Stage {
  /** @param {HTMLElement} board the element that frames are drawn into */
  constructor(board) {
    this.board = board
    this.shown = null
    /** @type {Map<string, DOMRect>} the place of each moving card before the board was redrawn */
    this.origins = new Map()
  }

  #place(element, left, top) {
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
    const cards = staged.cards.map((card) => decorative(face(card)))
    this.shown = h(
      'div',
      {
        class: `shown${cards.length ? '' : ' words-only'}`,
        'aria-hidden': 'true',
        'data-by': seat,
      },
      cards.length ? cards : staged.words,
    )
    this.#place(this.shown, home.left + home.width / 2, home.top)
  }

  #elementsAt(paths) {
    return paths
      .map((path) => this.board.querySelector(`[data-path="${path}"]`))
      .filter((element) => element !== null)
  }

  /** Draw rings around the items taken, with their sums. */
  ring(staged) {
    for (const { paths, words } of staged.takes) {
      const elements = this.#elementsAt(paths)
      for (const element of elements) element.classList.add('taken')
      if (words && elements.length) this.#sum(words, elements)
    }
  }

  #sum(words, elements) {
    const places = elements.map((element) => element.getBoundingClientRect())
    const left = Math.min(...places.map((place) => place.left))
    const right = Math.max(...places.map((place) => place.right))
    const isRow = places.every((place) => Math.abs(place.top - places[0].top) < place.height / 2)
    const [first] = places
    const tag = h('span', { class: 'sum', 'aria-hidden': 'true' }, words)
    const middle = isRow ? (left + right) / 2 : first.left + first.width / 2
    this.#place(
      tag,
      middle,
      isRow ? Math.max(...places.map((place) => place.bottom)) : first.bottom,
    )
    this.#separate(tag)
  }

  /** Move a sum below the sums that it would cover. */
  #separate(tag) {
    for (const other of this.board.querySelectorAll('.sum')) {
      if (other === tag) continue
      const [own, fixed] = [tag.getBoundingClientRect(), other.getBoundingClientRect()]
      const overlaps = own.left < fixed.right && fixed.left < own.right
      if (overlaps && own.top < fixed.bottom && fixed.top < own.bottom)
        tag.style.top = `${parseFloat(tag.style.top) + fixed.bottom - own.top + 2}px`
    }
  }

  /** The flying cards: those shown, or played from the viewer's hand, and the items taken. */
  #movers(staged, seat) {
    const hand = this.board.querySelector(`[data-hand="${seat}"]`)
    const played = this.shown
      ? [...this.shown.querySelectorAll('.card')]
      : staged.cards.map((card) => hand?.querySelector(`[data-card="${card}"]`))
    const taken = staged.takes
      .flatMap(({ paths }) => this.#elementsAt(paths))
      .flatMap((element) =>
        element.matches('.card') ? [element] : [...element.querySelectorAll('.card')],
      )
    return [...played, ...taken].filter(Boolean)
  }

  /** Fly all cards to a side's pile, before the board is redrawn. */
  sweep(staged, seat, side, ms) {
    const pile = this.board.querySelector(`[data-pile="${side}"] .pile`)?.getBoundingClientRect()
    if (!pile?.width || !ms || isMotionReduced()) return
    for (const card of this.#movers(staged, seat)) {
      const from = card.getBoundingClientRect()
      if (!from.width) continue
      const copy = this.#copy(card, from)
      card.classList.add('gone')
      const end = `translate(${pile.left - from.left}px, ${pile.top - from.top}px) scale(${pile.width / from.width})`
      const flight = copy.animate(
        { transform: ['none', end], transformOrigin: ORIGIN },
        { duration: ms, easing: 'ease-in-out', fill: 'forwards' },
      )
      flight.finished.then(() => copy.remove()).catch(() => {})
    }
  }

  #copy(card, from) {
    const frame = this.board.getBoundingClientRect()
    const copy = decorative(card.cloneNode(true))
    copy.setAttribute('class', 'card ghost')
    copy.style.left = `${from.left - frame.left - this.board.clientLeft}px`
    copy.style.top = `${from.top - frame.top - this.board.clientTop}px`
    copy.style.width = `${from.width}px`
    copy.style.height = `${from.height}px`
    this.board.append(copy)
    return copy
  }

  /** Store the places of the moving cards, before the board is redrawn. */
  leave(staged, seat) {
    const home = this.#home(seat)?.getBoundingClientRect()
    this.origins = new Map()
    const movers = this.#movers({ ...staged, takes: [] }, seat)
    for (const card of staged.cards) {
      const mover = movers.find((element) => element.dataset.card === card)
      const place = mover?.getBoundingClientRect() ?? home
      if (place?.width) this.origins.set(card, place)
    }
  }

  /** Fly the cards to their new places, after the board is redrawn. */
  land(ms) {
    if (!ms || isMotionReduced() || !this.board.clientWidth) return
    for (const [card, origin] of this.origins) {
      const copies = [...this.board.querySelectorAll(`[data-card="${card}"]:not(.sweep)`)]
      const laid = copies.filter((copy) => !copy.closest('[data-hand], .shown'))
      const target = laid.find((copy) => copy.closest('.new')) ?? laid.at(-1)
      const place = target?.getBoundingClientRect()
      if (!place?.width) continue
      const [dx, dy] = [origin.left - place.left, origin.top - place.top]
      const from = `translate(${dx}px, ${dy}px) scale(${origin.width / place.width})`
      const keyframes = { transform: [from, 'none'], transformOrigin: ORIGIN }
      target.animate(keyframes, { duration: ms, easing: 'ease-out' })
    }
    this.origins = new Map()
  }

  /** The cards that are flying to a pile. */
  get ghosts() {
    return [...this.board.querySelectorAll('.ghost')]
  }

  /** Remove everything shown. */
  clear() {
    for (const node of this.board.querySelectorAll('.shown, .sum, .ghost')) node.remove()
    for (const node of this.board.querySelectorAll('.taken')) node.classList.remove('taken')
    this.shown = null
  }
}
