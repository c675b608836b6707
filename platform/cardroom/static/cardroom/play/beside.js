// Sections beside the end of a match: the decisive line, the same cards at other tables, and the last matches
// against the same opponents.

import { h } from '../board/dom.js'
import { decidedBy } from './scoring.js'
import { differences, strip } from './strip.js'
import { colourSuits } from './suits.js'
import { swap } from './swap.js'

const LETTERS = { won: 'W', lost: 'L', drawn: 'D' }

const section = (title, ...inside) => h('section', {}, h('h2', {}, title), inside)

const link = (href, words) => h('p', {}, h('a', { href }, words))

function decisiveSection(outcome, names) {
  const sentences = decidedBy(outcome, names)
  if (!sentences.length) return null
  return section(
    'What decided the deal',
    sentences.map((sentence) => h('p', {}, colourSuits(sentence))),
    link(`${location.pathname}replay/`, 'Show in the replay'),
  )
}

/** Matches of one deal only: the deals of longer matches are compared on their own page. */
function sameCardsSection({ comparison }, outcome) {
  if (!comparison?.ready || !comparison.others?.length || outcome.own === null) return null
  const { before, after } = outcome
  const own = { points: after.map((score, at) => score - before[at]) }
  const leads = differences({ own, others: comparison.others }, outcome.own)
  const better = leads.others.filter(([, value]) => value > leads.mine).length
  const tables = leads.others.length + 1
  const place = better ? `${better} of ${tables - 1} did better.` : 'Nobody did better.'
  return section(
    'The same cards',
    strip(leads),
    h('p', {}, `Points ahead with your cards. ${place}`),
    link(comparison.url, 'Compare the moves'),
  )
}

function recordSection({ record: games, seats, you }, names) {
  if (!games || games.length < 2) return null
  const others = seats.map((seat) => seat.index).filter((seat) => seat !== you)
  const title = others.length > 1 ? 'You at this table' : `You and ${names.of(others[0])}`
  const letters = games.map((game) => h('li', { class: game, 'aria-label': game }, LETTERS[game]))
  return section(
    title,
    h('ol', { class: 'games' }, letters),
    h('p', {}, `Your last ${games.length} games against them, newest last.`),
  )
}

/**
 * @param {HTMLElement} box
 * @param {any} state
 * @param {import('./scoring.js').Outcome|null} outcome
 * @param {import('./names.js').Names} names
 */
export function drawBeside(box, state, outcome, names) {
  box.hidden = !outcome?.isLast || outcome.own === null
  if (box.hidden) return
  swap(
    box,
    decisiveSection(outcome, names),
    sameCardsSection(state, outcome),
    recordSection(state, names),
  )
}
