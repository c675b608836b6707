// Spoon Eye: masts before each seat with their sums, raised masts, won piles.

import { back, decorative, face } from '../cards.js'
import { eventOf } from '../data.js'
import { h } from '../dom.js'
import { cardName, cardText, count, places, sideMark } from '../words.js'
import { endPanel, stockNode } from './common.js'

export const name = 'spoon-eye'
/** With more sides, the masts need the room of the corners. */
export const maxCorners = 2

const RAISED = 21
const PLAY = /^([A-Z0-9]{2})>(\d):(.)$/
const LIFT = /^(move|steal):(\d):(\d)>(\d):(.)$/
const TAKE = /^take:(\d):(\d)$/
// If the two tallest rows together are higher than this, in cards, all masts get smaller cards.
const TALL = 4
const TALLER = 6
const TRAY = 2 // the height in cards of a raised mast in the middle

/** By frame: the card that its move puts on a mast, from a hand or from another mast. */
export function prepare(match) {
  return match.frames.map((frame, at) => {
    const lift = frame.move?.match(LIFT)
    const card = lift
      ? match.frames[at - 1]?.view.masts[lift[2]][lift[3] - 1].at(-1)
      : frame.move?.match(PLAY)?.[1]
    return { card: card ?? null }
  })
}

export const liftedCard = () => null

// --- the table ------------------------------------------------------------------------------------

const sumTag = (value) =>
  h(
    'span',
    { class: `tag${value === RAISED ? ' full' : ''}`, 'aria-hidden': 'true' },
    String(value),
  )

/** A column of cards from its foot to its crow's nest, with its sum. */
function mast(scene, cards, value, label, path) {
  const top = cards.length - 1
  const drawn = cards.map((card, i) => {
    const isNew = card === scene.extra.card && i === top
    const shown = face(card, `${i === top ? 'nest' : ''}${isNew ? ' new' : ''}`.trim())
    if (i === top) shown.setAttribute('aria-label', `crow’s nest: ${cardName(card)}`)
    return shown
  })
  return h(
    'div',
    { class: 'mast', role: 'group', 'aria-label': label, 'data-sum': value, 'data-path': path },
    drawn,
    sumTag(value),
  )
}

const raisedIn = (scene) => scene.view.raised ?? eventOf(scene.frame, 'raise')

/** The class for the size of the masts' cards, by the two tallest rows and the tray between them. */
function sizeOf(masts, isRaised) {
  const tallest = masts
    .map((row) => Math.max(0, ...row.map((cards) => cards.length)))
    .sort((a, b) => b - a)
  const height = tallest[0] + tallest[1] + (isRaised ? TRAY : 0)
  if (height <= TALL) return ''
  return height <= TALLER ? ' tall' : ' taller'
}

/** The row of masts before a seat. */
export function seatArea(scene, seat) {
  const { masts, values } = scene.view
  const row = masts[seat].map((cards, i) =>
    mast(
      scene,
      cards,
      values[seat][i],
      `mast ${i + 1} of ${scene.nameOf(seat)}: ${values[seat][i]}`,
      `masts.${seat}.${i}`,
    ),
  )
  return h(
    'div',
    {
      class: `masts${sizeOf(masts, raisedIn(scene))}`,
      role: 'group',
      'aria-label': `${scene.nameOf(seat)}: ${count(row.length, 'mast')}`,
    },
    row.length ? row : h('span', { class: 'none' }, 'no mast'),
  )
}

const PHASE_TEXTS = {
  start: 'draws, or moves a crow’s nest',
  play: 'plays a card',
  steal: 'takes an opposing crow’s nest',
  take: 'chooses another mast to win',
}

/** A mast raised by this move, or a raised mast whose owner still chooses another mast to win. */
function raised(scene) {
  const event = raisedIn(scene)
  if (!event) return null
  const owner = scene.nameOf(event.seat)
  return h(
    'div',
    {
      class: 'build new raised',
      role: 'group',
      'aria-label': `mast raised by ${owner}: ${RAISED}`,
    },
    h(
      'div',
      { class: 'tray' },
      h(
        'div',
        { class: 'fan' },
        event.cards.map((card) => face(card)),
      ),
      sumTag(RAISED),
    ),
    h('p', {}, `raised by ${owner}`),
  )
}

export function middle(scene) {
  const { match, frame, view } = scene
  const done = eventOf(frame, 'deal_end')
  const end = eventOf(frame, 'end')
  const words =
    view.to_act === null
      ? null
      : h(
          'p',
          { class: 'doing' },
          `${scene.nameOf(view.to_act)} ${PHASE_TEXTS[view.phase] ?? 'to play'}`,
        )
  const raisedMast = done ? null : raised(scene)
  return h(
    'div',
    { class: 'lie' },
    raisedMast,
    end ? endPanel(match, 'The match is over', end.result?.scores ?? view.scores) : null,
    done && !end ? endPanel(match, `Deal ${frame.deal + 1} is over`, done.base, '+') : null,
    done || end
      ? null
      : h(
          'div',
          { class: 'words' },
          words,
          raisedMast
            ? null
            : h('p', { class: 'hint' }, h('i', { class: 'sample' }), ' crow’s nest'),
        ),
  )
}

