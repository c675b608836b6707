// Comforts only: every page works without this script.

// A menu closes on Escape and when the reader goes elsewhere.
const menus = () => document.querySelectorAll('details.menu[open]')
document.addEventListener('keydown', event => {
  if (event.key !== 'Escape') return
  for (const menu of menus()) {
    menu.open = false
    menu.querySelector('summary').focus()
  }
})
document.addEventListener('click', event => {
  for (const menu of menus()) if (!menu.contains(event.target)) menu.open = false
})

// A choice marked data-submit sends its form at once; its button stays for those without script.
document.addEventListener('change', event => {
  if (event.target.matches('[data-submit]')) event.target.form.requestSubmit()
})

// A log follows its end only while the reader is at the end.
const atEnd = log => log.scrollHeight - log.scrollTop - log.clientHeight < 8
let following = true
document.addEventListener('htmx:beforeSwap', () => {
  const log = document.querySelector('[data-follow]')
  following = !log || atEnd(log)
})
document.addEventListener('htmx:afterSettle', () => {
  const log = document.querySelector('[data-follow]')
  if (log && following) log.scrollTop = log.scrollHeight
})
