// The result of a finished deal: the lines of its sheet, the scores before and after it, the winner. No
// elements and no rules: the site computes the points.

import { count, numberText, numberWord } from '../board/words.js'

const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)
const sum = (numbers) => numbers.reduce((total, one) => total + one, 0)
const same = (some, others) => some.every((one, at) => one === others[at])

/**
 * @typedef {object} Row
 * @property {string} key
 * @property {string} clause
 * @property {string} words the line's name within a sentence
 * @property {string} name the name at the beginning of a sentence
 * @property {string} note the text in brackets after the name
 * @property {number[]} points by column
 * @property {boolean} counts whether the totals include them
 */

/**
 * @typedef {object} Outcome
 * @property {number} deal from 0
 * @property {boolean} isLast whether the match is over
 * @property {number[][]} columns the seats of each column of the scores
 * @property {number[]} order columns in the order shown, the viewer's first
 * @property {number|null} own the viewer's column
 * @property {Row[]} rows
 * @property {number[]} before
 * @property {number[]} after
 * @property {number[]} winners the columns that won the match, or else the deal
 */

/** The name of a line, and the note in brackets after it. */
function namesOf(words) {
  const [, name, note] = words.match(/^(.*?)(?: \((.*)\))?$/)
  return { words: name, name: capital(name), note: note ?? '' }
}

/** The points of each column in these lines. */
const totalOf = (lines, columns) =>
  columns.map((_, column) => sum(lines.map((line) => line.points[column] ?? 0)))

/** The number of first lines whose points add up to the change of the totals. */
function countingLines(lines, columns, gains) {
  for (let size = lines.length; size > 0; size -= 1)
    if (same(totalOf(lines.slice(0, size), columns), gains)) return size
  return lines.length
}

/** @returns {Row[]} */
function rowsOf(lines, columns, gains) {
  const size = countingLines(lines, columns, gains)
  const rows = lines.map((line, at) => ({
    key: line.key,
    clause: line.clause,
    ...namesOf(line.for),
    points: columns.map((_, column) => line.points[column] ?? 0),
    counts: at < size,
  }))
  const counted = totalOf(
    rows.filter((row) => row.counts),
    columns,
  )
  const rest = gains.map((gain, column) => gain - counted[column])
  if (rest.every((points) => points === 0)) return rows
  const last = namesOf('settled at the end')
  return [...rows, { key: 'rest', clause: '', ...last, points: rest, counts: true }]
}

const bestOf = (numbers) => {
  const best = Math.max(...numbers)
  return numbers.flatMap((number, at) => (number === best ? [at] : []))
}

/**
 * @param {any} state of the table
 * @param {number} number of the deal, from 0
 * @param {boolean} isLast
 * @returns {Outcome|null} null: the site has not sent the deal
 */
export function outcomeOf(state, number, isLast) {
  const deal = state.deals.find((one) => one.number === number)
  if (!deal) return null
  const after = isLast && state.result ? state.result.scores : deal.scores
  const columns = after.length === state.sides.length ? state.sides : after.map((_, seat) => [seat])
  const earlier = state.deals.find((one) => one.number === number - 1)
  const zeros = columns.map(() => 0)
  const points = deal.sheet?.points ?? zeros
  const before =
    number === 0 ? zeros : (earlier?.scores ?? after.map((score, at) => score - points[at]))
  const gains = after.map((score, at) => score - (before[at] ?? 0))
  const column = columns.findIndex((seats) => seats.includes(state.you))
  const own = column < 0 ? null : column
  const places = columns.map((_, column) => column)
  return {
    deal: number,
    isLast,
    columns,
    order: own === null ? places : [own, ...places.filter((column) => column !== own)],
    own,
    rows: rowsOf(deal.sheet?.lines ?? [], columns, gains),
    before,
    after,
    winners: isLast ? (state.result?.winners ?? bestOf(after)) : bestOf(gains),
  }
}

// --- as text --------------------------------------------------------------------------------------

/**
 * The winner and the margin: a title, a line below it, and both as one sentence.
 *
 * @param {Outcome} outcome
 * @param {import('./names.js').Names} names
 * @param {number} [target]
 */
export function verdictOf(outcome, names, target = 0) {
  const { isLast, winners, own, after, before } = outcome
  const values = isLast ? after : after.map((score, at) => score - before[at])
  const title =
    winners.length > 1 ? drawTitle(outcome, names, values) : winTitle(outcome, names, values)
  const kind = own === null ? 'watched' : !winners.includes(own) ? 'lost' : 'won'
  return {
    kind: winners.length > 1 && kind === 'won' ? 'drawn' : kind,
    title,
    sub: isLast ? matchText(outcome, values) : standingText(outcome, target),
    sentence: `${title}${winners.length > 1 ? '' : `, ${scoresOf(outcome, values)}`}.`,
  }
}

