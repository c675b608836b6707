// The page *Play*: game, table form and players. The form works without this script, which makes every choice
// changeable. The form sends the format, and the player of each other seat.

import { h, s } from '../board/dom.js'
import { places } from '../board/words.js'
import { COMPASS, describe, sidesOf } from './forms.js'
import { drawBots, drawLevel, drawLevels, wireScale } from './levels.js'

const read = (id) => JSON.parse(document.getElementById(id).textContent)

class ChoosePage {
  constructor(form) {
    this.form = form
    this.choice = read('choice')
    this.find = (name) => form.querySelector(`[data-part="${name}"]`)
    this.seats = [] // by seat: { kind: house|bot|friend, who }
    this.isShort = true
    this.start()
    form.addEventListener('change', (event) => this.change(event.target))
    form.addEventListener('click', (event) => this.click(event.target))
    wireScale(this.find('levels'))
    form.querySelector('[data-do="friend"]').hidden = false
  }

  /** Begin with the values of the refused form or of the address (`?game=`), else with the first two-player game. */
  start() {
    const sent = read('sent')
    const query = new URLSearchParams(location.search)
    const text = (sent.format ?? query.get('format') ?? '').split('?')[0]
    const game = text.split('/')[0] || query.get('game')
    this.game = this.choice.games.find((one) => one.name === game) ?? this.choice.games[0]
    this.format = this.game.formats.find((one) => one.text === text) ?? this.game.formats[0]
    if (sent.format) this.isShort = sent.format.includes('deals=1')
    for (const radio of this.form.querySelectorAll('[data-game]')) {
      radio.name = 'game'
      radio.checked = radio.dataset.game === this.game.name
    }
    const requested = sent.format ? (seat) => sent[`seat-${seat}`] : () => query.get('bot')
    for (let seat = 1; seat < this.format.seats; seat += 1)
      this.seats[seat] = this.seatOf(requested(seat))
    this.draw()
    const tile = this.form.querySelector('.tile:has(:checked)')
    const row = tile.parentElement
    row.scrollLeft = tile.offsetLeft - (row.clientWidth - tile.offsetWidth) / 2
  }

  seatOf(player) {
    if (player === 'friend') return { kind: 'friend' }
    if (player && this.bots().some((bot) => bot.slug === player))
      return { kind: 'bot', who: player }
    return { kind: 'house', who: this.houseBot(player) ? player : this.level() }
  }

  /** The recommended level for this game. */
  level() {
    return (this.game.levels[this.game.coach.level - 1] ?? this.game.levels[0]).bot
  }

  /** A house bot that plays this format: a level, or another bot. */
  houseBot(bot) {
    return [...this.game.levels, ...this.format.house].find((one) => one.bot === bot)
  }

  /** The bot in all seats except friends'; null if there are several. */
  get chosen() {
    const others = this.seats.slice(1, this.format.seats).filter((seat) => seat.kind !== 'friend')
    const who = new Set(others.map((seat) => seat.who))
    return who.size === 1 ? others[0].who : null
  }

  /** Seat one opponent everywhere except in friends' seats. */
  chooseAll(kind, who) {
    for (let seat = 1; seat < this.format.seats; seat += 1)
      if (this.seats[seat]?.kind !== 'friend' || this.format.seats === 2)
        this.seats[seat] = { kind, who }
  }

  click(target) {
    const bot = target.closest('[data-choose-bot]')
    if (bot) this.chooseAll(bot.dataset.kind, bot.dataset.chooseBot)
    else if (target.closest('[data-do="friend"]')) this.seats[1] = { kind: 'friend', who: '' }
    else return
    this.draw(bot)
  }

  /** Users' bots that play this format. */
  bots() {
    const { text } = this.format
    const fits = (pattern) => {
      const parts = pattern.split('?')[0].split('/')
      return text.split('/').every((part, i) => (parts[i] ?? '*') === '*' || parts[i] === part)
    }
    return this.choice.bots.filter((bot) => bot.formats.some(fits))
  }

  change(field) {
    if (field.dataset.game) this.chooseGame(field.dataset.game)
    else if (field.name === 'form') this.chooseFormat(field.value)
    else if (field === this.find('variant')) this.chooseVariant(field.value)
    else if (field.name === 'length') this.isShort = field.value === 'short'
    else if (field.name === 'level') this.chooseAll('house', field.value)
    else if (field.dataset.seat) this.chooseSeat(Number(field.dataset.seat), field)
    else return
    this.draw(field)
  }

