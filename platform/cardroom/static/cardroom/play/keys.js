// Keyboard control. Every key has a button, too.

import { tabStops } from './drawing.js'

/** Keys of the whole page, ignored while typing. */
const KEYS = {
  a: (page) => page.picking.takeAll(),
  h: (page) => page.askHint(),
  w: (page) => askWhyHere(page),
  t: (page) => focusOn(page, '[data-part="type"] input'),
  Escape: (page) => {
    page.ending.finish()
    page.closeMenu()
    page.picking.set([])
  },
}

function focusOn(page, selector) {
  page.openMenu()
  page.root.querySelector(selector)?.focus()
}

/** Ask why the focused thing cannot be picked. */
function askWhyHere(page) {
  const { path } = /** @type {HTMLElement} */ (document.activeElement).dataset
  if (!path || !page.picking.isTurn) return
  const part = page.state.decision.parts.find((one) => one.where.some((w) => w.join('.') === path))
  if (part) page.picking.askWhy(part, path)
}

const things = (box) => [...(box?.querySelectorAll('[data-path]:not(.idle)') ?? [])]

/** The next thing of the hand or of the table, in reading order. */
function walk(page, by) {
  const here = document.activeElement
  const hand = page.felt.querySelector('.hand')
  const isHand = hand?.contains(here)
  const all = isHand ? things(hand) : things(page.felt).filter((one) => !hand?.contains(one))
  const at = all.indexOf(here)
  if (at < 0) return false
  all[(at + by + all.length) % all.length].focus()
  tabStops(page.felt)
  return true
}

/** The card for a digit: 1 to 9, and 0 for the tenth. */
const cardOf = (key) => (/^\d$/.test(key) ? (Number(key) + 9) % 10 : null)

/** Space ends the counting of a deal or the animation of a move, unless a button has the focus. */
function endsWhatMoves(page, active) {
  const { ending, animator } = page
  if (!ending.isCounting && (!animator.isRunning || active.matches('[data-path], .btn, summary')))
    return false
  page.hurry()
  return true
}

function handle(page, event) {
  const { key } = event
  const active = /** @type {HTMLElement} */ (document.activeElement)
  if (key === 'ArrowRight' || key === 'ArrowDown') return walk(page, 1)
  if (key === 'ArrowLeft' || key === 'ArrowUp') return walk(page, -1)
  if (key === ' ' && endsWhatMoves(page, active)) return true
  if (key === ' ' && active.matches('[data-path]:not(button)')) {
    page.picking.takeAt(active.dataset.path)
    return true
  }
  if (key === 'Enter' && !active.matches('a, summary, input, .btn')) {
    if (page.closing) page.nextDeal()
    else if (page.ending.outcome) page.press('another', active)
    else page.play()
    return true
  }
  const nth = cardOf(key)
  if (nth !== null) {
    const card = things(page.felt.querySelector('.hand'))[nth]
    if (!card) return false
    page.picking.takeAt(card.dataset.path)
    card.focus()
    return true
  }
  const name = key.length === 1 ? key.toLowerCase() : key
  if (!Object.hasOwn(KEYS, name)) return false
  KEYS[name](page)
  return true
}

/** Whether to show the focus ring before anything is focused by key. */
const tellKeys = (page, isByKeys) => page.root.classList.toggle('by-keys', isByKeys)

export function wireKeys(page) {
  document.addEventListener('pointerdown', () => tellKeys(page, false))
  document.addEventListener('keydown', (event) => {
    tellKeys(page, true)
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = /** @type {HTMLElement} */ (event.target)
    if (target.closest('input, select, textarea') && event.key !== 'Escape') return
    if (handle(page, event)) event.preventDefault()
  })
}