const nameOf = ({ columns }, names, column) => names.ofSeats(columns[column])

const verb = ({ columns }, names, column, one, many) =>
  columns[column].length > 1 || names.of(columns[column][0]) === 'you' ? many : one

/** The column with the best score that did not win. */
function secondColumn({ winners, order }, values) {
  const others = order.filter((column) => !winners.includes(column))
  return others.sort((a, b) => values[b] - values[a])[0]
}

function winTitle(outcome, names, values) {
  const [winner] = outcome.winners
  const second = secondColumn(outcome, values)
  const who = capital(nameOf(outcome, names, winner))
  const verbText = outcome.isLast
    ? verb(outcome, names, winner, 'wins', 'win')
    : verb(outcome, names, winner, 'takes this deal', 'take this deal')
  const margin = second === undefined ? 0 : values[winner] - values[second]
  if (margin <= 0) return `${who} ${verbText}`
  if (outcome.columns.length === 2) return `${who} ${verbText} by ${margin}`
  return `${who} ${verbText}, ${margin} ahead of ${nameOf(outcome, names, second)}`
}

function drawTitle(outcome, names, values) {
  const { winners, columns, isLast } = outcome
  const value = numberText(values[winners[0]])
  const subject = isLast ? 'A draw' : 'This deal is a draw'
  if (winners.length === columns.length) return `${subject}, ${value} all`
  return `${subject}: ${names.ofSeats(winners.flatMap((column) => columns[column]))}, ${value} each`
}

/** "7 to 6", the winner first; with more than two columns "19 – 9 – 1". */
function scoresOf({ winners, columns }, values) {
  const order = columns
    .map((_, column) => column)
    .sort(
      (a, b) => values[b] - values[a] || Number(winners.includes(b)) - Number(winners.includes(a)),
    )
  if (winners.length === 1)
    order.sort((a, b) => Number(b === winners[0]) - Number(a === winners[0]))
  return order
    .map((column) => numberText(values[column]))
    .join(columns.length === 2 ? ' to ' : ' – ')
}

function matchText(outcome, values) {
  const { deal, own, winners, columns } = outcome
  const deals = deal ? `after ${numberWord(deal + 1)} deals` : 'in one deal'
  const place = values.filter((value) => own !== null && value > values[own]).length
  const isBehind = own !== null && columns.length > 2 && !winners.includes(own)
  return `${scoresOf(outcome, values)} ${deals}${isBehind ? `: you are ${ORDINALS[place]}` : ''}`
}

function standingText({ order, after, own, columns }, target) {
  const scores = order.map((column) => numberText(after[column]))
  const stands = columns.length === 2 ? scores.join(' to ') : scores.join(' – ')
  const first = own === null || columns.length > 2 ? '' : ', yours first'
  return `The match stands at ${stands}${first}${target ? `; ${target} wins it` : ''}.`
}

/** The line in which the winner's lead over the second was largest, with this lead; null if none. */
function decisiveRow({ winners, order, rows, after, before }) {
  const gains = after.map((score, at) => score - before[at])
  const second = secondColumn({ winners, order }, gains)
  if (winners.length !== 1 || second === undefined) return null
  const [winner] = winners
  const [best] = rows
    .filter((row) => row.counts)
    .map((row) => ({ row, points: row.points[winner] - row.points[second] }))
    .sort((a, b) => b.points - a.points)
  if (!best || best.points <= 0) return null
  return { ...best, winner, second, margin: gains[winner] - gains[second] }
}

/** The decisive line as a sentence; empty if there is none. */
export function differenceOf(outcome) {
  const best = decisiveRow(outcome)
  return best ? `Biggest difference: ${best.row.words}, ${count(best.points, 'point')}.` : ''
}

/** The decisive line in one or two sentences with names. */
export function decidedBy(outcome, names) {
  const best = decisiveRow(outcome)
  if (!best) return []
  const { row, points, winner, second, margin } = best
  const [who, other] = [winner, second].map((column) => nameOf(outcome, names, column))
  const pointsText = `${numberText(row.points[winner])} for ${who}, ${numberText(row.points[second])} for ${other}`
  const rest = points - margin
  const ahead = verb(outcome, names, second, 'is', 'are')
  return [
    `${row.name}: ${pointsText}.`,
    ...(margin > 0 && rest > 0 ? [`Without this line ${other} ${ahead} ahead by ${rest}.`] : []),
  ]
}

/** One line of the sheet as text: "Most cards: you 3." */
export function lineText(row, outcome, names, none) {
  const scored = outcome.order.filter((column) => row.points[column])
  const scores = scored.map(
    (column) => `${nameOf(outcome, names, column)} ${numberText(row.points[column])}`,
  )
  return `${row.name}: ${scores.length ? scores.join(', ') : none}.`
}
