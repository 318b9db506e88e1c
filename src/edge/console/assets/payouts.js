// Pages of bulk payouts are complete without this file. It reads a file into the form, and goes on with a list by itself.
(() => {
  const file = document.querySelector('input[type=file][data-fills]');
  if (file) {
    file.closest('[hidden]').hidden = false;
    file.addEventListener('change', async () => {
      const [chosen] = file.files;
      if (chosen) document.getElementById(file.dataset.fills).value = await chosen.text();
    });
  }
  const next = document.querySelector('form[data-go-on]');
  if (next) setTimeout(() => next.requestSubmit(), 400);
})();
