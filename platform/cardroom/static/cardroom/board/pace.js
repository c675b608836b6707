// Durations of the parts of a move. Pure: milliseconds in, milliseconds out.

/**
 * wait: pause after the last move; shown: the card face up at its seat; ring: around the things it takes;
 * arrive: its flight; line: from one line of the score sheet to the next.
 */
export const PACES = {
  calm: { wait: 900, shown: 1200, ring: 900, arrive: 350, line: 1000 },
  normal: { wait: 500, shown: 600, ring: 400, arrive: 250, line: 700 },
  fast: { wait: 0, shown: 200, ring: 0, arrive: 150, line: 0 },
}

/** The longest turn of other players, unless its cards need `LEAST_SHOWN_MS` each. */
export const LONGEST_MS = 6000
/** The shortest time for a card. */
const LEAST_SHOWN_MS = 100

/** @typedef {{ wait: number, shown: number, ring: number, arrive: number }} Times */

/** @param {Times} times */
const lasts = ({ wait, shown, ring, arrive }) => wait + shown + ring + arrive

/** The times of a move at one pace; without a card to show, its text is shown for the time of a wait. */
function timesAt({ wait, shown, ring, arrive }, { shows, takes }, isFirst) {
  return {
    wait: isFirst ? wait : 0,
    shown: shows ? shown : wait,
    ring: takes ? ring : 0,
    arrive: shows ? arrive : 0,
  }
}

/**
 * Less time for each part, in proportion.
 *
 * @param {Times} times
 * @param {number} room
 * @returns {Times}
 */
function squeezed(times, room) {
  const part = Math.min(1, Math.max(0, room) / (lasts(times) || 1))
  const [wait, shown, ring, arrive] = [times.wait, times.shown, times.ring, times.arrive].map(
    (ms) => Math.floor(ms * part),
  )
  return { wait, shown, ring, arrive }
}

/**
 * Durations of the parts of another player's move. Of several in a row only the first waits. Moves beyond
 * `LONGEST_MS` use the pace *fast*; if that is too slow, they share the time left.
 *
 * @param {keyof typeof PACES} pace
 * @param {{ shows: boolean, takes: boolean }} move whether it shows a card, and takes something
 * @param {{ isFirst: boolean, spent: number, left: number, rested: number }} turn `spent`: ms shown
 *   since somebody here moved; `left`: moves that wait, with this one; `rested`: ms since the last move
 * @returns {Times}
 */
export function timesOf(pace, move, { isFirst, spent, left, rested }) {
  const room = LONGEST_MS - spent
  const later = (left - 1) * lasts(PACES.fast)
  const wanted = timesAt(PACES[pace], move, isFirst)
  wanted.wait = Math.max(0, wanted.wait - rested)
  if (lasts(wanted) + later <= room) return wanted
  const quick = squeezed(timesAt(PACES.fast, move, isFirst), room / left)
  return { ...quick, shown: move.shows ? Math.max(LEAST_SHOWN_MS, quick.shown) : 0 }
}
