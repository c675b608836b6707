// A soft click when a card is played, off by default; the setting is stored in this browser.

const KEY = 'sound'
const CLICK_S = 0.05

/** Storage may be forbidden; the setting then lasts for this page. */
function kept() {
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
    this.tell(kept())
  }

  tell(isOn) {
    this.isOn = isOn
    this.button?.setAttribute('aria-pressed', String(isOn))
  }

  toggle() {
    this.tell(!this.isOn)
    try {
      localStorage.setItem(KEY, this.isOn ? 'on' : 'off')
    } catch {
      // lasts for this page only
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
