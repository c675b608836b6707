// What a player has switched on for themselves, kept in this browser: sound, one tap, motion.

const calm = matchMedia('(prefers-reduced-motion: reduce)')
const key = (name) => `cardroom.play.${name}`

export class Settings {
  constructor(root) {
    this.audio = null
    for (const box of root.querySelectorAll('[data-setting]')) {
      box.checked = this.isOn(box.dataset.setting)
      box.addEventListener('change', () => this.set(box.dataset.setting, box.checked))
    }
  }

  isOn(name) {
    try {
      return localStorage.getItem(key(name)) === 'on'
    } catch {
      return false
    }
  }

  set(name, isOn) {
    try {
      localStorage.setItem(key(name), isOn ? 'on' : 'off')
    } catch {
      // A browser that keeps nothing forgets it with the page.
    }
  }

  get calm() {
    return calm.matches || document.documentElement.dataset.motion === 'off' || this.isOn('still')
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
