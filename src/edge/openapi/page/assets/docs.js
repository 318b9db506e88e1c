(() => {
  'use strict';
  const root = document.documentElement;
  root.classList.add('js');
  const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];

  // Contents: open beside the text, a drawer above it on a phone.
  const contents = document.querySelector('.contents');
  const wide = matchMedia('(min-width: 64rem)');
  const settle = () => { contents.open = wide.matches; };
  wide.addEventListener('change', settle);
  settle();
  contents.addEventListener('click', (event) => {
    if (!wide.matches && event.target.closest('a')) contents.open = false;
  });

  // Language of the samples.
  const speak = (language) => {
    root.dataset.lang = language;
    for (const button of all('[data-language]')) button.setAttribute('aria-pressed', String(button.dataset.language === language));
  };
  for (const button of all('[data-language]')) button.addEventListener('click', () => speak(button.dataset.language));

  // Copying a sample.
  for (const block of all('.block')) {
    const button = document.createElement('button');
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      await navigator.clipboard.writeText(block.querySelector('code').textContent);
      button.textContent = 'Copied';
      setTimeout(() => { button.textContent = 'Copy'; }, 1500);
    });
    block.querySelector('figcaption').append(button);
  }

  // Search: in titles and paths first; in everything when no title has the words.
  const search = document.getElementById('search');
  const sections = all('main section').map((section) => ({
    section,
    title: (section.querySelector('h3, h2, h1')?.textContent + ' ' + (section.querySelector('.line')?.textContent ?? '')).toLowerCase(),
    text: section.textContent.toLowerCase(),
    link: section.id && document.querySelector(`nav a[href="#${section.id}"]`)?.parentElement,
  }));
  const find = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const having = (part) => sections.filter((entry) => words.every((word) => entry[part].includes(word)));
    const titled = having('title');
    const found = new Set(words.length === 0 || titled.length === 0 ? having('text') : titled);
    for (const entry of sections) {
      entry.section.hidden = !found.has(entry);
      if (entry.link) entry.link.hidden = !found.has(entry);
    }
    for (const group of all('.group')) group.hidden = !all('section', group).some((section) => !section.hidden) && words.length > 0;
    // The chapters about everything are one section.
    for (const item of all('nav li')) if (/^#about/.test(item.firstElementChild.getAttribute('href'))) item.hidden = !found.has(sections[0]);
    for (const list of all('nav ul')) {
      const empty = words.length > 0 && !all('li', list).some((item) => !item.hidden);
      list.hidden = empty;
      list.previousElementSibling.hidden = empty;
    }
    document.querySelector('.nothing').hidden = found.size > 0;
    if (words.length > 0) scrollTo(0, 0);
  };
  search.addEventListener('input', find);
  document.addEventListener('keydown', (event) => {
    if (event.key === 'Escape' && document.activeElement === search) { search.value = ''; find(); }
    if (event.key !== '/' || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
    event.preventDefault();
    search.focus();
  });
  addEventListener('hashchange', () => {
    if (document.getElementById(location.hash.slice(1))?.closest('[hidden]')) { search.value = ''; find(); document.getElementById(location.hash.slice(1)).scrollIntoView(); }
  });

  // Where one is.
  const seen = new IntersectionObserver((entries) => {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      for (const link of all('nav a[aria-current]')) link.removeAttribute('aria-current');
      const link = document.querySelector(`nav a[href="#${target.id}"]`);
      link?.setAttribute('aria-current', 'true');
      // A focus ring or a whole page must not move because of it: only the list itself scrolls.
      if (link && wide.matches) contents.parentElement.scrollTop += link.getBoundingClientRect().top - innerHeight / 2;
    }
  }, { rootMargin: '-20% 0px -75% 0px' });
  for (const { section } of sections) if (section.id) seen.observe(section);

  // Trying a call. The key stays in this tab.
  const KEY = 'pirogue-sandbox-key';
  const keys = all('.try input[name=key]');
  const fillKeys = (key) => { for (const input of keys) input.value = key; };
  fillKeys(sessionStorage.getItem(KEY) ?? document.querySelector('meta[name=sandbox-key]')?.content ?? '');
  for (const input of keys) {
    input.addEventListener('change', () => {
      const key = input.value.trim();
      // Anything else is forgotten: a secret key has no business in a browser.
      if (/^pk_test\./.test(key)) sessionStorage.setItem(KEY, key);
      else sessionStorage.removeItem(KEY);
      fillKeys(key);
    });
  }

  const element = (tag, text, className = '') => Object.assign(document.createElement(tag), { textContent: text, className });

  for (const form of all('.try form')) form.addEventListener('submit', (event) => { event.preventDefault(); send(form); });

  async function send(form) {
    const result = form.querySelector('.result');
    const tell = (...parts) => result.replaceChildren(...parts);
    const key = form.elements.key.value.trim();
    if (!/^pk_test\.\w+$/.test(key)) {
      tell(element('p', 'Type a public sandbox key: it starts with pk_test. Any other kind must never be used in a browser.', 'bad'));
      form.elements.key.focus();
      return;
    }
    const missing = all('[data-in=path]', form).find((input) => !input.value.trim());
    if (missing) {
      tell(element('p', `${missing.name} is required.`, 'bad'));
      missing.focus();
      return;
    }
    const path = form.dataset.path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(form.elements[name].value.trim()));
    const query = new URLSearchParams(all('[data-in=query]', form).filter((input) => input.value.trim()).map((input) => [input.name, input.value.trim()])).toString();
    const headers = { Authorization: key };
    const body = form.elements.body?.value;
    if (body !== undefined) headers['Content-Type'] = 'application/json';
    if (form.dataset.method === 'POST') headers['Idempotency-Key'] = crypto.randomUUID?.() ?? `try-${Date.now().toString(36)}`;
    const button = form.querySelector('button');
    button.disabled = true;
    tell(element('p', 'Sending …'));
    const started = performance.now();
    try {
      const answer = await fetch(path + (query && `?${query}`), {
        method: form.dataset.method, headers, body, credentials: 'omit', cache: 'no-store', signal: AbortSignal.timeout(30000),
      });
      const text = await answer.text();
      show(tell, answer, text, Math.round(performance.now() - started));
    } catch {
      tell(element('p', 'No answer came. Is the service running?', 'bad'));
    }
    button.disabled = false;
  }

  function show(tell, answer, text, ms) {
    const data = (() => { try { return JSON.parse(text); } catch { return null; } })();
    const head = element('p', `${answer.status} ${answer.statusText} · ${ms} ms · ${answer.headers.get('X-Request-Id') ?? ''}`, answer.ok ? 'good' : 'bad');
    const parts = [head];
    if (data?.transaction?.id) {
      // What follows a payment is done to it.
      for (const input of all('[data-path^="/payments/{"] [data-in=path]')) input.value = data.transaction.id;
    }
    if (/^https?:\/\//.test(data?.authorization_url ?? '')) {
      const link = element('a', 'Open the hosted page');
      Object.assign(link, { href: data.authorization_url, target: '_blank', rel: 'noopener noreferrer' });
      const line = element('p', '');
      line.append(link);
      parts.push(line);
    }
    const pre = element('pre', data ? JSON.stringify(data, null, 2) : text);
    pre.tabIndex = 0;
    tell(...parts, pre);
  }
})();
