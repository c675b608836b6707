// The interface between a game's renderer and the page. It has only types; `make lint` checks the
// modules of games/ against them (see MODULES in games.js). Sides, seats and frames are counted from 0.

/**
 * One position of the match, from the API (engine.record.Record.frames); matchOf adds `at`, `dealIndex` and
 * `moveInDeal`.
 *
 * @typedef {object} Frame
 * @property {number} deal
 * @property {number|null} n the move's number in the match; null without a move
 * @property {number|null} seat the seat that moved
 * @property {string|null} move in the engine's notation
 * @property {string} sentence the move in English
 * @property {string|null} [clause] the clause of the rules
 * @property {string|null} [note] the bot's comment
 * @property {number|null} clock_ms the time that the move took
 * @property {Event[]} events the move's events
 * @property {Record<string, any>} view the spectators' view after the move; its keys depend on the game
 * @property {number} at the index of this frame
 * @property {number} [dealIndex] the index of its deal
 * @property {number} [moveInDeal] the number of the deal's moves up to this frame
 */

/** @typedef {{ type: string, [key: string]: any }} Event */

/**
 * @typedef {object} Seat
 * @property {string} name
 * @property {string} compass "North", "South-east"
 * @property {string} place the abbreviation of `compass`
 * @property {number|null} version
 * @property {number|null} rating
 * @property {number|null} interval from the rating to the farther end of its 95 % interval
 */

/**
 * The points of each line of the score sheet, if the deal ended at that frame.
 *
 * @typedef {object} Tally
 * @property {{ key: string, clause: string, for: string }[]} lines `key` stays the same when `for` is reworded
 * @property {number[][][]} frames points by frame, line and side
 * @property {number[][]|null} [standing] scores by frame and side, if the match ended there; null:
 * the scores before the deal plus its points
 */

/**
 * @typedef {object} Deal
 * @property {number} number
 * @property {number} first index of its first frame
 * @property {number} last index of its last frame
 * @property {number} moves the number of its moves
 */

/**
 * The expert's analysis, if there is one.
 *
 * @typedef {object} Analysis
 * @property {Record<number, { kind: string, cost: string, better: string }>} moves slips and mistakes, by move
 * @property {[number, number][]} chances a move, and the first side's chance of winning before it
 * @property {number|null} done the number of analysed moves while it runs; null: all
 */

/**
 * Data of the page that is not in the record.
 *
 * @typedef {object} Setup
 * @property {Seat[]} seats
 * @property {number[][]} sides the seats of each side
 * @property {{ bank_ms: number, move_ms: number }|null} clock null: not shown
 * @property {Record<string, string>} urls
 * @property {boolean} [live] whether the match is running, so that all hands are closed
 * @property {number|null} [move] the move at which the link opens, counted from 1
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
 * @property {number} total the number of seats
 * @property {Record<string, any>} record
 * @property {Frame[]} frames
 * @property {Deal[]} deals
 * @property {(number|null)[][]} banks ms left, by frame and seat; null: not shown
 * @property {Fault[]} faults
 * @property {any[]} [extras] by frame, the values of `prepare`
 * @property {(number: number) => number|undefined} frameOfMove counted from 1
 * @property {(number: number) => number|undefined} frameOfDeal counted from 1
 * @property {(seat: number) => number} sideOf
 */

/** @typedef {Setup & Derived} Match */

/**
 * One frame, and the viewer's seat.
 *
 * @typedef {object} Scene
 * @property {Match} match
 * @property {Frame} frame
 * @property {Record<string, any>} view of the frame
 * @property {any} extra the value of `prepare` for the frame
 * @property {number|null} viewer the viewer's seat; null: all cards are open
 * @property {string[]} places by seat: n, e, s, w, nw …
 * @property {(seat: number) => boolean} isHidden
 * @property {(seat: number) => string} nameOf
 * @property {(side: number) => string} sideNames
 * @property {(seat: number) => string|null} [liftedCard]
 * @property {(seat: number) => boolean} [rests]
 */

/**
 * The part of a move that other players see before it takes effect.
 *
 * @typedef {object} Staged
 * @property {string[]} cards the cards played, face up
 * @property {{ paths: string[], words: string }[]} takes the items taken, by their paths in the view
 * before the move; the words are their sum
 * @property {string} [words] shown at the seat if no card is played
 * @property {boolean} [toPile] whether all cards go to the mover's pile
 */

/**
 * The cards that earned a side its points in a line of the score sheet.
 *
 * @typedef {object} Evidence
 * @property {[number, number]} [bar] a count and its total
 * @property {string[]} [cards]
 * @property {boolean} [crosswise] whether the cards lie crosswise, because they cleared the table
 * @property {string[][]} [fans] cards that belong together
 * @property {[string, number][]} [times] a card, and the number of cards of its kind
 * @property {string} [words]
 */

/**
 * The notes on a line of the score sheet.
 *
 * @typedef {object} Earned
 * @property {string} [worth] its value by the rules
 * @property {string} [none] the reason why nobody scores it
 * @property {Evidence[]} [sides] by place in the scores
 */

/** @typedef {Node|string|number|boolean|null|undefined|Piece[]} Piece a child of h() */

/**
 * A game's module. It only draws: it applies no rules and keeps no state.
 *
 * @typedef {object} Renderer
 * @property {string} name a class of the table
 * @property {(match: Match) => any[]} prepare extra data by frame, computed once
 * @property {(scene: Scene) => Piece} middle the middle of the table
 * @property {(scene: Scene, side: number) => Piece} pile a side's captured cards; null: no piles
 * @property {(scene: Scene) => Piece} stock the cards still to be dealt; null: none
 * @property {(scene: Scene, seat: number) => string|null} liftedCard a card of the hand to be raised
 * @property {(frame: Frame) => Piece} moveText the move in the list
 * @property {(frame: Frame) => string|null} tick another effect of the move, in a word or two; null: none
 * @property {(frame: Frame) => string|null} divider the events after the move in which nobody had a choice; null: none
 * @property {(frame: Frame, extra: any) => string|null} movedCard the card that flies
 * @property {(frame: Frame, before: Frame|null, extra: any) => Staged} [staged] the part of a move that
 * others see before it takes effect; without it only the moved card is shown
 * @property {(frame: Frame) => string[]} marks the marks on the time line
 * @property {(scene: Scene) => [string, string, number[]][]} [sums] the last rows of the score
 * sheet, if they are not the deal's points: words, clause, values by side
 * @property {(scene: Scene) => Record<string, (number|string)[]>} [amounts] by a line's key: the
 * number of scoring cards of each side
 * @property {(scene: Scene, points: Record<string, number[]>) => Record<string, Earned>} [earned] by a
 * line's key: the cards that earned its points, at the end of a deal; `points`: of each line
 * @property {(scene: Scene, seat: number) => Piece} [seatArea] the cards before a seat
 * @property {(scene: Scene, seat: number) => boolean} [rests] whether a seat sits out this deal
 * @property {number} [maxCorners] the most sides whose piles lie in the corners; else they lie with
 * the hands
 * @property {boolean} [scrolls] whether the middle may scroll
 * @property {boolean} [showsScores] whether the middle shows the scores itself
 */

export {}
