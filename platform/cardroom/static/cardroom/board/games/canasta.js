// Canasta: a tray of melds for each side, the discard pile, and who may take it.

import { back, decorative, face } from '../cards.js'
import { eventOf } from '../data.js'
import { h, s } from '../dom.js'
import { cardText, count, joinNames, numberText, rankPlural, sideMark } from '../words.js'
import { backs, endPanel } from './common.js'

export const name = 'canasta'
/** The heads of the trays show the scores. */
export const showsScores = true

const BONUS = { natural: 500, mixed: 300 }
const CANASTA = 7
const DOT = 8 // width of a dot for a card of a canasta
const RED_THREE = 100
const STEP = 0.46 // the visible part of a card that another card of its fan covers
// A tray's width in a table of 888 px; by size, the widths of a card, of texts and of a gap.
const ROOM = { tl: 390, tr: 390, tt: 826, tb: 826 }
const SIZES = [
  { size: '', card: 38, words: 88, canasta: 128, reds: 106, gap: 18 },
  { size: ' crowd', card: 34, words: 84, canasta: 122, reds: 106, gap: 16 },
  { size: ' throng', card: 30, words: 44, canasta: 80, reds: 40, gap: 10 },
]
const isRed = (card) => card[1] === 'D' || card[1] === 'H'
const isWild = (card) => card[0] === 'X' || card[0] === '2'
const capital = (text) => text[0].toUpperCase() + text.slice(1)

export const prepare = (match) => match.frames.map(() => null)
export const liftedCard = () => null
export const pile = () => null
export const stock = () => null

export const rests = (scene, seat) => !scene.view.chairs.includes(seat)

/** The rank melded by the move of this frame, if any. */
function rankMelded(frame) {
  const event = eventOf(frame, 'meld') ?? eventOf(frame, 'take')
  return event?.rank ?? null
}

// --- trays ----------------------------------------------------------------------------------------

/** The top card of a squared-up canasta: red if natural, black if mixed. */
function topOf(meld) {
  const fits = (card) => !isWild(card) && isRed(card) === (meld.canasta === 'natural')
  return meld.cards.find(fits) ?? meld.cards.find((card) => !isWild(card))
}

/** Seven dots: ivory for natural cards, brass for wild ones, empty for those still missing. */
function dots(meld) {
  const natural = Math.min(meld.cards.length, CANASTA) - meld.wild
  const kind = (i) => (i < natural ? 'on' : i < natural + meld.wild ? 'wild' : null)
  return s(
    'svg',
    { class: 'dots', viewBox: `0 0 ${CANASTA * DOT} ${DOT}`, 'aria-hidden': 'true' },
    Array.from({ length: CANASTA }, (_, i) =>
      s('circle', { cx: i * DOT + DOT / 2, cy: DOT / 2, r: 3, class: kind(i) }),
    ),
  )
}

function meldNode(meld, isNew, path) {
  const size = meld.cards.length
  const ranks = rankPlural(meld.rank)
  const wild = meld.wild ? `, ${meld.wild} wild` : ''
  const label = meld.canasta
    ? `${meld.canasta} canasta of ${ranks}, ${count(size, 'card')}${wild}`
    : `meld of ${ranks}, ${size} of ${CANASTA}${wild}`
  const more = size > CANASTA ? `, ${size} cards` : ''
  return h(
    'div',
    {
      class: `meld${isNew ? ' new' : ''}`,
      role: 'group',
      'aria-label': label,
      'data-item': meld.rank,
      'data-path': path,
    },
    meld.canasta
      ? h('div', { class: 'squared' }, decorative(back()), decorative(back()), face(topOf(meld)))
      : h(
          'div',
          { class: 'fan' },
          meld.cards.map((card) => face(card, card[0] === meld.rank ? 'own' : '')),
        ),
    dots(meld),
    h(
      'p',
      {},
      h('span', { class: 'of' }, `${capital(ranks)} `),
      meld.canasta
        ? [
            h('strong', {}, `${meld.canasta} +${BONUS[meld.canasta]}`),
            more ? h('span', { class: 'of' }, more) : null,
          ]
        : h('span', {}, `${size} of ${CANASTA}`),
    ),
  )
}

