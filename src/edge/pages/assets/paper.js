// ES2015, as in page.js.
(() => {
  // Buttons that copy what is typed at the bank or quoted to the merchant. Where the clipboard is not available, the text is
  // selected instead.
  Array.from(document.querySelectorAll('[data-copy]')).forEach((button) => {
    button.hidden = false;
    button.addEventListener('click', () => {
      const done = () => { button.textContent = button.dataset.done; };
      const select = () => getSelection().selectAllChildren(button.previousElementSibling);
      if (navigator.clipboard) navigator.clipboard.writeText(button.dataset.copy).then(done, select);
      else select();
    });
  });
})();
