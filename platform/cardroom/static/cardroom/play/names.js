// Names of the players at a table, and the engine's sentences with these names.

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
  ofSeats(seats) {
    const names = seats.map((seat) => this.of(seat))
    const own = names.indexOf('you')
    if (own > 0) names.unshift(...names.splice(own, 1))
    return names.length < 2
      ? names.join('')
      : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`
  }

  /** A sentence of a frame, which names seats by place; it already calls the viewer "you". */
  tell(text) {
    const places = [...this.seats].sort((a, b) => b.compass.length - a.compass.length)
    const pattern = new RegExp(
      `\\b(?:${places.map((seat) => seat.compass).join('|')})\\b(?!-)`,
      'g',
    )
    return text.replace(pattern, (place) => {
      const seat = this.seats.find((one) => one.compass === place)
      return this.short[seat.index]
    })
  }

  /** A sentence of a decision, which has full names. */
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
