// The list of a deal's moves. The shown move opens into a sentence with its clause.

import { h } from '../board/dom.js'
import { durationText, richText } from '../board/words.js'

/** The address of a frame within the page. */
export function addressOf(frame) {
  if (frame.n !== null) return `#move-${frame.n + 1}`
  return frame.moveInDeal ? '#end' : `#deal-${frame.deal + 1}`
}

/** "deal 3 of 4, move 20 of 48" */
export function positionOf(match, frame) {
  const deal = match.deals[frame.dealIndex]
  if (match.live) return `deal ${deal.number + 1}, move ${frame.moveInDeal}`
  return `deal ${deal.number + 1} of ${match.deals.length}, move ${frame.moveInDeal} of ${deal.moves}`
}

/** Replace places in an engine's sentence by the bots' names, unless a bot has several places. */
export function withNames(match, sentence) {
  const names = match.seats.map((seat) => seat.name)
  if (new Set(names).size < names.length) return sentence
  const places = new Map(match.seats.map((seat) => [seat.compass, seat.name]))
  return sentence.replace(
    /\b(?:North|South)-(?:east|west)\b|\b(?:North|East|South|West)\b/g,
    (place) => places.get(place) ?? place,
  )
}

function clauseLink(match, clause) {
  if (!clause || !match.urls.rules) return clause ? ` ${clause}` : null
  return [' ', h('a', { href: `${match.urls.rules}#${clause}` }, clause)]
}

/** The text of a frame: the sentence with its clause, the bot's note, and the fault, if any. */
export function sentenceOf(match, frame) {
  const fault = match.faults.find((one) => one.at === frame.at)
  return h(
    'div',
    { class: 'say' },
    h('p', {}, richText(withNames(match, frame.sentence)), clauseLink(match, frame.clause)),
    frame.note ? h('p', { class: 'noted' }, h('span', {}, 'note'), ` ${frame.note}`) : null,
    judgementNode(match, frame),
    fault ? h('p', { class: 'fault', title: faultDetail(fault) }, faultText(match, fault)) : null,
  )
}

/** The move's slip or mistake with its cost, if any. */
export const costOf = (match, frame) => match.analysis?.moves[frame.n]

/** ▼ slip, ▼▼ mistake */
export const costMark = (cost) => `${cost.kind === 'mistake' ? '▼▼' : '▼'} ${cost.cost}`

function judgementNode(match, frame) {
  const cost = costOf(match, frame)
  if (!cost) return null
  const better = cost.better ? ` The expert: ${withNames(match, cost.better)}` : ''
  return h('p', { class: 'judged' }, `${cost.kind}, ${cost.cost} points.`, richText(better))
}

const REASONS = {
  start: 'did not start',
  crash: 'crashed',
  time: 'gave no answer in time',
  extra: 'sent an unexpected line',
  garbage: 'sent an invalid answer',
  illegal: 'made an illegal move',
}

/** "Quiet Ledger gave no answer in time, deal 4, move 31" */
export function faultText(match, fault) {
  const frame = match.frames[fault.at]
  const player = match.seats[fault.seat].name
  const effect =
    fault.policy === 'forfeit'
      ? 'the match ended there'
      : 'the platform played a legal move instead'
  return `${player} ${REASONS[fault.kind] ?? fault.kind}, deal ${frame.deal + 1}, move ${frame.moveInDeal}; ${effect}`
}

/** The fault's sentence, and the text that the bot sent. */
const faultDetail = (fault) =>
  [fault.detail, fault.received && `The bot sent '${fault.received}'.`].filter(Boolean).join(' ')

function moveRow(match, renderer, frame) {
  const tick = renderer.tick(frame)
  const fault = match.faults.some((one) => one.at === frame.at)
  const cost = costOf(match, frame)
  return h(
    'li',
    { 'data-at': frame.at },
    h('span', { class: 'i' }, frame.moveInDeal),
    h(
      'span',
      { class: 'w', title: `${match.seats[frame.seat].compass}: ${match.seats[frame.seat].name}` },
      match.seats[frame.seat].place,
    ),
    h(
      'a',
      { class: 'm', href: addressOf(frame), tabindex: '-1' },
      frame.move ? renderer.moveText(frame) : 'hidden',
      tick && h('span', { class: 'tick' }, tick),
      fault && h('span', { class: 'tick fault' }, '▲ fault'),
      cost && h('span', { class: 'tick fault', title: cost.kind }, costMark(cost)),
    ),
    h('span', { class: 'ms' }, durationText(frame.clock_ms)),
  )
}

function restRow(frame) {
  const words = frame.moveInDeal ? 'the match is over' : 'the cards are dealt'
  return h(
    'li',
    { 'data-at': frame.at, class: 'step' },
    h('span', { class: 'i' }),
    h('span', { class: 'w' }),
    h('a', { class: 'm', href: addressOf(frame), tabindex: '-1' }, words),
    h('span', { class: 'ms' }),
  )
}

function rowsOf(match, renderer, deal) {
  return match.frames.slice(deal.first, deal.last + 1).flatMap((frame) => {
    if (frame.n === null) return [restRow(frame)]
    const words = renderer.divider(frame)
    const rule = words && h('li', { class: 'rule' }, words)
    return [moveRow(match, renderer, frame), rule].filter(Boolean)
  })
}

/** Show the list of the frame's deal, with the frame's move open and scrolled into view. */
export function drawMoves(list, renderer, match, frame) {
  const deal = match.deals[frame.dealIndex]
  if (list.dataset.deal !== String(deal.number)) {
    list.replaceChildren(...rowsOf(match, renderer, deal))
    list.dataset.deal = String(deal.number)
    list.setAttribute('aria-label', `Moves of deal ${deal.number + 1}`)
  }
  const openRow = list.querySelector('[aria-current]')
  openRow?.removeAttribute('aria-current')
  openRow?.querySelector('.say')?.remove()
  const row = list.querySelector(`[data-at="${frame.at}"]`)
  row.setAttribute('aria-current', 'step')
  row.append(sentenceOf(match, frame))
  list.scrollTop = row.offsetTop - (list.clientHeight - row.offsetHeight) / 2
}
