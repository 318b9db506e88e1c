// ES2015, as in page.js.
(() => {
  const all = (selector) => Array.from(document.querySelectorAll(selector));

  all('.ask').forEach((answer) => { answer.hidden = false; });

  // Countdown of the operator's confirmation window. It counts from the load of the page, because phone clocks are often
  // wrong.
  all('[data-left]').forEach((clock) => {
    const since = performance.now();
    const tick = () => {
      const left_s = Math.ceil((clock.dataset.left - (performance.now() - since)) / 1000);
      if (left_s > 0) {
        clock.textContent = Math.floor(left_s / 60) + ':' + ('0' + (left_s % 60)).slice(-2);
        return;
      }
      clearInterval(timer);
      document.querySelector('.steps').hidden = true;
      document.querySelector('[data-late]').hidden = false;
    };
    const timer = setInterval(tick, 1000);
    tick();
  });

  all('[data-follow]').forEach((page) => {
    const path = page.dataset.follow;
    let wait_ms = 1000;
    let timer;
    // Offline, a reload would show the browser's own error page. The page waits for the connection instead.
    const renew = () => {
      if (navigator.onLine === false) addEventListener('online', renew, { once: true });
      else location.replace(path);
    };
    const compare = (now) => {
      if ([now.status, now.step, now.attempt].join(' ') !== page.dataset.state) renew();
    };
    const later = () => {
      clearTimeout(timer);
      timer = setTimeout(look, wait_ms);
      wait_ms = Math.min(wait_ms * 1.15, 15000);
    };
    const look = () => {
      clearTimeout(timer);
      // Offline or after an unreadable answer, the next poll may succeed.
      fetch(path + '/status', { cache: 'no-store', credentials: 'same-origin' })
        .then((answer) => (answer.ok ? answer.json().then(compare) : null))
        .then(later, later);
    };
    if (window.EventSource) {
      const events = new EventSource(path + '/events');
      events.onmessage = (event) => {
        compare(JSON.parse(event.data));
        // The server sends an event at least every 15 s. After 45 s without one, a proxy probably buffers the stream: poll.
        clearTimeout(timer);
        timer = setTimeout(look, 45000);
      };
      events.onerror = () => { if (events.readyState === 2) look(); };
      timer = setTimeout(look, 5000);
    } else later();
    // The payer returns from the operator's menu.
    document.addEventListener('visibilitychange', () => {
      if (!document.hidden) look();
    });
  });
})();
