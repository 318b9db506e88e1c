// ES2015, as in page.js.
(() => {
  const byId = (id) => document.getElementById(id);

  // Detects the operator from the number as it is typed, by the same rule as guess.ts. Never overrides the payer's choice.
  const phone = byId('phone');
  const choice = byId('mobile_money-channel');
  if (phone && choice) {
    const wallets = Array.from(choice.options)
      .filter((option) => option.dataset.p)
      .map((option) => {
        const [code, trunk, digits, old] = option.dataset.n.split(',');
        return { id: option.value, code, trunk, digits: Number(digits), old, prefixes: option.dataset.p.split(' ') };
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
            best[wallet.code] = { id: wallet.id, prefix };
        });
      });
      const found = Object.keys(best);
      choice.value = found.length === 1 ? best[found[0]].id : '';
    };
    let chosen = choice.value !== '';
    choice.addEventListener('change', () => { chosen = choice.value !== ''; });
    phone.addEventListener('input', () => { if (!chosen) guess(); });
    if (!chosen) guess();
  }

  // Shows the brand of a test card and checks its Luhn sum while it is typed.
  const card = byId('number');
  const check = byId('card-check');
  if (card && check) {
    const brands = [['Visa', /^4/], ['Mastercard', /^(5[1-5]|2[2-7])/], ['Verve', /^(506|650)/], ['American Express', /^3[47]/]];
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
