// The bar when there is nothing to compose: waiting for a friend, an invitation, others, rest, end.

import { h } from '../replay/dom.js'
import { minus } from '../replay/words.js'
import { button, fill } from './bar.js'

const full = (path) => new URL(path, location.href).href

/** Seats that wait for somebody, with the links to them. */
export function waiting(bar, state) {
  const links = state.invitations.map(({ seat, url }) =>
    h(
      'div',
      { class: 'linkbox' },
      h('input', {
        readonly: true,
        value: full(url),
        'aria-label': `Link to the seat in the ${state.seats[seat].compass.toLowerCase()}`,
      }),
      button('copy', 'Copy', { 'data-text': full(url) }),
      button('house', 'Seat the house', { 'data-seat': seat }),
    ),
  )
  fill(bar, {
    say: links.length ? 'Send this link to your friend.' : 'Waiting for a friend.',
    sub: 'The cards are dealt as soon as everybody sits.',
    choices: links,
  })
}

/** Somebody who came by a link. */
export function invited(bar, state) {
  const maker = state.seats.find((seat) => seat.kind === 'person')?.name ?? 'Somebody'
  const handle = h('input', {
    id: 'handle',
    maxlength: 24,
    autocomplete: 'nickname',
    placeholder: 'guest',
  })
  fill(bar, {
    say: `${maker} keeps a seat for you.`,
    choices: [h('label', { for: 'handle' }, 'Your name at the table'), handle],
    buttons: [button('sit', 'Sit down', { main: true })],
  })
}

/** Somebody who looks on. */
export const watching = (bar, state) =>
  fill(bar, {
    say: state.result ? resultOf(state, null) : `${sentence(state.chip.words)}`,
    sub: 'You are looking on: the hands are closed.',
    buttons: [link('/play/', 'Play a hand')],
  })

/** A table where nobody has moved for a while. */
export const resting = (bar) =>
  fill(bar, {
    say: 'Nobody has moved for 30 minutes.',
    sub: 'The table is kept for 7 days.',
    buttons: [button('sit', 'Sit down', { main: true })],
  })

/** Somebody has gone. */
export const left = (bar, state) =>
  fill(bar, {
    say: `${sentence(state.chip.words)}`,
    sub: 'The house can play on for them; they can come back.',
    buttons: [button('house', 'Seat the house instead', { 'data-seat': state.turn, main: true })],
  })

const sentence = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

const link = (href, words, main = false) =>
  h('a', { class: `btn t44${main ? ' main' : ''}`, href }, words)

/** "You 9, Magpie 13." */
export function pointsOf(state, names, points) {
  const own = state.sides.findIndex((side) => side.includes(state.you))
  const order = state.sides
    .map((_, side) => side)
    .sort((a, b) => Number(b === own) - Number(a === own))
  return order
    .map((side) => {
      const who = names ? names.together(state.sides[side]) : together(state, side)
      return `${who} ${minus(points[side])}`
    })
    .join(', ')
}

const together = (state, side) => state.sides[side].map((seat) => state.seats[seat].name).join('–')

function resultOf(state, names) {
  const words = pointsOf(state, names, state.result?.scores ?? state.scores)
  return sentence(words)
}

/** The end of a deal or of the match. */
export function over(bar, state, names, { isLast, scores }) {
  const { comparison } = state
  const compare = comparison?.ready ? link(comparison.url, 'Compare') : null
  const soon = comparison && !comparison.ready ? ' The house plays the same cards now.' : ''
  if (!isLast) {
    return fill(bar, {
      say: `The deal is over: ${pointsOf(state, names, scores)}.`,
      sub: `Score of the match so far.${soon}`,
      buttons: [button('next', 'Next deal', { main: true, key: '↵' }), compare].filter(Boolean),
    })
  }
  return fill(bar, {
    say: resultOf(state, names),
    sub: `${outcome(state)}${soon}`,
    buttons: [
      button('another', 'Play again', { main: true, key: '↵' }),
      compare,
      link(`${location.pathname}replay/`, 'Replay'),
      state.begun?.url ? link(state.begun.url, 'The match') : null,
    ].filter(Boolean),
  })
}

function outcome(state) {
  if (state.you === null || !state.result) return ''
  const own = state.sides.findIndex((side) => side.includes(state.you))
  const { scores } = state.result
  const best = Math.max(...scores)
  if (scores[own] < best) return 'You lost this one.'
  return scores.filter((score) => score === best).length > 1 ? 'A draw.' : 'You won.'
}