  chooseGame(name) {
    this.game = this.choice.games.find((game) => game.name === name)
    const seats = this.format.seats
    this.format = this.game.formats.find((one) => one.seats === seats) ?? this.game.formats[0]
    this.seats = this.seats.map((seat) => (seat?.kind === 'house' ? this.seatOf('') : seat))
    this.fillSeats()
  }

  chooseFormat(text) {
    this.format = this.game.formats.find((one) => one.text === text)
    this.fillSeats()
  }

  chooseVariant(variant) {
    const form = this.format.text.split('/')[2]
    const own = this.game.formats.filter((one) => one.text.split('/')[1] === variant)
    this.format = own.find((one) => one.text.endsWith(`/${form}`)) ?? own[0]
    this.fillSeats()
  }

  /** Give every other seat a player that plays this format. */
  fillSeats() {
    const bots = this.bots().map((bot) => bot.slug)
    const usual = this.chosen
    for (let seat = 1; seat < this.format.seats; seat += 1) {
      const player = this.seats[seat]
      if (
        !player ||
        (player.kind === 'bot' && !bots.includes(player.who)) ||
        (player.kind === 'house' && !this.houseBot(player.who))
      )
        this.seats[seat] = this.seatOf(usual)
    }
  }

  chooseSeat(seat, field) {
    if (field.dataset.what === 'kind') {
      const first = { house: this.level(), bot: this.bots()[0]?.slug, friend: '' }
      this.seats[seat] = { kind: field.value, who: first[field.value] }
    } else this.seats[seat] = { ...this.seats[seat], who: field.value }
  }

  // --- drawing ------------------------------------------------------------------------------------

  draw(field = null) {
    const focus = field?.id
    this.find('about').replaceChildren(
      this.game.summary,
      ' ',
      h('a', { href: `/games/${this.game.name}/` }, `${this.game.title} in two minutes`),
    )
    this.drawOpponents()
    this.drawForms()
    this.drawSeats()
    this.drawSummary()
    if (focus) document.getElementById(focus)?.focus()
  }

  drawOpponents() {
    const { choice, game, format, chosen } = this
    drawLevels(this.find('levels'), choice, game, format, chosen)
    drawLevel(this.find('level'), choice, game, format, chosen)
    const house = format.house.map((one) => ({
      who: one.bot,
      kind: 'house',
      name: one.name,
      by: 'house bot',
      words: one.words,
    }))
    const others = this.bots().map((one) => ({
      who: one.slug,
      kind: 'bot',
      name: one.name,
      by: `v${one.version}, by ${one.owner}`,
      words: one.words,
    }))
    const [list, count] = [this.find('named-list'), this.find('named-count')]
    drawBots(list, count, choice, game, format, [...house, ...others], chosen)
  }

  drawForms() {
    const variant = this.format.text.split('/')[1]
    const variants = [...new Set(this.game.formats.map((one) => one.text.split('/')[1]))]
    const forms = this.game.formats.filter((one) => one.text.split('/')[1] === variant)
    this.find('form-list').replaceChildren(...forms.map((one) => this.formNode(one)))
    this.find('length').hidden = !this.format.short
    this.find('length').replaceChildren(
      h('span', { class: 'quiet' }, 'Length'),
      radioGroup(
        'length',
        [
          ['short', 'One deal'],
          ['long', 'The whole match'],
        ],
        this.isShort ? 'short' : 'long',
      ),
    )
    this.find('variants').hidden = variants.length < 2
    this.find('variant').replaceChildren(
      ...variants.map((one) =>
        h('option', { value: one, selected: one === variant }, one.replaceAll('-', ' ')),
      ),
    )
  }

  formNode(format) {
    const { title, words } = describe(format)
    return h(
      'label',
      { class: 'opt3' },
      h('input', {
        type: 'radio',
        name: 'form',
        value: format.text,
        id: `form-${format.text}`,
        checked: format === this.format,
      }),
      picture(format),
      h('span', {}, h('b', {}, title), h('span', { class: 'quiet' }, words)),
    )
  }

  drawSeats() {
    const total = this.format.seats
    const grid = this.find('seat-list')
    grid.className = `seatgrid n${total}`
    const where = places(total)
    grid.replaceChildren(
      ...where.map((place, seat) => (seat ? this.seatNode(seat, place) : this.ownNode())),
    )
  }

  ownNode() {
    return h('div', { class: 'sc s me' }, h('p', { class: 'who' }, h('b', {}, 'You'), ' South'))
  }

