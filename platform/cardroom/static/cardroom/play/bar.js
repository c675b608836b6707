// The bar under the felt while a person composes a move: the move as text, possible additions, the buttons.
// notices.js draws its other contents: waiting, an invitation, a result.

import { h } from '../board/dom.js'
import { compose } from './composer.js'
import { colourSuits } from './suits.js'
import { swap } from './swap.js'

const BUTTON_KINDS = new Set(['table', 'new', 'red3', 'pile', 'stock', 'choice'])
const WITH_TO = new Set(['table', 'pile'])
const MAX_NAMED = 5

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

/** Fill the bar: steps, a sentence, a second line, choices, buttons. */
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

function stepList(decision) {
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
function listParts(parts) {
  const words = parts.slice(0, MAX_NAMED).map((part) => part.words)
  const rest = parts.length - words.length
  return `${words.join(', ')}${rest ? ` and ${rest} more` : ''}`
}

function promptText(decision, composition) {
  if (decision.prompt) return colourSuits(decision.prompt)
  const kinds = new Set([...composition.lit].map((at) => decision.parts[at].kind))
  const step = decision.steps.find((one) => one.state === 'now')
  if (step) return `${capital(step.words)}.`
  if (kinds.has('hand')) return 'Pick a card from your hand.'
  return 'Pick a highlighted card or place.'
}

/** The picked parts, while they do not make a move yet. */
function unfinishedText(decision, picks) {
  const words = picks.map((pick) => decision.parts.find((part) => part.key === pick.key).words)
  return [h('b', {}, colourSuits(capital(words.join(', ')))), ': now pick the rest.']
}

/**
 * Buttons for the places and choices that complete the picked parts into a move. A labelled button plays the
 * move; if the move has a warning or no label, the button only picks.
 */
function choicesOf(decision, composition, picks, verb, withNames) {
  const completes = (part) => compose(decision, [...picks, { key: part.key, path: null }]).offered
  return [...composition.lit]
    .map((at) => decision.parts[at])
    .filter((part) => BUTTON_KINDS.has(part.kind) && completes(part))
    .map((part) => {
      const { label, warning } = completes(part)
      if (label && !verb)
        return button(warning ? 'pick' : 'do', colourSuits(withNames(label)), {
          'data-key': part.key,
        })
      const isFirst = composition.left.some(
        (offer) => decision.parts[offer.parts[0]].key === part.key,
      )
      const words = WITH_TO.has(part.kind) && !isFirst ? `to ${part.words}` : part.words
      return button('pick', colourSuits(capital(words)), { 'data-key': part.key })
    })
}

/** The label of the button that picks the largest move: "Take all 4". */
function allLabel(decision, largest) {
  const count = (kind) => largest.parts.filter((at) => decision.parts[at].kind === kind).length
  const number = count('item') || count('pak') || count('hand')
  const [verb] = (largest.label || 'Take').split(' ')
  return number > 1 ? `${verb} all ${number}` : `${verb} all`
}

/** The consequence of the offered move, or the move itself if the button does not show it. */
const offerText = ({ label, leads, sentence }, verb) => (label && leads && !verb ? leads : sentence)

/**
 * The bar while a person composes a move.
 *
 * @param {HTMLElement} bar
 * @param {import('./composer.js').Decision} decision
 * @param {import('./composer.js').Composition} composition
 * @param {import('./composer.js').Pick[]} picks
 * @param {{ withNames: (text: string) => string, verb: string }} page `verb`: the button's label; empty:
 * the button names the move and plays it
 */
export function composing(bar, decision, composition, picks, { withNames, verb }) {
  const { offered, largest } = composition
  const more = composition.extra
    .map((at) => decision.parts[at])
    .filter((part) => !BUTTON_KINDS.has(part.kind))
  const sub = offered?.warning
    ? h('strong', { class: 'warn' }, colourSuits(withNames(offered.warning)))
    : more.length
      ? colourSuits(`You can add ${listParts(more)}.`)
      : null
  const choices = choicesOf(decision, composition, picks, verb, withNames)
  fill(bar, {
    steps: stepList(decision),
    say: offered
      ? colourSuits(withNames(offerText(offered, verb)))
      : picks.length
        ? unfinishedText(decision, picks)
        : promptText(decision, composition),
    sub,
    buttons: [
      offered || !choices.length
        ? button('play', verb || colourSuits(withNames(offered?.label || 'Play')), {
            main: true,
            key: '↵',
            disabled: !offered,
          })
        : null,
      choices,
      largest ? button('all', allLabel(decision, largest), { key: 'A' }) : null,
      picks.length ? button('again', 'Start again', { key: 'Esc' }) : null,
    ]
      .flat()
      .filter(Boolean),
  })
}

/** The bar while other players' moves are animated. */
export const others = (bar) =>
  fill(bar, { say: 'The other players are moving.', sub: 'Tap the table to skip ahead.' })

/** The bar during another seat's turn, with the parts picked in advance. */
export function ahead(bar, chip, decision, picks) {
  const words = picks.map((pick) => decision.parts.find((part) => part.key === pick.key).words)
  fill(bar, {
    say: `${capital(chip.words)}.`,
    sub: words.length
      ? [colourSuits(capital(words.join(', '))), ' stays picked for your turn.']
      : 'You can already pick your next move.',
    buttons: words.length ? [button('again', 'Put back', { key: 'Esc' })] : [],
  })
}
