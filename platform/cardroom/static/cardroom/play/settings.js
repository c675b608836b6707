// The player's settings, stored in this browser: pace, sound, one tap, motion.

import { PACES } from '../board/pace.js'
import { isMotionReduced } from '../board/stage.js'

const DEFAULT_PACE = 'normal'
const key = (name) => `cardroom.play.${name}`

export class Settings {
  /** @type {Map<string, string>} */
  chosen = new Map()

  constructor(root) {
    this.audio = null
    for (const box of root.querySelectorAll('[data-setting]')) {
      const { setting } = box.dataset
      const isChoice = box.type === 'radio'
      box.checked = isChoice ? this[setting] === box.value : this.isOn(setting)
      box.addEventListener('change', () =>
        this.store(setting, isChoice ? box.value : box.checked ? 'on' : 'off'),
      )
    }
  }

  /** The stored value, or null. */
  read(name) {
    try {
      return localStorage.getItem(key(name))
    } catch {
      return this.chosen.get(name) ?? null
    }
  }

  store(name, value) {
    this.chosen.set(name, value)
    try {
      localStorage.setItem(key(name), value)
    } catch {
      // Storage is blocked; the setting lasts only for this page.
    }
  }

  isOn(name) {
    return this.read(name) === 'on'
  }

  /** The pace of other players' moves. */
  get pace() {
    const chosen = this.read('pace')
    return Object.hasOwn(PACES, chosen ?? '')
      ? /** @type {keyof typeof PACES} */ (chosen)
      : DEFAULT_PACE
  }

  get still() {
    return isMotionReduced() || this.isOn('still')
  }

  /** One soft click, if sound is on. */
  click() {
    if (!this.isOn('sound')) return
    this.audio ??= new AudioContext()
    const { currentTime, destination } = this.audio
    const tone = this.audio.createOscillator()
    const volume = this.audio.createGain()
    tone.frequency.value = 420
    volume.gain.setValueAtTime(0.05, currentTime)
    volume.gain.exponentialRampToValueAtTime(0.0001, currentTime + 0.06)
    tone.connect(volume).connect(destination)
    tone.start()
    tone.stop(currentTime + 0.06)
  }
}
