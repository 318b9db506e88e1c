// Pages of bulk payouts are complete without this file. It reads a file into the form, keeps a list that is too long from being sent, and goes on
// with a list by itself.
(() => {
  const list = document.querySelector('textarea[data-max]');
  // A line break is sent as two characters.
  const length = () => list.value.length + list.value.split('\n').length - 1;
  const measure = () => list.setCustomValidity(length() > Number(list.dataset.max) ? list.dataset.tooLong : '');
  list?.addEventListener('input', measure);
  // Excel saves CSV in the code page of its language, in which hardly a name with an accent is valid UTF-8.
  const textOf = (bytes) => {
    try {
      return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    } catch {
      return new TextDecoder('windows-1252').decode(bytes);
    }
  };
  const file = document.querySelector('input[type=file][data-fills]');
  if (file) {
    file.closest('[hidden]').hidden = false;
    file.addEventListener('change', async () => {
      const [chosen] = file.files;
      if (!chosen) return;
      list.value = textOf(await chosen.arrayBuffer());
      measure();
    });
  }
  const next = document.querySelector('form[data-go-on]');
  if (next) setTimeout(() => next.requestSubmit(), 400);
})();
