// Keyboard control. Every key has a button as well.

import { tabStops } from './drawing.js'

/** Keys of the whole page, ignored while typing. */
const KEYS = {
  a: (page) => page.picking.pickAll(),
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

/** Ask why the focused part cannot be picked. */
function askWhyHere(page) {
  const { path } = /** @type {HTMLElement} */ (document.activeElement).dataset
  if (!path || !page.picking.isTurn) return
  const part = page.state.decision.parts.find((one) => one.where.some((w) => w.join('.') === path))
  if (part) page.picking.askWhy(part, path)
}

const pickable = (element) => [...(element?.querySelectorAll('[data-path]:not(.idle)') ?? [])]

/** Focus the next part of the hand or of the table, in reading order. */
function moveFocus(page, by) {
  const focused = document.activeElement
  const hand = page.felt.querySelector('.hand')
  const isHand = hand?.contains(focused)
  const elements = isHand
    ? pickable(hand)
    : pickable(page.felt).filter((one) => !hand?.contains(one))
  const at = elements.indexOf(focused)
  if (at < 0) return false
  elements[(at + by + elements.length) % elements.length].focus()
  tabStops(page.felt)
  return true
}

/** The index of a digit's card: 1 to 9, and 0 for the tenth card. */
const cardOf = (key) => (/^\d$/.test(key) ? (Number(key) + 9) % 10 : null)

/** End the counting of a deal, or the animation of a move unless a button has the focus. */
function skipAnimation(page, active) {
  const { ending, animator } = page
  if (!ending.isCounting && (!animator.isRunning || active.matches('[data-path], .btn, summary')))
    return false
  page.hurry()
  return true
}

function handle(page, event) {
  const { key } = event
  const active = /** @type {HTMLElement} */ (document.activeElement)
  // A held key neither plays nor presses a button again.
  if (event.repeat && !key.startsWith('Arrow')) return key === 'Enter' || key === ' '
  if (key === 'ArrowRight' || key === 'ArrowDown') return moveFocus(page, 1)
  if (key === 'ArrowLeft' || key === 'ArrowUp') return moveFocus(page, -1)
  if (key === ' ' && skipAnimation(page, active)) return true
  if (key === ' ' && active.matches('[data-path]:not(button)')) {
    page.picking.pickAt(active.dataset.path)
    return true
  }
  if (key === 'Enter' && !active.matches('a, summary, input, .btn')) {
    if (page.closing) page.nextDeal()
    else if (page.ending.outcome) page.bar.querySelector('[data-do="another"]')?.click()
    else page.play()
    return true
  }
  const index = cardOf(key)
  if (index !== null) {
    const card = pickable(page.felt.querySelector('.hand'))[index]
    if (!card) return false
    page.picking.pickAt(card.dataset.path)
    card.focus()
    return true
  }
  const name = key.length === 1 ? key.toLowerCase() : key
  if (!Object.hasOwn(KEYS, name)) return false
  KEYS[name](page)
  return true
}

/** Whether the keyboard was used last, so that focus rings are shown. */
const markKeyboardUse = (page, isByKeys) => page.root.classList.toggle('by-keys', isByKeys)

export function wireKeys(page) {
  document.addEventListener('pointerdown', () => markKeyboardUse(page, false))
  document.addEventListener('keydown', (event) => {
    markKeyboardUse(page, true)
    if (event.ctrlKey || event.metaKey || event.altKey) return
    const target = /** @type {HTMLElement} */ (event.target)
    if (target.closest('input, select, textarea') && event.key !== 'Escape') return
    if (handle(page, event)) event.preventDefault()
  })
}
