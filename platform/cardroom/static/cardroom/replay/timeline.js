// The time line: a slider that shows the deals, with widths by their moves, the lead, marks and faults.

import { h, s } from '../board/dom.js'
import { numberText, sideMark } from '../board/words.js'
import { costOf, faultText, positionOf } from './moves.js'
import { standingOf } from './sheet.js'

const GAP = 0.6 // gap between two deals, in per cent
const TOP = 5 // margin above and below the outermost lines, in per cent of the plot
const FEET_TOP = 11 // px from the plot to the middle of the marks below it
const SINGLE = 'M-5 2H5L0 9Z'
const DOUBLE = 'M-5 0H5L0 5ZM-5 5H5L0 10Z'
const SCALES = [8, 20, 40, 80, 200, 400, 800, 2000, 4000, 8000, 20000, 40000] // points at the plot's edge

const percent = (number) => `${number.toFixed(3)}%`
const signed = (points) =>
  points > 0 ? `+${points.toLocaleString('en')}` : numberText(points.toLocaleString('en'))

/** The beginning and width of each deal, in per cent. */
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

/** The lead of the first side over the second; with more sides, of the leader over the next. */
function difference(scores) {
  if (scores.length < 2) return 0
  if (scores.length === 2) return scores[0] - scores[1]
  const [best, next] = [...scores].sort((a, b) => b - a)
  return best - next
}

/** The smallest scale that contains every lead. */
const scaleOf = (leads) => {
  const most = Math.max(...leads.map(Math.abs))
  return SCALES.find((scale) => scale >= most) ?? most
}

export class TimeLine {
  /** `slider` is its element; `onSeek(at)` gets the index of the frame that the viewer points at. */
  constructor(slider, match, renderer, onSeek) {
    this.slider = slider
    this.match = match
    this.segments = segmentsOf(match.deals)
    this.xs = match.frames.map((frame) => this.placeOf(frame))
    this.leads = match.frames.map((frame) => difference(standingOf(match, frame)))
    this.scale = scaleOf(this.leads)
    this.lowest = match.sides.length > 2 ? 0 : -this.scale
    slider.setAttribute('aria-valuemin', '0')
    slider.setAttribute('aria-valuemax', String(match.frames.length - 1))
    this.renderer = renderer
    this.draw()
    this.listen(onSeek)
  }

  draw() {
    this.slider.replaceChildren(
      s(
        'svg',
        { class: 'leads', 'aria-hidden': 'true' },
        this.backgrounds(),
        this.unknown(),
        this.lines(),
        this.curve(),
        this.chances(),
        this.cursor(),
      ),
      s('svg', { class: 'feet', 'aria-hidden': 'true' }, this.marks(this.renderer), this.labels()),
    )
  }

  /** Hatch the moves that a running analysis has not reached. */
  unknown() {
    const done = this.match.analysis?.done ?? null
    if (done === null) return null
    const from = done ? (this.xs[this.match.frameOfMove(done)] ?? 100) : 0
    const pattern = s(
      'pattern',
      { id: 'unknown', width: 6, height: 6, patternUnits: 'userSpaceOnUse' },
      s('path', { class: 'hatch', d: 'M-1 1 1-1M0 6 6 0M5 7 7 5' }),
    )
    return [
      s('defs', {}, pattern),
      s('rect', {
        class: 'unknown',
        x: percent(from),
        width: percent(100 - from),
        height: '100%',
        fill: 'url(#unknown)',
      }),
    ]
  }

  /** The vertical position of a lead in the plot, in per cent. */
  heightOf(lead) {
    return TOP + ((100 - 2 * TOP) * (this.scale - lead)) / (this.scale - this.lowest)
  }

  placeOf(frame) {
    const { x, width } = this.segments[frame.dealIndex]
    const moves = Math.max(this.match.deals[frame.dealIndex].moves, 1)
    return x + (width * frame.moveInDeal) / moves
  }

  backgrounds() {
    this.rects = this.segments.map(({ x, width }) =>
      s('rect', { class: 'seg-bg', x: percent(x), width: percent(width), height: '100%', rx: 2 }),
    )
    return this.rects
  }

  /** Five lines with their values; a small screen shows only every second value. */
  lines() {
    const step = (this.scale - this.lowest) / 4
    return Array.from({ length: 5 }, (_, i) => {
      const lead = this.scale - i * step
      const y = percent(this.heightOf(lead))
      return [
        s('line', { class: lead === 0 ? 'zero' : 'grid', x1: 0, x2: '100%', y1: y, y2: y }),
        s(
          'text',
          { class: i % 2 ? 'opt' : null, x: -6, y, dy: '.35em', 'text-anchor': 'end' },
          signed(lead),
        ),
      ]
    })
  }

  curve() {
    const y = (lead) => this.heightOf(lead).toFixed(1)
    const steps = this.leads
      .map((lead, i) => (i ? `H${this.xs[i].toFixed(2)}V${y(lead)}` : `M0 ${y(lead)}`))
      .join('')
    return s(
      'svg',
      { width: '100%', height: '100%', viewBox: '0 0 100 100', preserveAspectRatio: 'none' },
      s('path', { class: 'area', d: `${steps}V${y(0)}H0Z` }),
      s('path', { class: 'diff', d: steps }),
    )
  }

