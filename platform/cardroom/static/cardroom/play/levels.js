// The opponent scale on the page *Play*, and the list of other bots. No state.

import { h } from '../board/dom.js'
import { swap } from './swap.js'

const LOWEST = 500 // the lowest and highest rating in a bar, as RATING_RANGE in pages/matches/opponents.py
const HIGHEST = 2200

export const addressOf = (bot) => bot.replace('house:', 'house-')

/** A bot's rating in a format as [rating, half of its interval], or null. */
export const ratingOf = (choice, bot, format) =>
  choice.ratings[addressOf(bot)]?.[format.text] ?? null

const heightOf = (rating) =>
  Math.max(4, Math.min(96, Math.round((100 * (rating - LOWEST)) / (HIGHEST - LOWEST))))

const ratingNode = (rating) =>
  rating
    ? [`${rating[0].toLocaleString('en')} `, h('small', {}, `±${rating[1]}`)]
    : h('small', {}, 'not rated here')

/** Draw ratings, bars and tips for this format, and the chosen level (null: none). */
export function drawLevels(box, choice, game, format, chosen) {
  const isRated = game.levels.some((level) => ratingOf(choice, level.bot, format))
  box.classList.toggle('unrated', !isRated)
  for (const level of game.levels) {
    const label = box.querySelector(`[data-bot="${level.bot}"]`)
    const rating = ratingOf(choice, level.bot, format)
    const height = rating ? heightOf(rating[0]) : 0
    const bar = label.querySelector('rect')
    bar.setAttribute('height', String(height))
    bar.setAttribute('y', String(100 - height))
    swap(label.querySelector('.r'), ratingNode(rating))
    const tip = label.querySelector('.rec')
    tip.hidden = level.number !== game.coach.tip
    tip.textContent = tip.hidden ? '' : game.coach.words
    label.querySelector('input').checked = level.bot === chosen
  }
}

/** Describe the chosen level, and its strength relative to the next one. */
export function drawLevel(box, choice, game, format, chosen) {
  const level = game.levels.find(({ bot }) => bot === chosen)
  box.hidden = !level
  if (!level) return
  const next = game.levels[level.number]
  const rating = ratingOf(choice, level.bot, format)
  swap(
    box,
    h(
      'div',
      {},
      h('p', { class: 'eyebrow' }, `Level ${level.number} of ${game.levels.length}`),
      h('h2', {}, level.name),
      h('p', {}, [level.words, level.more].filter(Boolean).join(' ')),
      next
        ? h(
            'p',
            { class: 'small quiet' },
            'Win three of five deals, and the next level is offered.',
          )
        : null,
    ),
    h(
      'div',
      { class: 'small' },
      h(
        'p',
        {},
        rating
          ? `Rated ${rating[0].toLocaleString('en')} ±${rating[1]} in ${format.words}.`
          : `Not rated in ${format.words} yet.`,
      ),
      next && level.beaten
        ? h(
            'p',
            {},
            `${next.name}, one level up, beats it in ${level.beaten} of 10 deal groups of two-player ${game.title}.`,
          )
        : null,
    ),
  )
}

/** Draw the bots that are not on the scale, the strongest first; `bots`: {who, kind, name, by, words}. */
export function drawBots(list, count, choice, game, format, bots, chosen) {
  const value = (bot) => ratingOf(choice, bot.who, format)?.[0] ?? -Infinity
  const order = [...bots].sort((a, b) => value(b) - value(a))
  count.textContent = `${order.length} play ${game.title}`
  swap(
    list,
    order.map((bot) =>
      h(
        'tr',
        {},
        h(
          'th',
          { scope: 'row' },
          h('a', { class: 'bot', href: `/bots/${addressOf(bot.who)}/` }, bot.name),
          h('span', { class: 'by' }, ` ${bot.by}`),
        ),
        h('td', { class: 'small' }, bot.words),
        h('td', { class: 'n' }, ratingNode(ratingOf(choice, bot.who, format))),
        h(
          'td',
          { class: 'n' },
          h(
            'button',
            {
              class: 'btn',
              type: 'button',
              'data-choose-bot': bot.who,
              'data-kind': bot.kind,
              'aria-pressed': String(bot.who === chosen),
            },
            bot.who === chosen ? 'Chosen' : 'Choose',
          ),
        ),
      ),
    ),
  )
}

/** Home and End on the scale; the browser handles the arrows. */
export function wireScale(box) {
  box.addEventListener('keydown', (event) => {
    if (event.key !== 'Home' && event.key !== 'End') return
    const radios = [...box.querySelectorAll('input')]
    const radio = event.key === 'Home' ? radios[0] : radios.at(-1)
    event.preventDefault()
    radio.focus()
    radio.click()
  })
}
