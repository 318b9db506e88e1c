// Nothing newer than ES2015: feature phones run browsers of 2016, and a script they can not read would stop the page.
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  // A second tap on a slow network must not submit twice; the pressed button stays enabled, or its value would be lost.
  all('form').forEach((form) => {
    let sent = false;
    form.addEventListener('submit', (event) => {
      if (sent) return event.preventDefault();
      sent = true;
      (event.submitter || form.querySelector('button')).setAttribute('aria-busy', 'true');
    });
  });
  // Coming back with the back button: ask where the payment stands instead of showing what was.
  addEventListener('pageshow', (event) => {
    if (event.persisted) location.reload();
  });

  all('[data-return]').forEach((link) => {
    const timer = setTimeout(() => location.assign(link.href), link.dataset.return * 1000);
    const stay = document.querySelector('[data-stay]');
    stay.hidden = false;
    stay.addEventListener('click', () => {
      clearTimeout(timer);
      all('[data-soon]').forEach((part) => { part.hidden = true; });
    });
  });
})();
