// The time line: deals as wide as they have moves, score difference, marks, faults; one slider.

import { h, s } from './dom.js'
import { faultText, positionOf } from './moves.js'
import { standingOf } from './sheet.js'
import { sideMark } from './words.js'

const GAP = 0.6 // per cent between two deals
const HEIGHT = 46
const LEAST_SCALE = 5 // points; so that a small difference looks small

const percent = (number) => `${number.toFixed(3)}%`

/** Where each deal begins and how wide it is, in per cent. */
function segmentsOf(deals) {
  const moves = deals.reduce((sum, deal) => sum + Math.max(deal.moves, 1), 0)
  const room = 100 - GAP * (deals.length - 1)
  let x = 0
  return deals.map((deal) => {
    const width = (room * Math.max(deal.moves, 1)) / moves
    const segment = { x, width }
    x += width + GAP
    return segment
  })
}

/** Of the first two sides; with more, of the leader and the next. */
function difference(scores) {
  if (scores.length < 2) return 0
  if (scores.length === 2) return scores[0] - scores[1]
  const [best, next] = [...scores].sort((a, b) => b - a)
  return best - next
}

export class TimeLine {
  /** `svg` is the slider; `onSeek(at)` is called with the frame that the reader points at. */
  constructor(svg, match, renderer, onSeek) {
    this.svg = svg
    this.match = match
    this.segments = segmentsOf(match.deals)
    this.xs = match.frames.map((frame) => this.placeOf(frame))
    svg.setAttribute('aria-valuemin', '0')
    svg.setAttribute('aria-valuemax', String(match.frames.length - 1))
    svg.replaceChildren(
      ...this.backgrounds(),
      this.curve(),
      ...this.marks(renderer),
      ...this.cursor(),
      ...this.labels(),
    )
    this.listen(onSeek)
  }

  placeOf(frame) {
    const { x, width } = this.segments[frame.dealIndex]
    const moves = Math.max(this.match.deals[frame.dealIndex].moves, 1)
    return x + (width * frame.moveInDeal) / moves
  }

  backgrounds() {
    this.rects = this.segments.map(({ x, width }) =>
      s('rect', { class: 'seg-bg', x: percent(x), width: percent(width), height: HEIGHT, rx: 3 }),
    )
    return this.rects
  }

  curve() {
    const lead = this.match.frames.map((frame) => difference(standingOf(this.match, frame)))
    const scale = Math.max(LEAST_SCALE, ...lead.map(Math.abs))
    const y = (value) => (HEIGHT / 2 - (value / scale) * (HEIGHT / 2 - 3)).toFixed(1)
    const steps = lead
      .map((value, i) => (i ? `H${this.xs[i].toFixed(2)}V${y(value)}` : `M0 ${y(value)}`))
      .join('')
    return s(
      'svg',
      { width: '100%', height: HEIGHT, viewBox: `0 0 100 ${HEIGHT}`, preserveAspectRatio: 'none' },
      s('path', { class: 'area', d: `${steps}V${HEIGHT / 2}H0Z` }),
      s('path', { class: 'zero', d: `M0 ${HEIGHT / 2}H100` }),
      s('path', { class: 'diff', d: steps }),
    )
  }

  marks(renderer) {
    const signs = this.match.frames.flatMap((frame, i) =>
      renderer
        .marks(frame)
        .map((mark) =>
          s(
            'svg',
            { x: percent(this.xs[i]), y: 49, overflow: 'visible', class: 'mark' },
            s('title', {}, mark),
            s('path', { class: 'sw', d: 'M0 0 4 5 0 10-4 5Z' }),
          ),
        ),
    )
    const faults = this.match.faults.map((fault) =>
      s(
        'svg',
        { x: percent(this.xs[fault.at]), y: 48, overflow: 'visible', class: 'mark' },
        s('title', {}, `fault: ${faultText(this.match, fault)}`),
        s('path', { class: 'ft', d: 'M0 0 6.5 11.5H-6.5Z' }),
      ),
    )
    return [...signs, ...faults]
  }

  cursor() {
    this.line = s('line', { class: 'cur', y1: -4, y2: 62 })
    this.knob = s('circle', { class: 'knob', cy: HEIGHT / 2, r: 5 })
    return [this.line, this.knob]
  }

  labels() {
    this.texts = []
    const few = this.match.deals.length <= 6
    const every = Math.ceil(this.match.deals.length / 40)
    return this.match.deals.flatMap((deal, i) => {
      const { x, width } = this.segments[i]
      const score = this.match.frames[deal.last].view.scores.join(' – ')
      const rare = i % 5 === 0 || this.match.deals.length <= 10
      const name = s(
        'text',
        { class: i % every ? 'off' : rare ? '' : 'opt', x: percent(x), y: 78 },
        s('tspan', { class: few ? 'opt' : 'off' }, 'Deal '),
        String(deal.number + 1),
      )
      const sum = s(
        'text',
        { class: few ? 'opt' : 'off', x: percent(x + width), y: 78, 'text-anchor': 'end' },
        score,
      )
      this.texts.push([name, sum])
      return [name, sum]
    })
  }

  listen(onSeek) {
    const seek = (event) => {
      const box = this.svg.getBoundingClientRect()
      const x = (100 * (event.clientX - box.left)) / box.width
      onSeek(this.nearest(x))
    }
    this.svg.addEventListener('pointerdown', (event) => {
      this.svg.setPointerCapture(event.pointerId)
      seek(event)
    })
    this.svg.addEventListener('pointermove', (event) => {
      if (this.svg.hasPointerCapture(event.pointerId)) seek(event)
    })
  }

  nearest(x) {
    let best = 0
    this.xs.forEach((place, i) => {
      if (Math.abs(place - x) < Math.abs(this.xs[best] - x)) best = i
    })
    return best
  }

  /** Move the cursor to a frame. */
  update(frame) {
    const x = percent(this.xs[frame.at])
    this.line.setAttribute('x1', x)
    this.line.setAttribute('x2', x)
    this.knob.setAttribute('cx', x)
    for (const [i, rect] of this.rects.entries()) {
      rect.setAttribute('class', i === frame.dealIndex ? 'seg-now' : 'seg-bg')
    }
    for (const [i, pair] of this.texts.entries()) {
      for (const text of pair) text.classList.toggle('on', i === frame.dealIndex)
    }
    this.svg.setAttribute('aria-valuenow', String(frame.at))
    this.svg.setAttribute('aria-valuetext', positionOf(this.match, frame))
  }
}

/** The words under the line: what its signs mean, and every fault as a link. */
export function legend(match, renderer) {
  const kinds = [...new Set(match.frames.flatMap((frame) => renderer.marks(frame)))]
  const faults = match.faults.map((fault) =>
    h(
      'span',
      {},
      s(
        'svg',
        { class: 'side ft', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
        s('path', { d: 'M5 .5 10 9.5H0Z' }),
      ),
      ' fault: ',
      h('a', { href: `#move-${match.frames[fault.at].n + 1}` }, faultText(match, fault)),
    ),
  )
  const meaning =
    match.sides.length === 2
      ? ['line: score of ', sideMark(0), ' less ', sideMark(1)]
      : ['line: lead of the first over the second']
  return [
    kinds.map((kind) =>
      h(
        'span',
        {},
        s(
          'svg',
          { class: 'side sw', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
          s('path', { d: 'M5 0 9 5 5 10 1 5Z' }),
        ),
        ` ${kind}`,
      ),
    ),
    faults,
    h('span', {}, meaning),
  ].flat()
}