/** Won cards face down, cards that count double face up. */
export function pile(scene, side) {
  const { single, double } = scene.view.won[side]
  const total = single.length + double.length
  const heap = total
    ? [single.length ? decorative(back()) : null, double.map((card) => face(card, 'doubled'))]
    : h('span', { class: 'slot' })
  const twice = double.length ? [`${double.length} doubled`] : null
  return [
    h(
      'div',
      {
        class: 'pile won',
        role: 'group',
        'aria-label': `won by ${scene.sideNames(side)}: ${count(total, 'card')}, ${double.length} doubled`,
      },
      heap,
    ),
    h(
      'div',
      {},
      h('span', { class: 'who' }, sideMark(side), ' won'),
      h('b', {}, total ? count(total, 'card') : 'nothing yet'),
      twice,
    ),
  ]
}

/** The points of the match below and above the line, which are separate until it ends. */
export function sums({ match, frame }) {
  const { lines, frames, standing } = match.tally
  const before = match.frames[match.deals[frame.dealIndex].first].view.sheet
  const upTo = (kind, isOfKind) =>
    match.sides.map((_, side) =>
      frames[frame.at].reduce(
        (sum, points, i) => (isOfKind(lines[i].key) ? sum + points[side] : sum),
        before[side][kind],
      ),
    )
  const bonuses = upTo('bonus', (key) => key === 'bonus')
  /** @type {[string, string, number[]][]} */
  const rows = [['Below the line', 'SPO-46', upTo('base', (key) => key !== 'bonus')]]
  if (bonuses.some(Boolean)) rows.push(['Bonuses above the line', 'SPO-47', bonuses])
  const words = eventOf(frame, 'end') ? 'Score of the match' : 'If the match ended now'
  rows.push([words, 'SPO-49', standing[frame.at]])
  return rows
}

export const stock = (scene) =>
  stockNode(scene.view.stock, 13, scene.view.stock ? null : 'all drawn')

// --- moves ----------------------------------------------------------------------------------------

/** S2: South's second mast; "S left": a new mast there. */
function placeText(frame, seat, number) {
  const letter = places(frame.view.masts.length)[seat].toUpperCase()
  return { L: `${letter} left`, R: `${letter} right` }[number] ?? `${letter}${number}`
}

/** 7♦→W2; nest S3→S1; wins W3. */
export function moveText(frame) {
  const { move } = frame
  const play = move.match(PLAY)
  if (play) return [cardText(play[1]), '→', placeText(frame, play[2], play[3])]
  const lift = move.match(LIFT)
  if (lift) {
    const [, kind, from, number, to, place] = lift
    return `${kind === 'move' ? 'nest' : 'steals'} ${placeText(frame, from, number)}→${placeText(frame, to, place)}`
  }
  const take = move.match(TAKE)
  if (take) return `wins ${placeText(frame, take[1], take[2])}`
  return { draw: 'draws', pass: 'passes', 'take:none': 'wins no other mast' }[move] ?? move
}

export function tick(frame) {
  if (eventOf(frame, 'swap')) return 'hands swapped'
  return eventOf(frame, 'raise') ? 'raised' : null
}

export const divider = () => null

export const movedCard = (_frame, extra) => extra.card

const MOVE_TEXTS = { draw: 'draws a card', pass: 'passes', 'take:none': 'takes no other mast' }

/** A mast that the move raises: its path and its sum. */
function raisedMastOf(frame, before, seat, number) {
  const was = before?.view.values[seat]?.[number - 1]
  if (was === undefined || !eventOf(frame, 'raise')) return []
  const words = `${was} + ${RAISED - was} = ${RAISED}`
  return [{ paths: [`masts.${seat}.${number - 1}`], words }]
}

export function staged(frame, before, extra) {
  const { move } = frame
  const play = move.match(PLAY)
  if (play) return { cards: [play[1]], takes: raisedMastOf(frame, before, play[2], play[3]) }
  const lift = move.match(LIFT)
  if (lift) {
    const [, kind, from, number, to, place] = lift
    const nest = { paths: [`masts.${from}.${number - 1}`], words: kind === 'steal' ? 'stolen' : '' }
    return { cards: [extra.card], takes: [nest, ...raisedMastOf(frame, before, to, place)] }
  }
  const take = move.match(TAKE)
  if (!take) return { cards: [], takes: [], words: MOVE_TEXTS[move] ?? '' }
  const paths = [`masts.${take[1]}.${take[2] - 1}`]
  return { cards: [], takes: [{ paths, words: 'won' }], words: 'takes a mast', toPile: true }
}

export const marks = (frame) => (eventOf(frame, 'raise') ? ['mast raised'] : [])

// --- the end of a deal ----------------------------------------------------------------------------

const PACK = 52
const SUITS = { D: '♦', S: '♠', H: '♥', C: '♣' }

/** The number of won cards of each suit: "♦ 5, ♠ 3". */
const suitsOf = (cards) =>
  Object.entries(SUITS)
    .map(([suit, sign]) => [sign, cards.filter((card) => card[1] === suit).length])
    .filter(([, number]) => number)
    .map(([sign, number]) => `${sign} ${number}`)
    .join(', ')

export function earned(scene) {
  const { won } = scene.view
  return {
    cards: {
      worth: '1 each',
      none: 'none won',
      sides: won.map(({ single }) => ({ bar: [single.length, PACK] })),
    },
    doubled: {
      worth: '2 each',
      none: 'none',
      sides: won.map(({ double }) => ({ cards: double })),
    },
    bonus: {
      worth: '♦ 2, ♠ 1, ♣ −1',
      none: 'none',
      sides: won.map(({ single, double }) => ({ words: suitsOf([...single, ...double]) })),
    },
  }
}
