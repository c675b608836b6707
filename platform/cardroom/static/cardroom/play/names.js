// Names of the players at a table, also within the engine's sentences.

export class Names {
  /** @param {{ seats: any[], you: number|null }} state */
  constructor(state) {
    this.seats = state.seats
    this.you = state.you
    this.short = state.seats.map((seat) => shortOf(seat, state.seats.length))
  }

  /** A seat's name in a sentence: "you", "Magpie", "West". */
  of(seat) {
    return seat === this.you ? 'you' : this.short[seat]
  }

  /** The name at the beginning of a sentence. */
  capital(seat) {
    return seat === this.you ? 'You' : this.short[seat]
  }

  /** The names of several seats in one phrase, "you" first. */
  ofSeats(seats) {
    const names = seats.map((seat) => this.of(seat))
    const own = names.indexOf('you')
    if (own > 0) names.unshift(...names.splice(own, 1))
    return names.length < 2
      ? names.join('')
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  }

  /** Replace places by names in a sentence of a frame, which calls the viewer "you" already. */
  replacePlaces(text) {
    const places = [...this.seats].sort((a, b) => b.compass.length - a.compass.length)
    const pattern = new RegExp(
      `\\b(?:${places.map((seat) => seat.compass).join('|')})\\b(?!-)`,
      'g',
    )
    return text.replace(pattern, (place) => {
      const seat = this.seats.find(({ compass }) => compass === place)
      return this.short[seat.index]
    })
  }

  /** Replace full names by short names in a sentence of a decision. */
  shorten(text) {
    return this.seats.reduce(
      (result, seat) =>
        seat.name && this.short[seat.index] !== seat.name
          ? result.replaceAll(seat.name, this.short[seat.index])
          : result,
      text,
    )
  }
}

function shortOf(seat, total) {
  if (seat.kind === 'open' || !seat.name) return seat.compass
  if (seat.kind !== 'house' || total === 2) return seat.name
  return seat.compass
}
