// Groups the things taken by a capture: cards of the same rank, and cards that add up to the value of the
// taking card. Pure; the game gives the possible values of each card.

const MOST_TRIES = 20_000

/**
 * @typedef {object} Item a thing on the table that is taken
 * @property {string} path its path in the view
 * @property {string|null} rank a card of this rank takes it
 * @property {number[]} values its possible values
 * @property {string} sign its rank as text: K, 10
 */

/** @typedef {{ paths: string[], words: string }} Group */

/** Every choice of further items, each with one of its values, that adds up to `rest`. */
function* choices(items, rest, tries) {
  tries.left -= 1
  if (rest === 0) yield []
  if (rest <= 0) return
  for (let at = 0; at < items.length && tries.left > 0; at += 1)
    for (const value of items[at].values)
      for (const more of choices(items.slice(at + 1), rest - value, tries))
        yield [{ item: items[at], value }, ...more]
}

/** All items in groups of `target`, or null. */
function divided(items, target, tries) {
  if (!items.length) return []
  const [first, ...others] = items
  for (const value of first.values) {
    for (const more of choices(others, target - value, tries)) {
      const chosen = [{ item: first, value }, ...more]
      const rest = others.filter((item) => !chosen.some((one) => one.item === item))
      const found = divided(rest, target, tries)
      if (found) return [{ chosen, target }, ...found]
    }
  }
  return null
}

function sumOf({ chosen, target }) {
  const paths = chosen.map(({ item }) => item.path)
  const sum = chosen.map(({ value }) => value).join(' + ')
  return { paths, words: chosen.length > 1 ? `${sum} = ${target}` : sum }
}

/**
 * The groups of items that a card takes, as text: "1 + 7 = 8", "8", "K".
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
    const found = divided(others, target, { left: MOST_TRIES })
    if (found) return [...found.map(sumOf), ...equal]
  }
  return [...others.map((item) => ({ paths: [item.path], words: '' })), ...equal]
}
