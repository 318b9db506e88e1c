// The console is complete without this file. It adds keys, copying, and a menu that starts closed on a phone.
(() => {
  const menu = document.querySelector('.menu');
  const narrow = matchMedia('(max-width: 56rem)');
  const fold = () => {
    if (menu) menu.open = !narrow.matches;
  };
  fold();
  narrow.addEventListener('change', fold);

  // "/" goes to the search of the page; arrows walk the rows of a list.
  document.addEventListener('keydown', (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/' && !typing) {
      const search = document.querySelector('input[type=search]');
      if (search) {
        event.preventDefault();
        search.focus();
        search.select();
      }
    }
    if ((event.key === 'ArrowDown' || event.key === 'ArrowUp') && !typing) {
      const links = [...document.querySelectorAll('tbody tr a:first-of-type')].filter((link) => link.closest('td.main'));
      if (links.length === 0) return;
      const at = links.indexOf(document.activeElement);
      const next = links[event.key === 'ArrowDown' ? at + 1 : at - 1];
      if (next) {
        event.preventDefault();
        next.focus();
      }
    }
  });

  for (const holder of document.querySelectorAll('[data-copy]')) {
    if (!navigator.clipboard) break;
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = document.documentElement.lang === 'fr' ? 'Copier' : 'Copy';
    button.setAttribute('aria-label', `${button.textContent} ${holder.dataset.copy}`);
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(holder.dataset.copy);
      button.textContent = '✓';
      setTimeout(() => {
        button.textContent = document.documentElement.lang === 'fr' ? 'Copier' : 'Copy';
      }, 1500);
    });
    holder.append(button);
  }

  // A colour that is chosen is shown at once.
  for (const form of document.querySelectorAll('form[data-preview]')) {
    form.addEventListener('input', (event) => {
      const shown = document.querySelector('.preview');
      if (shown) shown.src = `${form.dataset.preview}?color=${encodeURIComponent(event.target.value)}`;
    });
  }

  // Where the page shows how far something is, it is read again until that has ended: for ten minutes, and not behind another tab.
  const follow = async (left) => {
    const shown = document.querySelector('[data-live]');
    if (!shown || left === 0) return;
    if (!document.hidden) {
      const answer = await fetch(location.href).catch(() => null);
      const page = answer?.ok && !answer.redirected && new DOMParser().parseFromString(await answer.text(), 'text/html');
      const now = page && page.getElementById(shown.id);
      if (now) {
        shown.querySelector('[role=status]').replaceChildren(...now.querySelector('[role=status]').childNodes);
        if (!('live' in now.dataset)) {
          delete shown.dataset.live;
          shown.querySelector('.form-actions')?.remove();
        }
      }
    }
    setTimeout(follow, 3000, left - 1);
  };
  setTimeout(follow, 3000, 200);

  // A second click while the first is on its way would only show a repeated answer.
  document.addEventListener('submit', (event) => {
    for (const button of event.target.querySelectorAll('button:not([name])')) setTimeout(() => (button.disabled = true));
  });
  addEventListener('pageshow', () => {
    for (const button of document.querySelectorAll('button[disabled]')) button.disabled = false;
  });
})();