  seatNode(seat, place) {
    const { kind } = this.seats[seat]
    const side = sidesOf(this.format)
    const relation = side ? (side(seat) === side(0) ? 'with you' : 'against you') : 'against you'
    const kinds = [
      ['house', 'House'],
      ['bot', 'A bot'],
      ['friend', 'A friend'],
    ]
    const open = kinds.filter(([name]) => name !== 'bot' || this.bots().length)
    return h(
      'div',
      { class: `sc ${place}` },
      h('p', { class: 'who' }, h('b', {}, COMPASS[place]), ` ${relation}`),
      radioGroup(
        `kind-${seat}`,
        open,
        kind,
        { seat, what: 'kind' },
        `Who sits in the ${COMPASS[place]}`,
      ),
      kind === 'house' ? this.levels(seat) : null,
      kind === 'bot' ? this.botList(seat) : null,
      kind === 'friend'
        ? h('p', { class: 'small quiet' }, 'At the table you get a link to send.')
        : null,
      h('input', {
        type: 'hidden',
        name: `seat-${seat}`,
        value: kind === 'friend' ? 'friend' : this.seats[seat].who,
      }),
    )
  }

  levels(seat) {
    const { who } = this.seats[seat]
    const scale = this.game.levels.map((one) => [one.bot, `${one.number} ${one.name}`])
    const others = this.format.house.map((one) => [one.bot, one.name])
    return [
      this.list(seat, `level-${seat}`, [...scale, ...others], 'How strong'),
      h('p', { class: 'small quiet' }, this.houseBot(who).words),
    ]
  }

  botList(seat) {
    const botText = (bot) => `${bot.name} v${bot.version}, by ${bot.owner}`
    const bots = this.bots().map((bot) => [bot.slug, botText(bot)])
    return this.list(seat, `bot-${seat}`, bots, 'Which bot')
  }

  /** A select of the players for a seat. */
  list(seat, id, choices, label) {
    const { who } = this.seats[seat]
    return h(
      'select',
      {
        class: 'sel t44',
        'data-seat': seat,
        'data-what': 'who',
        id,
        'aria-label': label,
      },
      choices.map(([value, words]) => h('option', { value, selected: value === who }, words)),
    )
  }

  drawSummary() {
    const { title, words } = describe(this.format)
    const isShort = this.isShort && this.format.short
    const others = this.seats.slice(1, this.format.seats).map((seat) => this.nameOf(seat))
    const against = [...new Set(others)].join(', ')
    const facts = [
      ['Game', `${this.game.title}, ${title.toLowerCase()}`],
      ['Length', isShort ? 'one deal' : 'the whole match'],
      [others.length > 1 ? 'With' : 'Against', against],
      ['Rated', 'no'],
    ]
    this.find('sum').replaceChildren(
      ...facts.flatMap(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]),
    )
    this.find('sum').append(
      h('input', {
        type: 'hidden',
        name: 'format',
        value: isShort ? this.format.short : this.format.text,
      }),
    )
    this.find('short').replaceChildren(h('b', {}, `${this.game.title}, ${words}`), h('br'), against)
  }

  nameOf({ kind, who }) {
    if (kind === 'friend') return 'a friend, by link'
    if (kind === 'bot') return this.choice.bots.find((bot) => bot.slug === who)?.name ?? who
    const bot = this.houseBot(who)
    return bot.number ? `${bot.name}, level ${bot.number}` : bot.name
  }
}

/** Radio buttons that look like one control. */
function radioGroup(name, choices, chosen, data = null, label = '') {
  const more = data ? { 'data-seat': data.seat, 'data-what': data.what } : {}
  return h(
    'div',
    { class: 'seg4', role: 'radiogroup', 'aria-label': label || null },
    choices.map(([value, words]) =>
      h(
        'label',
        {},
        h('input', {
          type: 'radio',
          name,
          value,
          id: `${name}-${value}`,
          checked: value === chosen,
          ...more,
        }),
        h('span', {}, words),
      ),
    ),
  )
}

const DOTS = {
  s: [22, 37],
  n: [22, 7],
  w: [7, 22],
  e: [37, 22],
  sw: [11, 33],
  nw: [11, 11],
  ne: [33, 11],
  se: [33, 33],
}

/** A round table with a dot for each seat: the viewer's, the partners', the opponents'. */
function picture(format) {
  const side = sidesOf(format)
  return s(
    'svg',
    { viewBox: '0 0 44 44', 'aria-hidden': 'true' },
    s('circle', { class: 'tb', cx: 22, cy: 22, r: 20 }),
    places(format.seats).map((place, seat) => {
      const [cx, cy] = DOTS[place]
      const kind = seat === 0 ? 'you' : side && side(seat) === side(0) ? 's0' : 's1'
      return s('circle', { class: kind, cx, cy, r: 3.5 })
    }),
  )
}

/** @type {HTMLFormElement|null} */
const form = document.querySelector('[data-choose]')
if (form) new ChoosePage(form)
