// Draws the state and the picks: rings on the felt, the bar, the parts around them.

import * as bar from './bar.js'
import { drawBeside } from './beside.js'
import { partsAt, pickedPaths, picksOf } from './composer.js'
import { drawGoal } from './goal.js'
import * as notices from './notices.js'
import * as side from './side.js'

/** @typedef {import('./main.js').TablePage} TablePage */

/**
 * Mark picked parts and parts that can be picked next, and dim the others.
 *
 * @param {TablePage} page
 */
export function drawRings(page) {
  const { decision } = page.state
  const { picks, isTurn } = page.picking
  const composition = page.isBehind ? null : page.picking.composition
  const isMeanwhile = page.picking.mayPickMeanwhile
  const picked = composition
    ? pickedPaths(decision, composition, picks)
    : new Set(isMeanwhile ? picks.map((pick) => pick.path) : [])
  const hinted = new Set(
    page.hintedMove ? picksOf(decision, page.hintedMove).map((pick) => pick.path) : [],
  )
  for (const thing of page.felt.querySelectorAll('[data-path]')) {
    const { path } = /** @type {HTMLElement} */ (thing).dataset
    const here = composition || isMeanwhile ? partsAt(decision, path) : []
    const isPicked = picked.has(path)
    const isLit = !isPicked && here.some((part) => composition?.lit.has(part))
    const mayDim = here.length && picks.length && isTurn
    const isDim = Boolean(mayDim && !isLit && !isPicked)
    thing.classList.toggle('picked', isPicked)
    thing.classList.toggle('lit', isLit && isTurn)
    thing.classList.toggle('dim', isDim)
    thing.classList.toggle('hinted', hinted.has(path) && !isPicked)
    thing.classList.toggle('idle', !here.length)
    thing.setAttribute('aria-pressed', String(isPicked))
    const isAhead = (isMeanwhile || !decision?.moves.length) && hasHand(decision, here)
    thing.setAttribute('aria-disabled', String(!isLit && !isPicked && !isAhead))
  }
  tabStops(page.felt)
}

/** Whether one of the parts is a card of the hand. */
const hasHand = (decision, parts) => parts.some((part) => decision.parts[part].kind === 'hand')

/**
 * Give the hand and the table one tab stop each; arrow keys move within them.
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
 * Draw the bar, and keep the focus on its focused button.
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
  if (state.isGone) return notices.deleted(page.bar)
  if (state.you === null && page.root.dataset.invitation) return notices.invited(page.bar, state)
  if (page.ending.outcome) return notices.over(page.bar, state, page.ending)
  if (!page.isBehind && state.chip.kind === 'finished') return notices.deserted(page.bar, state)
  if (state.you === null) return notices.watching(page.bar, state)
  if (state.seats[state.you].left) return notices.gone(page.bar)
  if (state.state === 'waiting') return notices.waiting(page.bar, state)
  if (state.chip.kind === 'resting') return notices.resting(page.bar)
  if (state.seats[state.turn]?.left) return notices.left(page.bar, state)
  const { picks, composition } = page.picking
  const { decision } = state
  if (page.picking.mayPickMeanwhile) return bar.ahead(page.bar, chipOf(page), decision, picks)
  if (page.isBehind) return bar.others(page.bar)
  if (!composition || !decision?.moves.length)
    return bar.ahead(page.bar, state.chip, decision ?? { parts: [] }, decision ? picks : [])
  return bar.composing(page.bar, decision, composition, picks, page)
}

/** The table's status; during an animation, the seat that moves. */
function chipOf({ state, match, at, isBehind, closing, scene }) {
  if (state.isGone) return state.chip
  const following = isBehind && !closing ? match.frames[at + 1] : null
  if (!following || following.seat === null || following.seat === state.you) return state.chip
  return { kind: 'thinking', words: `${scene.names.capital(following.seat)} plays` }
}

/**
 * Draw everything except the felt and the bar.
 *
 * @param {TablePage} page
 */
export function drawAround(page) {
  drawGoal(page)
  const { state } = page
  page.root.dataset.n = String(state.n)
  const names = page.scene?.names
  const chip = page.find('chip')
  const { kind, words } = chipOf(page)
  chip.className = `chip ${kind}`
  chip.textContent = names ? names.shorten(words) : words
  const title = document.title.replace(/^▲ /, '')
  document.title = state.chip.kind === 'turn' ? `▲ ${title}` : title
  if (names) {
    // Counts change when the cards arrive.
    if (!page.isBehind || page.ending.outcome)
      side.drawScore(page.find('score'), state, names, page.ending.outcome)
    const beside = page.find('beside') // missing on the page of a position
    if (beside) drawBeside(beside, state, page.ending.outcome, names)
    side.drawSeats(page.find('seats'), state)
  }
  side.drawMoves(page.find('moves'), page.isBehind ? null : state.decision, page.withNames)
  page.find('trouble').textContent = state.trouble
  page.find('trouble').hidden = !state.trouble
  page.find('type').hidden = Boolean(state.result)
  if (page.hint && page.hint.n !== state.n) page.find('hint').hidden = true
  for (const one of page.root.querySelectorAll('[data-do="hint"]'))
    one.toggleAttribute('hidden', state.you === null || state.chip.kind === 'finished')
}
