// A soft click when a card is played, off by default; the setting is stored in this browser.

const KEY = 'sound'
const CLICK_S = 0.05

/** Whether the stored setting is on. If storage is blocked, the setting lasts only for this page. */
function isStoredOn() {
  try {
    return localStorage.getItem(KEY) === 'on'
  } catch {
    return false
  }
}

export class Sound {
  constructor(button) {
    this.button = button
    /** @type {AudioContext|null} */
    this.context = null
    this.set(isStoredOn())
  }

  set(isOn) {
    this.isOn = isOn
    this.button?.setAttribute('aria-pressed', String(isOn))
  }

  toggle() {
    this.set(!this.isOn)
    try {
      localStorage.setItem(KEY, this.isOn ? 'on' : 'off')
    } catch {
      // Storage is blocked; the setting lasts only for this page.
    }
    this.click()
  }

  /** A short low tone that fades immediately. */
  click() {
    if (!this.isOn) return
    this.context ??= new AudioContext()
    const { context } = this
    const tone = context.createOscillator()
    const loudness = context.createGain()
    const now = context.currentTime
    tone.frequency.setValueAtTime(420, now)
    tone.frequency.exponentialRampToValueAtTime(160, now + CLICK_S)
    loudness.gain.setValueAtTime(0.12, now)
    loudness.gain.exponentialRampToValueAtTime(0.001, now + CLICK_S)
    tone.connect(loudness).connect(context.destination)
    tone.start(now)
    tone.stop(now + CLICK_S)
  }
}
