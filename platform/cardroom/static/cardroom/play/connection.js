// Polls the table's state and posts the person's actions. There is one request at a time; if the site cannot
// be reached, retries wait longer and longer. Other tabs of this browser with the same table are notified of
// changes and poll immediately.

const FIRST_WAIT = 1000
const LONGEST_WAIT = 30_000
const GROWTH = 1.7
const MOST_HIDDEN = 20_000 // a hidden tab polls rarely

/** Marks requests as sent by this page. */
export const token = () => document.cookie.match(/(?:^|; )csrftoken=([^;]+)/)?.[1] ?? ''

/** A refusal by the site: a sentence, a code, and possibly the state. */
export class Refused extends Error {
  constructor(answer) {
    super(answer.error ?? 'The site refused this.')
    this.code = answer.code ?? 'invalid'
    this.clause = answer.clause ?? ''
    this.state = answer.state ?? null
  }
}

export class Connection {
  /**
   * @param {string} address of the table
   * @param {{ onState: (state: any) => void, onSame: () => void, onLost: (inMs: number) => void,
   *   onFound: () => void }} told
   */
  constructor(address, told) {
    this.address = address
    this.told = told
    this.after = 0
    this.version = null
    this.etag = null
    this.failures = 0
    this.timer = null
    this.asking = null
    this.pause = 0
    this.mayHold = true // whether the site may hold its response until something changes
    this.tabs = new BroadcastChannel(`cardroom.table.${address}`)
    this.tabs.addEventListener('message', () => this.again())
    document.addEventListener('visibilitychange', () => document.hidden || this.back())
    addEventListener('online', () => this.back())
    addEventListener('pageshow', (event) => event.persisted && this.back())
  }

  /** Process a state from any response, and schedule the next request. */
  take(state) {
    this.after = state.frames_total
    this.version = state.version
    this.pause = state.poll
    this.etag = null
    this.plan()
  }

  plan(inMs = this.pause) {
    clearTimeout(this.timer)
    const wait = document.hidden ? Math.max(inMs, Math.min(MOST_HIDDEN, inMs * 4 || 2000)) : inMs
    this.timer = setTimeout(() => this.ask(), wait)
  }

  /** The tab is visible again: poll immediately, without waiting for a change. */
  back() {
    this.mayHold = false
    this.again()
  }

  /** Poll immediately. */
  now() {
    this.plan(0)
  }

  /** The state has changed here, so ignore the response to a request made before. */
  again() {
    this.asking?.abort()
    this.plan(0)
  }

  async ask() {
    if (this.asking) return
    const query = new URLSearchParams({ after: String(this.after), version: String(this.version) })
    if (this.pause === 0 && this.mayHold) query.set('wait', '1')
    this.mayHold = true
    const invited = new URLSearchParams(location.search).get('invitation')
    if (invited) query.set('invitation', invited)
    this.asking = new AbortController()
    try {
      const answer = await fetch(`${this.address}state/?${query}`, {
        headers: this.etag ? { 'If-None-Match': this.etag } : {},
        signal: AbortSignal.any([this.asking.signal, AbortSignal.timeout(15_000)]),
      })
      if (answer.status === 304) return this.reached(() => this.same())
      if (!answer.ok) throw new Error(String(answer.status))
      const state = await answer.json()
      this.reached(() => this.receive(state, answer.headers.get('ETag')))
    } catch {
      if (!this.asking.signal.aborted) this.lost()
    } finally {
      this.asking = null
    }
  }

  same() {
    this.told.onSame()
    this.plan(this.pause || 50)
  }

  receive(state, etag) {
    const known = state.version === this.version && state.frames_total === this.after
    this.told.onState(state)
    this.take(state)
    this.etag = known ? etag : null
  }

  reached(then) {
    if (this.failures) this.told.onFound()
    this.failures = 0
    then()
  }

  lost() {
    const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * GROWTH ** this.failures)
    this.failures += 1
    this.told.onLost(wait)
    this.plan(wait)
  }

  /**
   * POST one of the table's verbs; the answer's JSON. Throws Refused, or TypeError without a site.
   *
   * @param {string} verb
   * @param {object} body
   */
  async post(verb, body = {}) {
    this.asking?.abort()
    clearTimeout(this.timer)
    try {
      const answer = await fetch(`${this.address}${verb}/`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'X-CSRFToken': token() },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(15_000),
      })
      const said = await answer.json().catch(() => ({}))
      if (!answer.ok) throw new Refused(said)
      return said
    } finally {
      this.plan()
    }
  }

  /** POST a verb that returns the state. */
  async do(verb, body = {}) {
    const state = await this.post(verb, { ...body, after: this.after })
    this.tabs.postMessage(state.version)
    this.told.onState(state)
    this.take(state)
    return state
  }
}
