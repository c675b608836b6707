// Polls the table's state and posts the person's actions, one request at a time. While the site cannot be
// reached, retries wait longer and longer. Other tabs with the same table are notified of changes and poll
// immediately.

const MIN_WAIT_MS = 1000
const MAX_WAIT_MS = 30_000
const GROWTH = 1.7
const MAX_HIDDEN_MS = 20_000 // a hidden tab polls rarely
const HELD_MS = 1000 // a site that answers sooner could not hold the request
const UNHELD_MS = 500

/** The token that Django requires with POST requests. */
export const csrfToken = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? ''

/** A refusal by the site: a sentence, a code, and possibly the state. */
export class Refused extends Error {
  constructor(response) {
    super(response.error ?? 'The site refused this.')
    this.code = response.code ?? 'invalid'
    this.clause = response.clause ?? ''
    this.state = response.state ?? null
  }
}

export class Connection {
  /**
   * @param {string} address of the table
   * @param {{ onState: (state: any) => void, onSame: () => void, onLost: (inMs: number) => void,
   *   onFound: () => void, onGone: () => void }} handlers
   */
  constructor(address, handlers) {
    this.address = address
    this.handlers = handlers
    this.after = 0
    this.version = null
    this.etag = null
    this.failures = 0
    this.timer = null
    this.request = null
    this.pollMs = 0
    this.mayHold = true // whether the site may hold its response until something changes
    this.tabs = new BroadcastChannel(`cardroom.table.${address}`)
    this.tabs.addEventListener('message', () => this.repoll())
    document.addEventListener('visibilitychange', () => document.hidden || this.resume())
    addEventListener('online', () => this.resume())
    addEventListener('pageshow', (event) => event.persisted && this.resume())
  }

  /** Store the version of a received state, and schedule the next request. */
  accept(state) {
    this.after = state.frames_total
    this.version = state.version
    this.pollMs = state.poll
    this.etag = null
    this.schedule()
  }

  schedule(waitMs = this.pollMs) {
    clearTimeout(this.timer)
    const wait = document.hidden
      ? Math.max(waitMs, Math.min(MAX_HIDDEN_MS, waitMs * 4 || 2000))
      : waitMs
    this.timer = setTimeout(() => this.poll(), wait)
  }

  /** Poll immediately, and ask the site not to hold its response. */
  resume() {
    this.mayHold = false
    this.repoll()
  }

  /** Poll immediately. */
  pollNow() {
    this.schedule(0)
  }

  /** Poll immediately; ignore the response to a running request, which may be out of date. */
  repoll() {
    this.request?.abort()
    this.schedule(0)
  }

  async poll() {
    if (this.request) return
    const query = new URLSearchParams({ after: String(this.after), version: String(this.version) })
    if (this.pollMs === 0 && this.mayHold) query.set('wait', '1')
    this.mayHold = true
    const invitation = new URLSearchParams(location.search).get('invitation')
    if (invitation) query.set('invitation', invitation)
    this.request = new AbortController()
    this.polledAt = performance.now()
    try {
      const response = await fetch(`${this.address}state/?${query}`, {
        headers: this.etag ? { 'If-None-Match': this.etag } : {},
        signal: AbortSignal.any([this.request.signal, AbortSignal.timeout(15_000)]),
      })
      if (response.status === 404) return this.reached(() => this.handlers.onGone())
      if (response.status === 304) return this.reached(() => this.same())
      if (!response.ok) throw new Error(String(response.status))
      const state = await response.json()
      this.reached(() => this.receive(state, response.headers.get('ETag')))
    } catch {
      if (!this.request.signal.aborted) this.lost()
    } finally {
      this.request = null
    }
  }

  same() {
    this.handlers.onSame()
    const wasHeld = performance.now() - this.polledAt >= HELD_MS
    this.schedule(this.pollMs || (wasHeld ? 50 : UNHELD_MS))
  }

  receive(state, etag) {
    const known = state.version === this.version && state.frames_total === this.after
    this.take(state)
    this.etag = known ? etag : null
  }

  /** Pass a state to the page, unless a newer one has overtaken it. */
  take(state) {
    if (state.version < this.version || state.frames_total < this.after) return this.schedule()
    this.handlers.onState(state)
    this.accept(state)
  }

  reached(then) {
    if (this.failures) this.handlers.onFound()
    this.failures = 0
    then()
  }

  lost() {
    const wait = Math.min(MAX_WAIT_MS, MIN_WAIT_MS * GROWTH ** this.failures)
    this.failures += 1
    this.handlers.onLost(wait)
    this.schedule(wait)
  }

  /**
   * POST one of the table's verbs; returns the JSON of the response. Throws Refused, or TypeError if the site
   * cannot be reached.
   *
   * @param {string} verb
   * @param {object} body
   */
  async post(verb, body = {}) {
    this.request?.abort()
    clearTimeout(this.timer)
    try {
      const response = await fetch(`${this.address}${verb}/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRFToken': csrfToken() },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      })
      const data = await response.json().catch(() => ({}))
      if (!response.ok) throw new Refused(data)
      this.schedule()
      return data
    } catch (error) {
      if (error instanceof Refused) this.schedule()
      else this.lost()
      throw error
    }
  }

  /** POST a verb that returns the state. */
  async do(verb, body = {}) {
    const state = await this.post(verb, { ...body, after: this.after })
    this.tabs.postMessage(state.version)
    this.take(state)
    return state
  }
}
