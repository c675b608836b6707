// Durations of the parts of a move's animation, in milliseconds. Pure.

/**
 * wait: pause after the last move; shown: the card face up at its seat; ring: rings around the items it takes;
 * arrive: its flight; line: from one line of the score sheet to the next.
 */
export const PACES = {
  calm: { wait: 900, shown: 1200, ring: 900, arrive: 350, line: 1000 },
  normal: { wait: 500, shown: 600, ring: 400, arrive: 250, line: 700 },
  fast: { wait: 0, shown: 200, ring: 0, arrive: 150, line: 0 },
}

/** The longest turn of other players, unless its cards need `MIN_SHOWN_MS` each. */
export const MAX_TURN_MS = 6000
/** The shortest time that a card is shown. */
const MIN_SHOWN_MS = 100

/** @typedef {{ wait: number, shown: number, ring: number, arrive: number }} Times */

/** @param {Times} times */
const totalMs = ({ wait, shown, ring, arrive }) => wait + shown + ring + arrive

/** The times of a move at one pace. A move without cards shows its text for the time of a wait. */
function timesAt({ wait, shown, ring, arrive }, { shows, takes }, isFirst) {
  return {
    wait: isFirst ? wait : 0,
    shown: shows ? shown : wait,
    ring: takes ? ring : 0,
    arrive: shows ? arrive : 0,
  }
}

/**
 * The same times, scaled down to at most `maxMs` in all.
 *
 * @param {Times} times
 * @param {number} maxMs
 * @returns {Times}
 */
function shorten(times, maxMs) {
  const factor = Math.min(1, Math.max(0, maxMs) / (totalMs(times) || 1))
  const [wait, shown, ring, arrive] = [times.wait, times.shown, times.ring, times.arrive].map(
    (ms) => Math.floor(ms * factor),
  )
  return { wait, shown, ring, arrive }
}

/**
 * Durations of the parts of another player's move. Of several moves in a row only the first waits. If they
 * would exceed `MAX_TURN_MS`, they use the pace *fast*; if that is too slow, they share the time left.
 *
 * @param {keyof typeof PACES} pace
 * @param {{ shows: boolean, takes: boolean }} move whether it shows a card, and takes items
 * @param {{ isFirst: boolean, spent: number, left: number, rested: number }} turn `spent`: ms of
 *   animation since a person here moved; `left`: moves to show, with this one; `rested`: ms since the last move
 * @returns {Times}
 */
export function timesOf(pace, move, { isFirst, spent, left, rested }) {
  const maxMs = MAX_TURN_MS - spent
  const reservedMs = (left - 1) * totalMs(PACES.fast)
  const times = timesAt(PACES[pace], move, isFirst)
  times.wait = Math.max(0, times.wait - rested)
  if (totalMs(times) + reservedMs <= maxMs) return times
  const shortened = shorten(timesAt(PACES.fast, move, isFirst), maxMs / left)
  return { ...shortened, shown: move.shows ? Math.max(MIN_SHOWN_MS, shortened.shown) : 0 }
}
