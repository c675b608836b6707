// Plays steps one after another. Each step has parts with durations. No elements; the clock is a parameter.

/**
 * @typedef {object} Clock
 * @property {() => number} now milliseconds
 * @property {(ms: number, then: () => void) => (() => void)} after returns a function that cancels it
 */

/** @type {Clock} */
export const wallClock = {
  now: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}

/** @typedef {[string, number][]} Parts names and durations in ms */

export class Sequence {
  /**
   * Plays steps; a step begins only when the previous one has ended.
   *
   * @param {Clock} clock
   * @param {{ next: () => Parts|null, enter: (part: string, ms: number) => void, done: () => void }} handlers
   *   `next`: the parts of the next step, or null; `enter`: a part begins; `done`: no step is left
   */
  constructor(clock, handlers) {
    this.clock = clock
    this.handlers = handlers
    /** @type {Parts|null} */
    this.parts = null
    this.cancel = null
    this.isHurried = false
  }

  get isRunning() {
    return this.parts !== null
  }

  /** Begin, unless a step is running: its end starts the next one. */
  start() {
    if (!this.isRunning) this.#run()
  }

  /** End the running step immediately; the next one begins. */
  finish() {
    if (!this.isRunning) return
    this.cancel?.()
    this.isHurried = true
    this.#run()
  }

  /** Stop immediately, without entering another part. */
  stop() {
    this.cancel?.()
    this.parts = null
    this.isHurried = false
  }

  #run() {
    for (;;) {
      if (!this.parts?.length) {
        this.isHurried = false
        this.parts = this.handlers.next()
        if (!this.parts) return this.handlers.done()
        if (!this.parts.length) continue
      }
      const [name, duration] = this.parts[0]
      const ms = this.isHurried ? 0 : duration
      this.parts = this.parts.slice(1)
      this.handlers.enter(name, ms)
      if (ms > 0) {
        this.cancel = this.clock.after(ms, () => this.#run())
        return
      }
    }
  }
}
