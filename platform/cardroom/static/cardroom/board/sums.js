// Groups the items that a capture takes: cards of the same rank, and cards that add up to the value of the
// card played. Pure: the game passes the possible values of each card.

const MAX_TRIES = 20_000

/**
 * @typedef {object} Item a card or build on the table
 * @property {string} path its path in the view
 * @property {string|null} rank the rank of cards that take it
 * @property {number[]} values its possible values
 * @property {string} sign its rank as text: K, 10
 */

/** @typedef {{ paths: string[], words: string }} Group */

/** Every subset of the items, each with one of its values, that adds up to `rest`. */
function* subsetsOf(items, rest, tries) {
  tries.left -= 1
  if (rest === 0) yield []
  if (rest <= 0) return
  for (let at = 0; at < items.length && tries.left > 0; at += 1)
    for (const value of items[at].values)
      for (const subset of subsetsOf(items.slice(at + 1), rest - value, tries))
        yield [{ item: items[at], value }, ...subset]
}

/** All items in groups that each add up to `target`, or null. */
function partition(items, target, tries) {
  if (!items.length) return []
  const [first, ...others] = items
  for (const value of first.values) {
    for (const subset of subsetsOf(others, target - value, tries)) {
      const chosen = [{ item: first, value }, ...subset]
      const rest = others.filter((item) => !chosen.some((choice) => choice.item === item))
      const groups = partition(rest, target, tries)
      if (groups) return [{ chosen, target }, ...groups]
    }
  }
  return null
}

function groupOf({ chosen, target }) {
  const paths = chosen.map(({ item }) => item.path)
  const sum = chosen.map(({ value }) => value).join(' + ')
  return { paths, words: chosen.length > 1 ? `${sum} = ${target}` : sum }
}

/**
 * The groups of items that a card takes, each with its text: "1 + 7 = 8", "8", "K".
 *
 * @param {{ rank: string|null, values: number[] }} taker
 * @param {Item[]} items
 * @returns {Group[]}
 */
export function groupsOf(taker, items) {
  const isEqual = (item) => item.rank !== null && item.rank === taker.rank
  const equal = items.filter(isEqual).map((item) => ({ paths: [item.path], words: item.sign }))
  const others = items.filter((item) => !isEqual(item))
  for (const target of taker.values) {
    const groups = partition(others, target, { left: MAX_TRIES })
    if (groups) return [...groups.map(groupOf), ...equal]
  }
  return [...others.map((item) => ({ paths: [item.path], words: '' })), ...equal]
}
