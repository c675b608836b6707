// The renderer of each game. Other games are drawn plainly.

import * as plain from './games/plain.js'

/** @type {Record<string, () => Promise<import('./contract.js').Renderer>>} */
const MODULES = {
  cassino: () => import('./games/cassino.js'),
  canasta: () => import('./games/canasta.js'),
  'spoon-eye': () => import('./games/spoon-eye.js'),
  zwicker: () => import('./games/zwicker.js'),
  paks: () => import('./games/paks.js'),
}

/**
 * The renderer of a game, by `view.game`.
 *
 * @returns {Promise<import('./contract.js').Renderer>}
 */
export const rendererOf = async (game) => (Object.hasOwn(MODULES, game) ? MODULES[game]() : plain)
