// Asks the browser for a passkey and puts its answer into the form. Without this file, or where passkeys do not work, the form stays
// hidden and people use their password.
(() => {
  if (!window.PublicKeyCredential || !navigator.credentials) return;

  const bytes = (text) => Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (character) => character.charCodeAt(0));
  const text = (buffer) =>
    btoa(String.fromCharCode(...new Uint8Array(buffer)))
      .replace(/\+/g, '-')
      .replace(/\//g, '_')
      .replace(/=+$/, '');
  const withBytes = (list) => (list || []).map((one) => ({ ...one, id: bytes(one.id) }));

  const ask = async (make, options) => {
    const publicKey = { ...options, challenge: bytes(options.challenge) };
    if (!make) return navigator.credentials.get({ publicKey });
    publicKey.user = { ...options.user, id: bytes(options.user.id) };
    publicKey.excludeCredentials = withBytes(options.excludeCredentials);
    return navigator.credentials.create({ publicKey });
  };

  const written = ({ id, rawId, type, response }) => {
    const answer = { clientDataJSON: text(response.clientDataJSON) };
    if (response.attestationObject) {
      answer.attestationObject = text(response.attestationObject);
      answer.transports = response.getTransports ? response.getTransports() : [];
    } else {
      answer.authenticatorData = text(response.authenticatorData);
      answer.signature = text(response.signature);
      if (response.userHandle) answer.userHandle = text(response.userHandle);
    }
    return JSON.stringify({ id, rawId: text(rawId), type, response: answer, clientExtensionResults: {} });
  };

  for (const form of document.querySelectorAll('form[data-passkey]')) {
    form.hidden = false;
    form.addEventListener('submit', async (event) => {
      const field = form.querySelector('[data-answer]');
      if (field.value) return;
      event.preventDefault();
      const failure = form.querySelector('[data-failure]');
      failure.hidden = true;
      try {
        field.value = written(await ask(form.dataset.passkey === 'create', JSON.parse(form.dataset.options)));
        form.submit();
      } catch {
        failure.hidden = false;
        for (const button of form.querySelectorAll('button')) setTimeout(() => (button.disabled = false));
      }
    });
  }
})();
