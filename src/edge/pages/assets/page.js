// ES2015 at most: feature phones run browsers of 2016, and a script that they cannot parse would break the page.
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  // A second tap on a slow network must not submit twice. The pressed button stays enabled, or its value would not be sent.
  all('form').forEach((form) => {
    let sent = false;
    form.addEventListener('submit', (event) => {
      if (sent) return event.preventDefault();
      sent = true;
      (event.submitter || form.querySelector('button')).setAttribute('aria-busy', 'true');
    });
  });
  // The back button restores an old page: reload it, so that it shows the payment's current status.
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
