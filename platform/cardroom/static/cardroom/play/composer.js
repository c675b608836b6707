// The picks of a person, and the moves that contain them. Pure: no rules, no elements. engine/move_options.py
// makes decisions; a pick is one of a decision's parts (by key) at one of its paths.

/**
 * @typedef {object} Part
 * @property {string} key
 * @property {string} kind hand, item, board, pak, mast, nest, meld, pile, stock; table, new, red3; choice
 * @property {string} words
 * @property {(string|number)[][]} where interchangeable paths in the view
 */

/**
 * A legal move.
 *
 * @typedef {object} Offer
 * @property {string} move
 * @property {number[]} parts indices of the decision's parts; a part that the move needs twice occurs twice
 * @property {string} sentence
 * @property {string} clause
 * @property {string} effect
 * @property {string} warning
 * @property {string} step
 * @property {string} label the text of its button: a verb and cards
 * @property {string} leads its consequence
 * @property {string} decides the key of the need that it decides
 * @property {string[]} after moves that are played immediately after it
 */

/**
 * A scoring item that can still change in this deal.
 *
 * @typedef {object} Need
 * @property {string} key
 * @property {string} words
 * @property {number} have
 * @property {number} want 0: the need has no quantity
 * @property {Record<string, number>} adds what a part adds to `have`, by its key
 */

/**
 * @typedef {object} Decision
 * @property {number} seat
 * @property {Part[]} parts
 * @property {Offer[]} moves
 * @property {{ key: string, words: string, state: string }[]} steps
 * @property {boolean} more whether some legal moves are not listed
 * @property {Need[]} needs
 * @property {string} prompt
 */

/** @typedef {{ key: string, path: string|null }} Pick */

/**
 * The state of composing a move: the picks, and the moves that they can still become.
 *
 * @typedef {object} Composition
 * @property {Offer[]} left the moves that contain all picks
 * @property {Offer|null} offered the move that the picks make, or the only one left
 * @property {Offer|null} largest the longest move, if it is the only longest and not the offered one
 * @property {Map<number, number>} picked how often each part is picked, with the parts that all moves of `left` contain
 * @property {Set<number>} lit parts that can be picked now
 * @property {number[]} extra parts that can be added to the offered move
 */

/** A path as text, as in `data-path`. */
export const pathOf = (where) => where.join('.')

const indexOfKey = (decision, key) => decision.parts.findIndex((part) => part.key === key)

/** How often each of `numbers` occurs. */
function countsOf(numbers) {
  const counts = new Map()
  for (const number of numbers) counts.set(number, (counts.get(number) ?? 0) + 1)
  return counts
}

const contains = (offer, required) => {
  const counts = countsOf(offer.parts)
  return [...required].every(([part, times]) => (counts.get(part) ?? 0) >= times)
}

/** Parts that every offer has, each with the smallest count. */
function commonParts(offers) {
  const [first, ...others] = offers.map((offer) => countsOf(offer.parts))
  if (!first) return new Map()
  const shared = new Map()
  for (const [part, times] of first) {
    const minimum = Math.min(times, ...others.map((counts) => counts.get(part) ?? 0))
    if (minimum) shared.set(part, minimum)
  }
  return shared
}

const totalOf = (counts) => [...counts.values()].reduce((sum, times) => sum + times, 0)

/** The parts of the offers that are not picked yet. */
function furtherParts(offers, picked) {
  const more = new Set()
  for (const offer of offers)
    for (const [part, times] of countsOf(offer.parts))
      if (times > (picked.get(part) ?? 0)) more.add(part)
  return more
}

/** The longest offer, or null if several are equally long. */
function longest(offers) {
  const largest = Math.max(0, ...offers.map((offer) => offer.parts.length))
  const longestOffers = offers.filter((offer) => offer.parts.length === largest)
  return longestOffers.length === 1 ? longestOffers[0] : null
}

/**
 * @param {Decision} decision
 * @param {Pick[]} picks
 * @returns {Composition}
 */
export function compose(decision, picks) {
  const required = countsOf(picks.map((pick) => indexOfKey(decision, pick.key)))
  const left = decision.moves.filter((offer) => contains(offer, required))
  const isDecided = picks.length || left.length === 1
  const picked = isDecided && left.length ? commonParts(left) : required
  const offered = left.find((offer) => offer.parts.length === totalOf(picked)) ?? null
  const lit = furtherParts(left, picked)
  const largest = longest(left)
  return {
    left,
    offered: isDecided ? offered : null,
    largest: largest && offered && largest !== offered ? largest : null,
    picked,
    lit: picks.length ? lit : firstParts(left, lit),
    extra: offered && isDecided ? [...lit] : [],
  }
}

/** The lit parts with which moves begin. */
function firstParts(offers, lit) {
  const first = new Set(offers.map((offer) => offer.parts[0]))
  return new Set([...lit].filter((part) => first.has(part)))
}

/** The parts that lie at a path. */
export const partsAt = (decision, path) =>
  decision.parts.map((_, at) => at).filter((at) => liesAt(decision.parts[at], path))

const liesAt = (part, path) => part.where.some((where) => pathOf(where) === path)

/**
 * The part to pick at a path: if there are several, the first that can come next in a move.
 *
 * @param {Decision} decision
 * @param {Composition} composition
 * @param {string} path
 * @returns {{ part: number, fits: boolean }|null}
 */
export function partToPick(decision, composition, path) {
  const parts = partsAt(decision, path)
  if (!parts.length) return null
  const rank = (part) =>
    Math.min(
      ...composition.left.map((offer) => {
        const place = offer.parts.indexOf(part)
        const times = offer.parts.filter((other) => other === part).length
        return place < 0 || times <= (composition.picked.get(part) ?? 0) ? Infinity : place
      }),
      Infinity,
    )
  const [best] = [...parts].sort((a, b) => rank(a) - rank(b))
  return { part: best, fits: rank(best) < Infinity }
}

/** The picks that make an offer, each at a different path. */
export function picksOf(decision, offer) {
  const used = countsOf([])
  return offer.parts.map((at) => {
    const part = decision.parts[at]
    const index = used.get(at) ?? 0
    used.set(at, index + 1)
    return { key: part.key, path: part.where[index] ? pathOf(part.where[index]) : null }
  })
}

/** The paths to show as picked: those of the picks, and of parts that all remaining moves contain. */
export function pickedPaths(decision, composition, picks) {
  const paths = new Set(picks.map((pick) => pick.path).filter(Boolean))
  for (const [at, times] of composition.picked) {
    const own = decision.parts[at].where.map(pathOf)
    let missing = times - own.filter((path) => paths.has(path)).length
    for (const path of own) {
      if (missing <= 0) break
      if (paths.has(path)) continue
      paths.add(path)
      missing -= 1
    }
  }
  return paths
}

/**
 * The same picks in the next decision; null if no move contains them there.
 *
 * @param {Decision} decision
 * @param {Pick[]} picks
 */
export function carryOver(decision, picks) {
  const kept = []
  for (const pick of picks) {
    const part = decision.parts.find(({ key }) => key === pick.key)
    if (!part) return null
    const freePaths = part.where
      .map(pathOf)
      .filter((path) => !kept.some((other) => other.key === pick.key && other.path === path))
    kept.push({
      key: pick.key,
      path: freePaths.includes(pick.path) ? pick.path : (freePaths[0] ?? null),
    })
  }
  if (!decision.moves.length) return kept
  return compose(decision, kept).left.length || decision.more ? kept : null
}
