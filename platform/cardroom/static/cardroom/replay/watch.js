// Starts a small table (watching.js, or live.js for a running match) once the page is loaded and the table is
// in view, so that the page does not wait for it.

async function begin(root) {
  try {
    if (root.dataset.live) await import('./live.js')
    else await (await import('./watching.js')).begin(root)
  } catch (error) {
    root.querySelector('[data-part="last"]').textContent =
      `The table could not be loaded. ${error.message}`
  }
}

function watch() {
  const root = document.querySelector('.livec:is([data-watch], [data-live])')
  if (!root) return
  new IntersectionObserver(([seen], watcher) => {
    if (!seen.isIntersecting) return
    watcher.disconnect()
    begin(root)
  }).observe(root)
}

if (document.readyState === 'complete') watch()
else addEventListener('load', watch)