function redThreeNode(cards) {
  if (!cards.length) return null
  return h(
    'div',
    { class: 'meld red3', role: 'group', 'aria-label': count(cards.length, 'red three') },
    h(
      'div',
      { class: 'fan' },
      cards.map((card) => face(card)),
    ),
    h(
      'p',
      {},
      h('span', { class: 'of' }, cards.length > 1 ? 'Red threes ' : 'Red three '),
      cards.length < 4 ? [h('strong', {}, `+${cards.length * RED_THREE}`)] : null,
    ),
  )
}

/** A side's score, and the points that its first meld still needs, for the head of its tray. */
function trayWords(scene, seats) {
  const { view } = scene
  // In 1v2, scores and minimums are by seat, but trays by side.
  const owners = view.scores.length === view.sides.length ? [view.sides.indexOf(seats)] : seats
  const scores = owners.map((owner) => numberText(view.scores[owner])).join(' and ')
  const minimum = [...new Set(owners.map((owner) => view.minimum[owner]))].join(' or ')
  const opened = view.opened[view.sides.indexOf(seats)]
  return `score ${scores}${opened ? '' : `, first meld needs ${minimum}`}`
}

/** The grid area of a tray: at the viewer's side, or among the other sides. */
function trayArea(scene, seats, others) {
  if (seats.some((seat) => scene.places[seat] === 's')) return 'tb'
  if (others.length === 1) return 'tt'
  return others.indexOf(seats) === 0 ? 'tl' : 'tr'
}

/** The largest size at which a tray's cards fit into one row, if any. */
function sizeOf(melds, reds, area) {
  const width = ({ card, words, canasta, reds: least, gap }) => {
    const fan = (number) => card * (1 + STEP * (number - 1))
    const widthOf = (meld) => (meld.canasta ? canasta : Math.max(fan(meld.cards.length), words))
    return melds.reduce(
      (sum, meld) => sum + widthOf(meld) + gap,
      reds ? Math.max(fan(reds), least) : 0,
    )
  }
  return (SIZES.find((size) => width(size) <= ROOM[area]) ?? SIZES.at(-1)).size
}

function trayNode(scene, side) {
  const { view, frame } = scene
  const seats = view.sides[side]
  const others = view.sides.filter((other) => other.every((seat) => scene.places[seat] !== 's'))
  const names = joinNames(seats.map(scene.nameOf))
  const reds = (view.red3_cards ?? []).filter((_, seat) => seats.includes(seat)).flat()
  const acted = frame.seat !== null && seats.includes(frame.seat)
  const melds = view.melds[side].map((meld, at) =>
    meldNode(meld, acted && rankMelded(frame) === meld.rank, `melds.${side}.${at}`),
  )
  const area = trayArea(scene, seats, others)
  return h(
    'section',
    {
      class: `melds g-${area}${sizeOf(view.melds[side], reds.length, area)}`,
      'aria-label': `melds of ${names}`,
    },
    h(
      'header',
      {},
      h('b', {}, sideMark(scene.match.sideOf(seats[0])), ` ${names}`),
      h('span', {}, trayWords(scene, seats)),
    ),
    h(
      'div',
      { class: 'row' },
      melds.length ? melds : h('p', { class: 'none' }, 'no meld yet'),
      redThreeNode(reds),
    ),
  )
}

// --- stock and pile -------------------------------------------------------------------------------

/** The options in a format's text. */
const optionsOf = (view) => new URLSearchParams(view.format.split('?')[1] ?? '')

