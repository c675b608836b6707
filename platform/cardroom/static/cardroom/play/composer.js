// The picks of a person, and the moves that fit them. Pure: no rules, no elements. engine/move_options.py
// makes decisions; a pick is one of a decision's parts (by key) at one of its paths.

/**
 * @typedef {object} Part
 * @property {string} key
 * @property {string} kind hand, item, board, pak, mast, nest, meld, pile, stock; table, new, red3; choice
 * @property {string} words
 * @property {(string|number)[][]} where paths in the view; several are interchangeable
 */

/**
 * @typedef {object} Offer a legal move
 * @property {string} move
 * @property {number[]} parts indices of the decision's parts, each as often as the move needs it
 * @property {string} sentence
 * @property {string} clause
 * @property {string} effect
 * @property {string} warning
 * @property {string} step
 * @property {string} label a verb and cards, for its button
 * @property {string} leads its consequence
 * @property {string} decides the key of the need that it decides
 * @property {string[]} after moves that are played immediately after it
 */

/**
 * @typedef {object} Need something that scores and can still change
 * @property {string} key
 * @property {string} words
 * @property {number} have
 * @property {number} want 0: not a quantity
 * @property {Record<string, number>} adds by key of a part
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
 * The moves that fit some picks.
 *
 * @typedef {object} Weighed
 * @property {Offer[]} left the moves that have all picks among their parts
 * @property {Offer|null} offered the move that equals the picks, or the only one left
 * @property {Offer|null} largest the longest move, if it is the only longest and not the offered one
 * @property {Map<number, number>} picked how often each part is picked, including parts that every fitting move has
 * @property {Set<number>} lit parts that can be picked now
 * @property {number[]} extra parts that could be added to what is offered
 */

/** A path of the view, as in the attributes of elements. */
export const pathOf = (where) => where.join('.')

const placeOfKey = (decision, key) => decision.parts.findIndex((part) => part.key === key)

/** How often each of `numbers` occurs. */
function counted(numbers) {
  const often = new Map()
  for (const number of numbers) often.set(number, (often.get(number) ?? 0) + 1)
  return often
}

const holds = (offer, wanted) => {
  const has = counted(offer.parts)
  return [...wanted].every(([part, times]) => (has.get(part) ?? 0) >= times)
}

/** Parts that every offer has, each with the smallest count. */
function common(offers) {
  const [first, ...others] = offers.map((offer) => counted(offer.parts))
  if (!first) return new Map()
  const shared = new Map()
  for (const [part, times] of first) {
    const least = Math.min(times, ...others.map((one) => one.get(part) ?? 0))
    if (least) shared.set(part, least)
  }
  return shared
}

const size = (often) => [...often.values()].reduce((sum, times) => sum + times, 0)

/** Parts of the offers beyond the picks. */
function beyond(offers, picked) {
  const more = new Set()
  for (const offer of offers)
    for (const [part, times] of counted(offer.parts))
      if (times > (picked.get(part) ?? 0)) more.add(part)
  return more
}

/** The longest offer, or null if several are equally long. */
function longest(offers) {
  const most = Math.max(0, ...offers.map((offer) => offer.parts.length))
  const found = offers.filter((offer) => offer.parts.length === most)
  return found.length === 1 ? found[0] : null
}

/**
 * @param {Decision} decision
 * @param {Pick[]} picks
 * @returns {Weighed}
 */
export function weigh(decision, picks) {
  const wanted = counted(picks.map((pick) => placeOfKey(decision, pick.key)))
  const left = decision.moves.filter((offer) => holds(offer, wanted))
  const settled = picks.length || left.length === 1
  const picked = settled && left.length ? common(left) : wanted
  const offered = left.find((offer) => offer.parts.length === size(picked)) ?? null
  const lit = beyond(left, picked)
  const most = longest(left)
  return {
    left,
    offered: settled ? offered : null,
    largest: most && offered && most !== offered ? most : null,
    picked,
    lit: picks.length ? lit : beginnings(left, lit),
    extra: offered && settled ? [...lit] : [],
  }
}

/** Parts of first picks: those with which moves begin. */
function beginnings(offers, lit) {
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
 * @param {Weighed} weighed
 * @param {string} path
 * @returns {{ part: number, fits: boolean }|null}
 */
export function meant(decision, weighed, path) {
  const here = partsAt(decision, path)
  if (!here.length) return null
  const rank = (part) =>
    Math.min(
      ...weighed.left.map((offer) => {
        const place = offer.parts.indexOf(part)
        const times = offer.parts.filter((one) => one === part).length
        return place < 0 || times <= (weighed.picked.get(part) ?? 0) ? Infinity : place
      }),
      Infinity,
    )
  const [best] = [...here].sort((a, b) => rank(a) - rank(b))
  return { part: best, fits: rank(best) < Infinity }
}

/** The picks that make an offer, each at a path of its own. */
export function picksOf(decision, offer) {
  const used = counted([])
  return offer.parts.map((at) => {
    const part = decision.parts[at]
    const nth = used.get(at) ?? 0
    used.set(at, nth + 1)
    return { key: part.key, path: part.where[nth] ? pathOf(part.where[nth]) : null }
  })
}

/** The paths to show as picked: those of the picks, and of parts that every fitting move contains. */
export function pickedPaths(decision, weighed, picks) {
  const paths = new Set(picks.map((pick) => pick.path).filter(Boolean))
  for (const [at, times] of weighed.picked) {
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
 * The same picks in another decision; null if one of them is not possible there.
 *
 * @param {Decision} decision
 * @param {Pick[]} picks
 */
export function carried(decision, picks) {
  const kept = []
  for (const pick of picks) {
    const part = decision.parts.find((one) => one.key === pick.key)
    if (!part) return null
    const free = part.where
      .map(pathOf)
      .filter((path) => !kept.some((other) => other.key === pick.key && other.path === path))
    kept.push({ key: pick.key, path: free.includes(pick.path) ? pick.path : (free[0] ?? null) })
  }
  if (!decision.moves.length) return kept
  return weigh(decision, kept).left.length || decision.more ? kept : null
}
