// What a game's renderer is to the viewer. Types only: nothing here runs, `make lint` holds every
// module of games/ to it (see MODULES in games.js). Sides, seats and frames are counted from 0.

/**
 * One position of the match, from the API (engine.record.Record.frames); `at` and what follows it
 * are added by matchOf.
 *
 * @typedef {object} Frame
 * @property {number} deal
 * @property {number|null} n the move's number in the match; null where nobody moved
 * @property {number|null} seat who moved
 * @property {string|null} move as the engine writes it
 * @property {string} sentence the move in English
 * @property {string|null} [clause] of the rules
 * @property {string|null} [note] the bot's own words
 * @property {number|null} clock_ms what the move took
 * @property {Event[]} events what happened by it
 * @property {Record<string, any>} view what spectators see after it; each game has keys of its own
 * @property {number} at its index
 * @property {number} [dealIndex] the index of its deal
 * @property {number} [moveInDeal] moves of the deal up to here
 */

/** @typedef {{ type: string, [key: string]: any }} Event */

/**
 * @typedef {object} Seat
 * @property {string} name
 * @property {string} compass "North", "South-east"
 * @property {string} place the same in short
 * @property {number|null} version
 * @property {number|null} rating
 * @property {number|null} interval half of the rating's 95 % interval
 */

/**
 * Points of each line of the score sheet if the deal ended at each frame.
 *
 * @typedef {object} Tally
 * @property {{ key: string, clause: string, for: string }[]} lines `key` stays when `for` is reworded
 * @property {number[][][]} frames points by frame, line and side
 * @property {number[][]|null} [standing] scores by frame and side, if the match ended there; null: those
 *   before the deal and its points
 */

/**
 * @typedef {object} Deal
 * @property {number} number
 * @property {number} first index of its first frame
 * @property {number} last index of its last frame
 * @property {number} moves how many it has
 */

/**
 * The expert's analysis, if there is one.
 *
 * @typedef {object} Analysis
 * @property {Record<number, { kind: string, cost: string, better: string }>} moves slips and mistakes
 * @property {[number, number][]} chances move and the first side's chance to win before it
 * @property {number|null} done moves analysed while it runs; null: all
 */

/**
 * Data of the page that the record does not have.
 *
 * @typedef {object} Setup
 * @property {Seat[]} seats
 * @property {number[][]} sides the seats of each side
 * @property {{ bank_ms: number, move_ms: number }|null} clock null where none is shown
 * @property {Record<string, string>} urls
 * @property {boolean} [live] whether it is still played: all hands are closed
 * @property {number|null} [move] where the link leads, counted from 1
 * @property {Tally|null} [tally]
 * @property {Analysis|null} [analysis]
 */

/**
 * @typedef {{ at: number, seat: number, kind: string, policy?: string, move?: number, detail?: string,
 *   received?: string }} Fault
 */

/**
 * @typedef {object} Derived
 * @property {string} game
 * @property {number} total seats at the table
 * @property {Record<string, any>} record
 * @property {Frame[]} frames
 * @property {Deal[]} deals
 * @property {(number|null)[][]} banks ms left, by frame and seat; null: not shown
 * @property {Fault[]} faults
 * @property {any[]} [extras] by frame, what `prepare` gave
 * @property {(number: number) => number|undefined} frameOfMove counted from 1
 * @property {(number: number) => number|undefined} frameOfDeal counted from 1
 * @property {(seat: number) => number} sideOf
 */

/** @typedef {Setup & Derived} Match */

/**
 * One frame, what came before it, and from where it is looked at.
 *
 * @typedef {object} Scene
 * @property {Match} match
 * @property {Frame} frame
 * @property {Record<string, any>} view the frame's
 * @property {Frame|null} before
 * @property {any} extra what `prepare` gave for the frame
 * @property {number|null} from the seat that is looked from; null: all cards are open
 * @property {string[]} where each seat is drawn: n, e, s, w, nw …
 * @property {(seat: number) => boolean} isHidden
 * @property {(seat: number) => string} nameOf
 * @property {(side: number) => string} sideNames
 * @property {(seat: number) => string|null} [lifted]
 * @property {(seat: number) => boolean} [rests]
 */

/**
 * The part of a move that others see before it happens.
 *
 * @typedef {object} Staged
 * @property {string[]} cards that it plays, face up
 * @property {{ paths: string[], words: string }[]} takes what these take, by where it lies in the view
 *   before the move; the words are its sum
 * @property {string} [words] said at the seat where no card is played
 * @property {boolean} [toPile] whether all of it goes to the mover's pile
 */

/**
 * The cards that earned a side its points in a line of the score sheet.
 *
 * @typedef {object} Evidence
 * @property {[number, number]} [bar] a count and its total
 * @property {string[]} [cards]
 * @property {boolean} [crosswise] whether the cards lie so: they cleared the table
 * @property {string[][]} [fans] cards that belong together
 * @property {[string, number][]} [times] a card, and how many of its kind
 * @property {string} [words]
 */

/**
 * @typedef {object} Earned a line of the score sheet
 * @property {string} [worth] what it is worth, as the rules have it
 * @property {string} [none] why nobody scores it
 * @property {Evidence[]} [sides] by place in the scores
 */

/** @typedef {Node|string|number|boolean|null|undefined|Piece[]} Piece what h() takes for a child */

/**
 * A game's module. It draws; it judges nothing and keeps nothing.
 *
 * @typedef {object} Renderer
 * @property {string} name a class of the table
 * @property {(match: Match) => any[]} prepare what it wants to know of each frame, once
 * @property {(scene: Scene) => Piece} middle what lies on the table
 * @property {(scene: Scene, side: number) => Piece} pile what a side has captured; null: no piles
 * @property {(scene: Scene) => Piece} stock cards still to be dealt; null: none
 * @property {(scene: Scene, seat: number) => string|null} lifted a card of the hand to be raised
 * @property {(frame: Frame) => Piece} moveText the move in the list
 * @property {(frame: Frame) => string|null} tick what the move brought besides, in a word or two
 * @property {(frame: Frame) => string|null} divider what happened after it without a choice
 * @property {(frame: Frame, extra: any) => string|null} moved the card that travels
 * @property {(frame: Frame, before: Frame|null, extra: any) => Staged} [staged] what others see of a move
 *   of somebody before it is done; without it the next position follows
 * @property {(frame: Frame) => string[]} marks signs on the time line
 * @property {(scene: Scene) => [string, string, number[]][]} [sums] the last rows of the score
 *   sheet, where they are not the deal's points: words, clause, values by side
 * @property {(scene: Scene) => Record<string, (number|string)[]>} [amounts] by a line's key: what
 *     each side has of it
 * @property {(scene: Scene, points: Record<string, number[]>) => Record<string, Earned>} [earned] by a
 *   line's key: where its points came from, at the end of a deal; `points`: of each line
 * @property {(scene: Scene, seat: number) => Piece} [before] what lies before a seat
 * @property {(scene: Scene, seat: number) => boolean} [rests] who does not play this deal
 * @property {number} [mostCorners] sides whose piles lie in the corners; with more, with the hands
 * @property {boolean} [scrolls] whether the middle may be larger than its room
 * @property {boolean} [tellsScores] whether the middle tells the scores itself
 */

export {}
