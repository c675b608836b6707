// A table's state in the form that renderers use: a match of the page's frames, and the scene of one frame. No
// elements.

import { matchOf } from '../board/data.js'
import { places } from '../board/words.js'
import { Names } from './names.js'

const MAX_FRAMES = 120

/** The last frames that the page has received. */
export class History {
  constructor() {
    this.frames = []
    this.total = 0
  }

  /** Add a state's frames; returns the number of new ones. */
  add(state) {
    const gap = state.frames_from > this.total || !this.frames.length
    if (gap) this.frames = [...state.frames]
    else this.frames.push(...state.frames.slice(this.total - state.frames_from))
    const fresh = gap && !this.total ? 0 : Math.max(0, state.frames_total - this.total)
    this.frames = this.frames.slice(-Math.max(MAX_FRAMES, fresh))
    this.total = state.frames_total
    return gap ? Math.min(fresh, state.frames.length) : fresh
  }
}

/** The match of these frames, as renderers use it; null before the first deal. */
export function matchFor(state, frames, renderer) {
  if (!frames.length) return null
  const seats = state.seats.map((seat) => ({ ...seat, rating: null, interval: null }))
  const clock = { bank_ms: 0, move_ms: 0 }
  const setup = { seats, sides: state.sides, clock, urls: { rules: state.format.rules } }
  const match = matchOf(frames, {}, setup)
  match.extras = renderer.prepare(match)
  return match
}

/** One frame from the viewer's seat. */
export function sceneFor(match, at, state) {
  const names = new Names(state)
  const frame = match.frames[at]
  const viewer = state.you ?? 0
  return {
    match,
    frame,
    view: frame.view,
    extra: match.extras[at],
    viewer,
    places: places(match.total, viewer),
    isHidden: (seat) => seat !== state.you,
    nameOf: (seat) => names.of(seat),
    sideNames: (side) => names.ofSeats(match.sides[side]),
    liftedCard: () => null,
    rests: () => false,
    names,
  }
}

const SCORE_EVENTS = ['score', 'deal_end']

/** The frame with the scoring of the deal that contains frame `at`; `at` itself if there is none. */
export function scoreFrameOf(match, at) {
  const { deal } = match.frames[at]
  for (let index = at; index >= 0 && match.frames[index].deal === deal; index -= 1)
    if (match.frames[index].events.some((event) => SCORE_EVENTS.includes(event.type))) return index
  return at
}
