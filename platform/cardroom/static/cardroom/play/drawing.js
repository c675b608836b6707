// What of state and picks is shown: rings on the felt, the bar, everything around. Nothing is decided here.

import * as bar from './bar.js'
import { partsAt, pickedPaths } from './composer.js'
import * as places from './places.js'
import * as side from './side.js'

/** @typedef {import('./main.js').TablePage} TablePage */

/**
 * Rings, ticks and dimming by what is picked.
 *
 * @param {TablePage} page
 */
export function drawRings(page) {
  const { decision } = page.state
  const { picks, isTurn } = page.picking
  const weighed = page.isBehind ? null : page.picking.weighed
  const picked = weighed ? pickedPaths(decision, weighed, picks) : new Set()
  for (const thing of page.felt.querySelectorAll('[data-path]')) {
    const { path } = /** @type {HTMLElement} */ (thing).dataset
    const here = weighed ? partsAt(decision, path) : []
    const isPicked = picked.has(path)
    const isLit = !isPicked && here.some((part) => weighed.lit.has(part))
    const mayDim = here.length && picks.length && isTurn
    const isDim = Boolean(mayDim && !isLit && !isPicked)
    thing.classList.toggle('picked', isPicked)
    thing.classList.toggle('lit', isLit && isTurn)
    thing.classList.toggle('dim', isDim)
    thing.classList.toggle('idle', !here.length)
    thing.setAttribute('aria-pressed', String(isPicked))
    thing.setAttribute('aria-disabled', String(!isLit && !isPicked))
  }
  tabStops(page.felt)
}

/**
 * One stop for the hand and one for what lies on the table; arrows go on from there.
 *
 * @param {HTMLElement} felt
 */
export function tabStops(felt) {
  for (const group of [felt.querySelector('.hand'), felt]) {
    const things = [...(group?.querySelectorAll('[data-path]:not(.idle)') ?? [])].filter(
      (one) => group !== felt || !one.closest('.hand'),
    )
    const stop = things.find((one) => one === document.activeElement) ?? things[0]
    for (const one of things) one.setAttribute('tabindex', one === stop ? '0' : '-1')
  }
}

/**
 * The bar; what has the focus there keeps it.
 *
 * @param {TablePage} page
 */
export function drawBar(page) {
  /** @type {HTMLElement} */
  const focused = document.activeElement?.closest('[data-part="bar"] [data-do]')
  barOf(page)
  if (focused) page.bar.querySelector(`[data-do="${focused.dataset.do}"]:not(:disabled)`)?.focus()
}

/** @param {TablePage} page */
function barOf(page) {
  const { state } = page
  const frame = page.match?.frames[page.at]
  const names = page.scene?.names
  if (state.you === null && page.root.dataset.invitation) return places.invited(page.bar, state)
  if (frame && page.closing) {
    const deal = state.deals.find((one) => one.number === frame.deal)
    const scores = deal?.scores ?? frame.view.scores
    return places.over(page.bar, state, names, { isLast: false, scores })
  }
  if (!page.isBehind && state.chip.kind === 'finished')
    return places.over(page.bar, state, names, { isLast: true, scores: state.scores })
  if (state.you === null) return places.watching(page.bar, state)
  if (state.seats[state.you].left) return places.resting(page.bar)
  if (state.state === 'waiting') return places.waiting(page.bar, state)
  if (state.chip.kind === 'resting') return places.resting(page.bar)
  if (state.chip.kind === 'waiting') return places.left(page.bar, state)
  if (page.isBehind) return bar.others(page.bar)
  const { picks, weighed } = page.picking
  const { decision } = state
  if (!weighed || !decision?.moves.length)
    return bar.ahead(page.bar, state.chip, decision ?? { parts: [] }, decision ? picks : [])
  return bar.composing(page.bar, decision, weighed, picks, page)
}

/**
 * Everything that is not the felt or the bar.
 *
 * @param {TablePage} page
 */
export function drawAround(page) {
  const { state } = page
  page.root.dataset.n = String(state.n)
  const names = page.scene?.names
  const chip = page.find('chip')
  chip.className = `chip ${state.chip.kind}`
  chip.textContent = names ? names.shorten(state.chip.words) : state.chip.words
  const title = document.title.replace(/^▲ /, '')
  document.title = state.chip.kind === 'turn' ? `▲ ${title}` : title
  if (names) {
    side.drawScore(page.find('score'), state, names)
    side.drawSeats(page.find('seats'), state)
  }
  side.drawMoves(page.find('moves'), state.decision, page.told)
  page.find('trouble').textContent = state.trouble
  page.find('trouble').hidden = !state.trouble
  if (page.hint && page.hint.n !== state.n) page.find('hint').hidden = true
  for (const one of page.root.querySelectorAll('[data-do="hint"]'))
    one.toggleAttribute('hidden', state.you === null || state.chip.kind === 'finished')
}