/** Who can take the pile, in a sentence. */
function pileWords(view) {
  const { size, top, frozen } = view.pile
  if (view.step.pending) return 'waits until the first meld is worth enough'
  if (!size || !top) return null
  if (isWild(top) || top[0] === '3') return 'nobody can take it now'
  const ranks = rankPlural(top[0])
  const pair = `a pair of ${ranks} from hand`
  if (frozen) return `only ${pair} takes it`
  const options = optionsOf(view)
  const isStrict =
    options.get('pair') === 'always' || view.format.startsWith('canasta/windows-2.5/')
  const meld = `a meld of ${ranks}`
  if (isStrict) return `${pair} or ${meld} takes it`
  const isClosed = options.get('startfrozen') !== 'false' && view.opened.some((opened) => !opened)
  const only = isClosed ? '; before the first meld only the pair' : ''
  return `a pair of ${ranks}, one with a wild card or ${meld} takes it${only}`
}

/** The pile's top card; a frozen pile has its wild card or red three crosswise below. */
function discards(scene) {
  const { top, size, frozen, cards } = scene.view.pile
  if (!size) return h('span', { class: 'slot' })
  const freezingCard = frozen
    ? cards?.find((card) => isWild(card) || (card[0] === '3' && isRed(card)))
    : null
  return [
    freezingCard ? decorative(face(freezingCard, 'crosswise')) : null,
    top ? face(top, eventOf(scene.frame, 'discard') ? 'new' : '') : decorative(back()),
  ]
}

function drawNode(scene) {
  const { stock: left, pile: heap } = scene.view
  const state = heap.size ? `${count(heap.size, 'card')}${heap.frozen ? ', frozen' : ''}` : 'empty'
  return h(
    'div',
    { class: 'draw g-dr' },
    h(
      'figure',
      {},
      h(
        'div',
        {
          class: 'pile',
          role: 'group',
          'aria-label': `stock: ${count(left, 'card')}`,
          'data-path': 'stock',
        },
        backs(left, 24),
      ),
      h('figcaption', {}, 'stock', h('b', {}, count(left, 'card'))),
    ),
    h(
      'figure',
      {},
      h(
        'div',
        {
          class: `pile heap${heap.frozen ? ' frozen' : ''}`,
          role: 'group',
          'aria-label': `discard pile: ${state}`,
          'data-path': 'pile',
        },
        discards(scene),
      ),
      h('figcaption', {}, 'pile', h('b', {}, state), pileWords(scene.view)),
    ),
  )
}

/** The text in place of stock and pile at the end of a deal or match. */
function endWords(scene) {
  const { match, frame } = scene
  const end = eventOf(frame, 'match')
  if (end) return endPanel(match, 'The match is over', end.scores)
  const scored = eventOf(frame, 'score')
  if (!scored) return null
  const before = match.frames[match.deals[frame.dealIndex].first].view.scores
  return endPanel(
    match,
    `Deal ${frame.deal + 1} is over`,
    scored.scores.map((score, side) => score - before[side]),
    '+',
  )
}

export function middle(scene) {
  const ended = endWords(scene)
  return [
    scene.view.sides.map((_, side) => trayNode(scene, side)),
    ended ? h('div', { class: 'draw g-dr' }, ended) : drawNode(scene),
  ]
}

// --- moves ----------------------------------------------------------------------------------------

const cardTexts = (cards) => cards.map((card, i) => [i ? ' ' : '', cardText(card)])

/** takes 9♦ with 9♣ 9♠; K♣ to the kings; discards 5♦. */
export function moveText(frame) {
  const taken = eventOf(frame, 'take')
  if (taken)
    return [
      'takes ',
      cardText(taken.top),
      taken.with.length ? [' with ', cardTexts(taken.with)] : '',
    ]
  const meld = eventOf(frame, 'meld')
  if (meld?.cards.length === 1) return [cardText(meld.cards[0]), ` to the ${rankPlural(meld.rank)}`]
  if (meld) return ['melds ', cardTexts(meld.cards)]
  const discard = eventOf(frame, 'discard')
  if (discard) return ['discards ', cardText(discard.card)]
  const words = {
    draw: 'draws',
    ask: 'asks',
    yes: 'yes',
    no: 'no',
    pass: 'passes',
    R: 'tables a red three',
  }
  return words[frame.move] ?? frame.move
}

