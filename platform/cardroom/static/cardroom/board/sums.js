// What of a capture belongs together: cards of one rank, or several that make the value of the card
// that takes them. Pure; which values a card can have, the game says.

const MOST_TRIES = 20_000

/**
 * @typedef {object} Item what lies on the table and is taken
 * @property {string} path where it lies in the view
 * @property {string|null} rank taken by a card of the same one
 * @property {number[]} values that it can have
 * @property {string} sign its rank as it is written: K, 10
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
 * The groups in which a card takes items, as text: "1 + 7 = 8", "8", "K".
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
