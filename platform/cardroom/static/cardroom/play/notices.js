// The bar while there is no move to compose: an open seat, an invitation, an idle table, the end.

import { h } from '../board/dom.js'
import { numberText } from '../board/words.js'
import { button, fill } from './bar.js'
import { differenceOf } from './scoring.js'

const full = (path) => new URL(path, location.href).href

/** Open seats, with their invitation links. */
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
      button('house', 'Seat a house bot', { 'data-seat': seat }),
    ),
  )
  fill(bar, {
    say: links.length ? 'Send this link to your friend.' : 'Waiting for a friend.',
    sub: 'The cards are dealt as soon as everybody is seated.',
    choices: links,
  })
}

/** For a visitor with an invitation. */
export function invited(bar, state) {
  const maker = state.seats.find((seat) => seat.kind === 'person')?.name ?? 'Somebody'
  const handle = h('input', {
    id: 'handle',
    autocomplete: 'nickname',
    placeholder: 'guest',
  })
  fill(bar, {
    say: `${maker} has reserved a seat for you.`,
    choices: [
      h('label', { for: 'handle' }, 'Your name at the table, at most 24 characters'),
      handle,
    ],
    buttons: [button('sit', 'Sit down', { main: true })],
  })
}

/** For a spectator. */
export const watching = (bar, state) =>
  fill(bar, {
    say: state.result ? resultOf(state) : sentenceOf(state.chip.words),
    sub: 'You are watching; the hands are hidden.',
    buttons: [link('/play/', 'Play a hand')],
  })

/** For an idle table. */
export const resting = (bar) =>
  fill(bar, {
    say: 'Nobody has moved for 30 minutes.',
    sub: 'Sit down to continue the match.',
    buttons: [button('sit', 'Sit down', { main: true })],
  })

/** For a person who has left. */
export const gone = (bar) =>
  fill(bar, {
    say: 'You have left the table.',
    sub: 'You can sit down again unless a house bot takes your seat.',
    buttons: [button('sit', 'Sit down', { main: true })],
  })

/** For a table that the site no longer shows. */
export const deleted = (bar) =>
  fill(bar, {
    say: 'This table is gone.',
    sub: 'It was deleted, or only its players may see it.',
    buttons: [link('/play/', 'All tables', true)],
  })

/** For the turn of another person who has left. */
export const left = (bar, state) =>
  fill(bar, {
    say: sentenceOf(state.chip.words),
    sub: 'They may come back. If a house bot takes their seat, it keeps it to the end.',
    buttons: [button('house', 'Seat a house bot', { 'data-seat': state.turn, main: true })],
  })

const sentenceOf = (words) => `${words.charAt(0).toUpperCase()}${words.slice(1)}.`

const link = (href, words, main = false) =>
  h('a', { class: `btn t44${main ? ' main' : ''}`, href }, words)

const namesOf = (state, winners) =>
  winners.flatMap((side) => state.sides[side] ?? [side]).map((seat) => state.seats[seat].name)

/** For a spectator after the match. */
function resultOf(state) {
  const { winners, scores } = state.result
  const points = scores.map(numberText).join(' – ')
  return `${namesOf(state, winners).join(' and ')}: ${winners.length > 1 ? 'a draw' : 'won'}, ${points}.`
}

/** For a table that everybody has left; nothing is scored. */
export const deserted = (bar, state) =>
  fill(bar, {
    say: sentenceOf(state.chip.words),
    buttons: [
      link('/play/', 'Play a hand'),
      state.you !== null && !state.result ? button('sit', 'Sit down again') : null,
    ].filter(Boolean),
  })

const SAME_CARDS = 'Same cards at the other tables'

/**
 * For the end of a deal or of the match.
 *
 * @param {HTMLElement} bar
 * @param {any} state
 * @param {import('./ending.js').Ending} ending
 */
export function over(bar, state, { outcome, verdict }) {
  const { comparison, begun } = state
  const isCompared = comparison?.ready && comparison.deal === outcome.deal + 1
  const compare = isCompared ? link(comparison.url, SAME_CARDS) : null
  const replay = outcome.isLast ? link(`${location.pathname}replay/`, 'Replay') : null
  const again =
    state.you === null
      ? link('/play/', 'Play a hand', true)
      : button('another', 'Play again', { main: true, key: '↵' })
  const next = outcome.isLast ? again : button('next', 'Next deal', { main: true, key: '↵' })
  fill(bar, {
    say: verdict.sentence,
    sub: differenceOf(outcome) || null,
    buttons: [
      next,
      compare,
      replay,
      outcome.isLast && begun?.url ? link(begun.url, 'The match') : null,
    ].filter(Boolean),
  })
}
