// A match as the page uses it, derived once from the frames and the record. No rules, no elements.

/** Fetch JSON. The message of an error can be shown to readers. */
export async function load(address) {
  const response = await fetch(address, { headers: { Accept: 'application/json' } })
  if (!response.ok) throw new Error(`The site answered ${response.status} to ${address}.`)
  return response.json()
}

/** Deals as {number, first, last, moves}: indices of frames, and the number of moves. */
function dealsOf(frames) {
  const deals = []
  frames.forEach((frame, at) => {
    let deal = deals.at(-1)
    if (!deal || deal.number !== frame.deal) {
      deal = { number: frame.deal, first: at, last: at, moves: 0 }
      deals.push(deal)
    }
    deal.last = at
    if (frame.move !== null) deal.moves += 1
    frame.moveInDeal = deal.moves
    frame.dealIndex = deals.length - 1
  })
  return deals
}

/** Each seat's bank after each frame, in ms: list of lists, by frame and seat. */
function banksOf(frames, clock, seats) {
  if (!clock) return frames.map(() => Array(seats).fill(null))
  let banks = Array(seats).fill(clock.bank_ms)
  return frames.map((frame) => {
    if (frame.seat === null || !frame.clock_ms) return banks
    const over = Math.max(0, frame.clock_ms - clock.move_ms)
    banks = banks.map((bank, seat) => (seat === frame.seat ? Math.max(0, bank - over) : bank))
    return banks
  })
}

/** Faults, each with the index of the frame of the first move that the platform played. */
function faultsOf(record, frames) {
  return (record.faults ?? []).map((fault) => {
    const move = Math.max(fault.move ?? 0, 0)
    const at = frames.findIndex((frame) => frame.n !== null && frame.n >= move)
    return { ...fault, at: at < 0 ? frames.length - 1 : at }
  })
}

/**
 * The match as the page uses it.
 *
 * @param {import('./contract.js').Frame[]} frames from the API
 * @param {Record<string, any>} record the match's record
 * @param {import('./contract.js').Setup} setup data of the page
 * @returns {import('./contract.js').Match}
 */
export function matchOf(frames, record, setup) {
  const total = setup.seats.length
  const list = frames.map((frame, at) => ({ ...frame, at }))
  const deals = dealsOf(list)
  const moves = list.filter((frame) => frame.n !== null)
  return {
    ...setup,
    total,
    record,
    frames: list,
    deals,
    banks: banksOf(list, setup.clock, total),
    faults: faultsOf(record, list),
    frameOfMove: (move) => moves.find((frame) => frame.n === move - 1)?.at,
    frameOfDeal: (number) => deals.find((deal) => deal.number === number - 1)?.first,
    game: list[0].view.game,
    sideOf: (seat) => setup.sides.findIndex((side) => side.includes(seat)),
  }
}

/** The first event of this type in a frame, or undefined. */
export const eventOf = (frame, type) => frame.events.find((event) => event.type === type)
