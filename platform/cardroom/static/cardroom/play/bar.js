// The bar under the felt: the move as text before it is played, possible additions, the buttons. places.js
// draws its other contents: waiting, an invitation, a result.

import { h } from '../board/dom.js'
import { weigh } from './composer.js'
import { signs } from './signs.js'
import { swap } from './swap.js'

const PLACES = new Set(['table', 'new', 'red3', 'pile', 'stock', 'choice'])
const TO = new Set(['table', 'pile'])
const MOST_NAMED = 5

const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1)

/**
 * A button of the bar; `key`: its key on the keyboard.
 *
 * @param {string} action
 * @param {any} words
 * @param {Record<string, any>} [more] attributes, and `main`, `key`
 */
export const button = (action, words, { main = false, key = '', ...more } = {}) =>
  h(
    'button',
    { class: `btn t44${main ? ' main' : ''}`, type: 'button', 'data-do': action, ...more },
    h('span', {}, words),
    key ? h('kbd', { 'aria-hidden': 'true' }, key) : null,
  )

/** Fill the bar: steps, the sentence, a second line, choices, buttons. */
export function fill(bar, { steps = null, say, sub = null, choices = [], buttons = [] }) {
  const parts = [
    steps,
    h('p', { class: 'say' }, say),
    sub ? h('p', { class: 'sub' }, sub) : null,
    choices.length ? h('div', { class: 'choices' }, choices) : null,
    buttons.length ? h('div', { class: 'acts' }, buttons) : null,
  ]
  swap(bar, parts)
}

/** The steps of the turn, if it has several. */
function stepper(decision) {
  if (!decision.steps.length) return null
  const words = { done: 'done', now: 'now', next: 'then' }
  return h(
    'ol',
    { class: 'stepper', 'aria-label': 'Steps of this turn' },
    decision.steps.map((step) =>
      h(
        'li',
        { class: step.state, 'aria-current': step.state === 'now' ? 'step' : null },
        step.state === 'done' ? '✓ ' : '',
        step.words,
        h('span', { class: 'vh' }, `, ${words[step.state]}`),
      ),
    ),
  )
}

/** "5♦, 4♠ and 2 more" */
function named(parts) {
  const words = parts.slice(0, MOST_NAMED).map((part) => part.words)
  const rest = parts.length - words.length
  return `${words.join(', ')}${rest ? ` and ${rest} more` : ''}`
}

function prompt(decision, weighed) {
  if (decision.prompt) return signs(decision.prompt)
  const kinds = new Set([...weighed.lit].map((at) => decision.parts[at].kind))
  const step = decision.steps.find((one) => one.state === 'now')
  if (step) return `${capital(step.words)}.`
  if (kinds.has('hand')) return 'Pick a card from your hand.'
  return 'Pick a lit card or place.'
}

/** The picked parts, before they make a move. */
function unfinished(decision, picks) {
  const words = picks.map((pick) => decision.parts.find((part) => part.key === pick.key).words)
  return [h('b', {}, signs(capital(words.join(', ')))), ': now pick the rest.']
}

/**
 * Places and choices that complete the picked parts to a move. A labelled button plays the move; if the move
 * has something to read first, or no label, the button only picks.
 */
function choicesOf(decision, weighed, picks, verb, told) {
  const completes = (part) => weigh(decision, [...picks, { key: part.key, path: null }]).offered
  return [...weighed.lit]
    .map((at) => decision.parts[at])
    .filter((part) => PLACES.has(part.kind) && completes(part))
    .map((part) => {
      const { label, warning } = completes(part)
      if (label && !verb)
        return button(warning ? 'pick' : 'do', signs(told(label)), { 'data-key': part.key })
      const began = weighed.left.some((offer) => decision.parts[offer.parts[0]].key === part.key)
      const words = TO.has(part.kind) && !began ? `to ${part.words}` : part.words
      return button('pick', signs(capital(words)), { 'data-key': part.key })
    })
}

/** The number of things in the largest move, for its button. */
function allOf(decision, largest) {
  const count = (kind) => largest.parts.filter((at) => decision.parts[at].kind === kind).length
  const number = count('item') || count('pak') || count('hand')
  const [verb] = (largest.label || 'Take').split(' ')
  return number > 1 ? `${verb} all ${number}` : `${verb} all`
}

/** The consequence of the offered move, or the move itself if the button does not show it. */
const saidOf = ({ label, leads, sentence }, verb) => (label && leads && !verb ? leads : sentence)

/**
 * The bar while a person composes.
 *
 * @param {HTMLElement} bar
 * @param {import('./composer.js').Decision} decision
 * @param {import('./composer.js').Weighed} weighed
 * @param {import('./composer.js').Pick[]} picks
 * @param {{ told: (text: string) => string, verb: string }} page `verb`: the button's label; empty:
 * the button names the move and plays it
 */
export function composing(bar, decision, weighed, picks, { told, verb }) {
  const { offered, largest } = weighed
  const more = weighed.extra
    .map((at) => decision.parts[at])
    .filter((part) => !PLACES.has(part.kind))
  const sub = offered?.warning
    ? h('strong', { class: 'warn' }, signs(told(offered.warning)))
    : more.length
      ? signs(`You can add ${named(more)}.`)
      : null
  const choices = choicesOf(decision, weighed, picks, verb, told)
  fill(bar, {
    steps: stepper(decision),
    say: offered
      ? signs(told(saidOf(offered, verb)))
      : picks.length
        ? unfinished(decision, picks)
        : prompt(decision, weighed),
    sub,
    buttons: [
      offered || !choices.length
        ? button('play', verb || signs(told(offered?.label || 'Play')), {
            main: true,
            key: '↵',
            disabled: !offered,
          })
        : null,
      choices,
      largest ? button('all', allOf(decision, largest), { key: 'A' }) : null,
      picks.length ? button('again', 'Start again', { key: 'Esc' }) : null,
    ]
      .flat()
      .filter(Boolean),
  })
}

/** The bar while moves of others are animated. */
export const others = (bar) =>
  fill(bar, { say: 'Other players move.', sub: 'Tap the table to skip ahead.' })

/** The bar in another seat's turn: the parts picked in advance. */
export function ahead(bar, chip, decision, picks) {
  const words = picks.map((pick) => decision.parts.find((part) => part.key === pick.key).words)
  fill(bar, {
    say: `${capital(chip.words)}.`,
    sub: words.length
      ? [signs(capital(words.join(', '))), ' stays picked for your turn.']
      : 'You can already pick your next move.',
    buttons: words.length ? [button('again', 'Put back', { key: 'Esc' })] : [],
  })
}
