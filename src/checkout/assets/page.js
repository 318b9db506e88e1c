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

  all('[data-follow]').forEach((page) => {
    let wait_ms = 1000;
    let timer;
    const later = () => {
      clearTimeout(timer);
      wait_ms = Math.min(wait_ms * 1.15, 15000);
      timer = setTimeout(look, wait_ms);
    };
    const compare = (now) => {
      if ([now.status, now.step, now.attempt].join(' ') === page.dataset.state) later();
      else location.replace(location.pathname);
    };
    const look = () => {
      clearTimeout(timer);
      // Without a signal, or with an answer that is none, the next look may have more luck.
      fetch(page.dataset.follow, { cache: 'no-store', credentials: 'same-origin' })
        .then((answer) => (answer.ok ? answer.json().then(compare) : later()))
        .catch(later);
    };
    timer = setTimeout(look, wait_ms);
    // The payer was in the operator's menu and comes back.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) look();
    });
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