export function tick(frame) {
  if (eventOf(frame, 'out')) return 'out'
  const canasta = eventOf(frame, 'canasta')
  return canasta ? `canasta of ${rankPlural(canasta.rank)}` : null
}

export const divider = (frame) => (eventOf(frame, 'sides') ? 'the sides are decided' : null)

export function movedCard(frame) {
  const event = eventOf(frame, 'discard') ?? eventOf(frame, 'meld')
  return event?.card ?? event?.cards[0] ?? eventOf(frame, 'take')?.with[0] ?? null
}

const MOVE_TEXTS = {
  draw: 'draws',
  ask: 'asks to go out',
  yes: 'says yes',
  no: 'says no',
  pass: 'passes',
  R: 'tables a red three',
}

export function staged(frame) {
  const taken = eventOf(frame, 'take')
  if (taken) {
    const words = `takes ${count(taken.size, 'card')}`
    return { cards: taken.with, takes: [{ paths: ['pile'], words }], words }
  }
  const event = eventOf(frame, 'discard') ?? eventOf(frame, 'meld')
  const cards = event?.cards ?? (event ? [event.card] : [])
  return { cards, takes: [], words: MOVE_TEXTS[frame.move] ?? '' }
}

export const marks = (frame) => (eventOf(frame, 'canasta') ? ['canasta'] : [])

// --- the sheet ------------------------------------------------------------------------------------

/** The red threes that a seat tabled in this deal, in the frames that the page has. */
function redThreesOf({ match, frame }, seat) {
  const earlier = match.frames.filter(({ deal, at }) => deal === frame.deal && at <= frame.at)
  return earlier
    .flatMap(({ events }) => events)
    .filter((event) => event.type === 'red3' && event.seat === seat)
    .flatMap((event) => event.cards)
}

export function earned(scene, points) {
  const { view } = scene
  const ended = eventOf(scene.frame, 'score')
  const isBySeat = points.melds?.length !== view.sides.length
  const seats = isBySeat ? points.melds.map((_, seat) => [seat]) : view.sides
  const meldsOf = (own) => view.melds[view.sides.findIndex((side) => side.includes(own[0]))] ?? []
  const out = eventOf(scene.frame, 'out')
  return {
    melds: {
      worth: 'by their card points',
      none: 'nobody melded',
      sides: seats.map((own) => ({
        times: meldsOf(own).map((meld) => [topOf(meld), meld.cards.length]),
      })),
    },
    canastas: {
      worth: `natural ${BONUS.natural}, mixed ${BONUS.mixed}`,
      none: 'none',
      sides: seats.map((own) => {
        const made = meldsOf(own).filter((meld) => meld.canasta)
        return {
          cards: made.map(topOf),
          words: made.map((meld) => `${meld.canasta} ${rankPlural(meld.rank)}`).join(', '),
        }
      }),
    },
    red3: {
      worth: `${RED_THREE} each`,
      none: 'none',
      sides: seats.map((own) => {
        const number = own.reduce((sum, seat) => sum + (view.red3[seat] ?? 0), 0)
        const cards = own.flatMap((seat) => redThreesOf(scene, seat))
        return cards.length === number ? { cards } : { words: number ? `×${number}` : '' }
      }),
    },
    out: {
      worth: out?.concealed ? 'concealed' : '',
      none: 'nobody went out',
      sides: seats.map((own) => ({
        words: out && own.includes(out.seat) ? scene.nameOf(out.seat) : '',
      })),
    },
    hands: {
      worth: 'counts against',
      none: 'none',
      sides: seats.map((own) => ({ cards: own.flatMap((seat) => ended?.hands[seat] ?? []) })),
    },
  }
}