  /** The first side's chance of winning, from 0 at the bottom to 100 % at the top. */
  chances() {
    const chances = this.match.analysis?.chances ?? []
    if (!chances.length) return null
    const last = this.match.frames.length - 1
    const d = chances.map(([n, win], i) => {
      const x = this.xs[this.match.frameOfMove(n + 1) ?? last].toFixed(2)
      return `${i ? 'L' : 'M'}${x} ${(TOP + (100 - 2 * TOP) * (1 - win)).toFixed(1)}`
    })
    return s(
      'svg',
      { width: '100%', height: '100%', viewBox: '0 0 100 100', preserveAspectRatio: 'none' },
      s('path', { class: 'chance', d: d.join('') }),
    )
  }

  marks(renderer) {
    const signs = this.match.frames.flatMap((frame, i) =>
      renderer
        .marks(frame)
        .map((mark) =>
          s(
            'svg',
            { x: percent(this.xs[i]), y: FEET_TOP - 5, overflow: 'visible', class: 'mark' },
            s('title', {}, mark),
            s('path', { class: 'sw', d: 'M0 0 4 5 0 10-4 5Z' }),
          ),
        ),
    )
    const costs = this.match.frames.flatMap((frame, i) => {
      const cost = costOf(this.match, frame)
      return cost
        ? s(
            'svg',
            { x: percent(this.xs[i]), y: FEET_TOP - 5, overflow: 'visible', class: 'mark' },
            s('title', {}, `${cost.kind}: ${cost.cost} points`),
            s('path', { class: 'ft', d: cost.kind === 'mistake' ? DOUBLE : SINGLE }),
          )
        : []
    })
    const faults = this.match.faults.map((fault) =>
      s(
        'svg',
        { x: percent(this.xs[fault.at]), y: FEET_TOP - 6, overflow: 'visible', class: 'mark' },
        s('title', {}, `fault: ${faultText(this.match, fault)}`),
        s('path', { class: 'ft', d: 'M0 0 6.5 11.5H-6.5Z' }),
      ),
    )
    return [...signs, ...costs, ...faults]
  }

  cursor() {
    this.line = s('line', { class: 'cur', y1: 0, y2: '100%' })
    this.knob = s('circle', { class: 'knob', r: 5 })
    return [this.line, this.knob]
  }

  labels() {
    this.texts = []
    const few = this.match.deals.length <= 4
    const every = Math.ceil(this.match.deals.length / 40)
    return this.match.deals.flatMap((deal, i) => {
      const { x, width } = this.segments[i]
      const score = this.match.frames[deal.last].view.scores.join(' – ')
      const rare = i % 5 === 0 || this.match.deals.length <= 10
      const name = s(
        'text',
        { class: i % every ? 'off' : rare ? '' : 'opt', x: percent(x), y: 31 },
        s('tspan', { class: few ? 'opt' : 'off' }, 'Deal '),
        String(deal.number + 1),
      )
      const sum = s(
        'text',
        { class: few ? 'opt' : 'off', x: percent(x + width), y: 31, 'text-anchor': 'end' },
        score,
      )
      this.texts.push([name, sum])
      return [name, sum]
    })
  }

  listen(onSeek) {
    const seek = (event) => {
      const box = this.slider.getBoundingClientRect()
      const x = (100 * (event.clientX - box.left)) / box.width
      onSeek(this.nearest(x))
    }
    this.slider.addEventListener('pointerdown', (event) => {
      this.slider.setPointerCapture(event.pointerId)
      seek(event)
    })
    this.slider.addEventListener('pointermove', (event) => {
      if (this.slider.hasPointerCapture(event.pointerId)) seek(event)
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
    this.knob.setAttribute('cy', percent(this.heightOf(this.leads[frame.at])))
    for (const [i, rect] of this.rects.entries()) {
      rect.setAttribute('class', i === frame.dealIndex ? 'seg-now' : 'seg-bg')
    }
    for (const [i, pair] of this.texts.entries()) {
      for (const text of pair) text.classList.toggle('on', i === frame.dealIndex)
    }
    this.slider.setAttribute('aria-valuenow', String(frame.at))
    this.slider.setAttribute('aria-valuetext', positionOf(this.match, frame))
  }
}

/** The legend under the line: the meaning of its marks, and every fault as a link. */
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
      ? ['line: lead of ', sideMark(0), ' in points']
      : ['line: lead of the leader over the next, in points']
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
    match.analysis && [
      h('span', {}, 'dashed: chance that ', sideMark(0), ' wins, 0 to 100 %'),
      h('span', {}, '▼ slip, ▼▼ mistake'),
      match.analysis.done !== null && h('span', {}, 'hatched: not analysed yet'),
    ],
  ]
    .flat()
    .filter(Boolean)
}
