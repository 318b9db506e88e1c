// ES2015, as in page.js.
(() => {
  const byId = (id) => document.getElementById(id);

  // Detects the operator from the number as it is typed, by the same rule as guess.ts. Never overrides the payer's choice.
  const phone = byId('phone');
  const tiles = Array.from(document.querySelectorAll('.ops input'));
  if (phone && tiles.length) {
    const wallets = tiles
      .filter((tile) => tile.dataset.p)
      .map((tile) => {
        const [code, trunk, digits, old] = tile.closest('.ops').dataset.n.split(',');
        return { tile, code, trunk, digits: Number(digits), old, prefixes: tile.dataset.p.split(' ') };
      });
    const several = wallets.some((wallet) => wallet.code !== wallets[0].code);
    const nationalOf = (typed, { code, trunk, digits, old }) => {
      const abroad = typed[0] === '+';
      let number = typed.replace('+', '');
      if (abroad && number.indexOf(code) !== 0) return '';
      if (abroad || (number.indexOf(code) === 0 && number.length === code.length + digits)) number = number.slice(code.length);
      if (trunk && number[0] === trunk) number = number.slice(1);
      if (old && number.length === digits - old.length) number = old + number;
      // An incomplete national number fits several countries.
      return number.length === digits || (number.length < digits && (abroad || !several)) ? number : '';
    };
    const guess = () => {
      const typed = phone.value.replace(/[^\d+]/g, '').replace(/^00/, '+');
      const best = {};
      wallets.forEach((wallet) => {
        const national = nationalOf(typed, wallet);
        wallet.prefixes.forEach((prefix) => {
          const known = best[wallet.code];
          if (national && national.indexOf(prefix) === 0 && !(known && known.prefix.length >= prefix.length))
            best[wallet.code] = { tile: wallet.tile, prefix };
        });
      });
      const found = Object.keys(best);
      tiles.forEach((tile) => { tile.checked = false; });
      if (found.length !== 1) return;
      const { tile } = best[found[0]];
      tile.checked = true;
      // A country whose tiles are closed.
      const more = tile.closest('.more');
      if (more) more.open = true;
    };
    let chosen = tiles.some((tile) => tile.checked);
    tiles.forEach((tile) => tile.addEventListener('click', () => { chosen = true; }));
    phone.addEventListener('input', () => {
      // An emptied field takes the choice back.
      if (!phone.value) chosen = false;
      if (!chosen) guess();
    });
    if (!chosen) guess();
  }

  // Shows the brand of a test card (the sandbox has those of two) and checks its Luhn sum while it is typed.
  const card = byId('number');
  const check = byId('card-check');
  if (card && check) {
    const brands = [['Visa', /^4/], ['Mastercard', /^5/]];
    const label = document.querySelector('label[for=number]');
    const brand = label.appendChild(document.createElement('span'));
    brand.className = 'brand';
    const passes = (digits) => digits.split('').reverse().reduce((sum, digit, i) => {
      const value = i % 2 ? digit * 2 : Number(digit);
      return sum + (value > 9 ? value - 9 : value);
    }, 0) % 10 === 0;
    card.addEventListener('input', () => {
      const digits = card.value.replace(/\D/g, '');
      const known = brands.find((entry) => entry[1].test(digits));
      brand.textContent = known ? known[0] : '';
      // Only at the end of the text: elsewhere the cursor would jump.
      if (card.selectionStart === card.value.length) card.value = digits.replace(/(\d{4})(?=\d)/g, '$1 ');
      check.textContent = digits.length >= 16 && !passes(digits) ? check.dataset.wrong : '';
    });
    const expiry = byId('expiry');
    expiry.addEventListener('input', (event) => {
      if (event.inputType !== 'deleteContentBackward' && /^\d\d$/.test(expiry.value)) expiry.value += '/';
    });
  }
})();
