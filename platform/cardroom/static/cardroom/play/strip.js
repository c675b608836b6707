// A number line with the lead at each table with the same cards.

import { s } from '../board/dom.js'

const WIDTH = 400
const EDGE = 40

const signed = (value) => (value > 0 ? `+${value}` : String(value).replace('-', '−'))

/**
 * Leads over the best of the other sides, at this table and at the other tables with the same cards.
 *
 * @param {{ own: { points: number[] }, others: { title: string, points: number[] }[] }} comparison
 * @param {number} own the viewer's index in the points
 * @returns {{ mine: number, others: [string, number][] }}
 */
export function differences(comparison, own) {
  const ahead = (points) => points[own] - Math.max(...points.filter((_, side) => side !== own))
  return {
    mine: ahead(comparison.own.points),
    others: comparison.others.map((other) => [other.title, ahead(other.points)]),
  }
}

/** @param {ReturnType<typeof differences>} shown */
export function strip({ mine, others }) {
  const all = [mine, ...others.map(([, value]) => value)]
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const x = (value) => EDGE + ((value - low) / (high - low || 1)) * (WIDTH - 2 * EDGE)
  const anchor = (at) => (at < WIDTH / 3 ? 'start' : at > (2 * WIDTH) / 3 ? 'end' : 'middle')
  const label = [
    `you ${signed(mine)}`,
    ...others.map(([name, value]) => `${name} ${signed(value)}`),
  ]
  return s(
    'svg',
    { class: 'strip', viewBox: `0 -6 ${WIDTH} 82`, role: 'img', 'aria-label': label.join(', ') },
    s('path', { class: 'ax', d: `M10 50H${WIDTH - 10}` }),
    others.map(([name, value], i) => [
      s('circle', { class: 'o', cx: x(value), cy: 42, r: 5 }),
      s(
        'text',
        { x: x(value), y: 30 - 14 * (i % 3), 'text-anchor': anchor(x(value)) },
        `${name} ${signed(value)}`,
      ),
    ]),
    s('circle', { class: 'me', cx: x(mine), cy: 42, r: 6 }),
    s(
      'text',
      { class: 'b', x: x(mine), y: 70, 'text-anchor': anchor(x(mine)) },
      `you ${signed(mine)}`,
    ),
  )
}
