// Names of table forms and of places, and the sides of table forms.

const NUMBERS = ['', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight']

/** Names of the places where seats are drawn. */
export const COMPASS = {
  s: 'South',
  n: 'North',
  w: 'West',
  e: 'East',
  sw: 'South-west',
  nw: 'North-west',
  ne: 'North-east',
  se: 'South-east',
}

const formOf = (format) => format.text.split('?')[0].split('/')[2]

/** A table form as a title and a phrase: "Four", "two pairs: you and North". */
export function describe(format) {
  const form = formOf(format)
  const title = NUMBERS[format.seats] ?? String(format.seats)
  if (form === '1v1') return { title, words: 'you against one' }
  if (/^ffa\d$/.test(form)) return { title, words: 'each alone' }
  if (form === '2v2') return { title, words: 'two pairs: you and North' }
  if (form === '3v3') return { title, words: 'two sides of three' }
  if (form === '2v2v2') return { title, words: 'three pairs' }
  if (form === '1v2') return { title, words: 'one against two' }
  return { title, words: format.words.split(', ').slice(1).join(', ') }
}

/** The side of each seat, if the form fixes the sides. */
export function sidesOf(format) {
  const form = formOf(format)
  if (form === '2v2' || form.startsWith('3v')) return (seat) => seat % 2
  if (form === '2v2v2') return (seat) => seat % 3
  return null
}
