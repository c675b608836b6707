// The message of a page that could not be drawn, for example because a script of the game did not arrive.

import { h } from '../board/dom.js'

/**
 * @param {HTMLElement} root
 * @param {Error} error
 */
export function showFailure(root, error) {
  const words = `The table could not be loaded. ${error.message} Reload the page to try again.`
  root.prepend(h('p', { class: 'note bad', role: 'alert' }, words))
}
