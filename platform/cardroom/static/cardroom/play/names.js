// Who is called what at a table, and the engine's sentences in these names: you, never the player.

const BASES = { has: 'have', is: 'are', goes: 'go', does: 'do', was: 'were' }
const SECOND = /( and | or |, then )(\w+s)\b/g

/** A verb of the third person as it goes with "you". */
function base(verb) {
  if (BASES[verb]) return BASES[verb]
  if (/(?:ss|sh|ch|x)es$/.test(verb)) return verb.slice(0, -2)
  return /[^s]s$/.test(verb) ? verb.slice(0, -1) : verb
}

const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** One sentence about `name`, told to them. */
function addressed(sentence, name) {
  const own = escaped(name)
  const told = sentence
    .replace(new RegExp(`(^|[:;] )${own} (\\w+)`), (_, before, verb) => {
      return `${before}${before && before[0] === ':' ? 'you' : 'You'} ${base(verb)}`
    })
    .replace(new RegExp(`\\b${own}'s`, 'g'), 'your')
  if (!/^You |[:;] [Yy]ou /.test(told))
    return told.replace(new RegExp(`(?<!-)\\b${own}\\b(?!-)`, 'g'), 'you')
  return told
    .replace(SECOND, (_, join, verb) => join + (VERBS.has(verb) ? base(verb) : verb))
    .replaceAll('their own', 'your own')
}

// Second verbs of the engine's sentences; other words that end in s are nouns.
const VERBS = new Set([
  'asks',
  'declares',
  'discards',
  'draws',
  'ends',
  'goes',
  'lays',
  'melds',
  'passes',
  'plays',
  'raises',
  'says',
  'shows',
  'steals',
  'takes',
  'tables',
  'turns',
  'wins',
  'moves',
  'keeps',
  'gives',
])

export class Names {
  /** @param {{ seats: any[], you: number|null }} state */
  constructor(state) {
    this.seats = state.seats
    this.you = state.you
    this.short = state.seats.map((seat) => shortOf(seat, state.seats.length))
  }

  /** The name in text: "you", "Magpie", "West". */
  of(seat) {
    return seat === this.you ? 'you' : this.short[seat]
  }

  /** The same at the beginning of a line. */
  capital(seat) {
    return seat === this.you ? 'You' : this.short[seat]
  }

  /** Names of several in one phrase, oneself first. */
  together(seats) {
    const names = seats.map((seat) => this.of(seat))
    const own = names.indexOf('you')
    if (own > 0) names.unshift(...names.splice(own, 1))
    return names.length < 2
      ? names.join('')
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  }

  /** A sentence of a frame, which says South and West. */
  tell(text) {
    const sentences = text.split(/(?<=\.) /)
    return sentences.map((one) => this.#one(one)).join(' ')
  }

  #one(sentence) {
    const places = [...this.seats].sort((a, b) => b.compass.length - a.compass.length)
    const pattern = new RegExp(
      `\\b(?:${places.map((seat) => seat.compass).join('|')})\\b(?!-)`,
      'g',
    )
    const own = this.you === null ? null : this.seats[this.you].compass
    const told = own ? addressed(sentence, own) : sentence
    return told.replace(pattern, (place) => {
      const seat = this.seats.find((one) => one.compass === place)
      return this.short[seat.index]
    })
  }

  /** A sentence of a decision, which has the full names. */
  shorten(text) {
    return this.seats.reduce(
      (told, seat) =>
        seat.name && this.short[seat.index] !== seat.name
          ? told.replaceAll(seat.name, this.short[seat.index])
          : told,
      text,
    )
  }
}

function shortOf(seat, total) {
  if (seat.kind === 'open' || !seat.name) return seat.compass
  if (seat.kind !== 'house' || total === 2) return seat.name
  return seat.compass
}
