import type { Answer, Call } from './calls.ts';

/**
 * Returns a provider's payment page, on which the payer enters a number and pays: manually in a browser, or by {@link
 * payOn}.
 */
export function payingPage(provider: string, what: string): Answer {
  const html = [
    '<!DOCTYPE html><html lang="fr"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
    `<title>${provider} (simulator)</title></head><body><h1>${provider} (simulator)</h1><p>${what}</p>`,
    '<form method="post"><label>Numéro <input name="msisdn" inputmode="tel" required></label> <button>Payer</button></form>',
    '</body></html>',
  ].join('\n');
  return { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: html };
}

/** Returns a page with the reason why no payment is possible. */
export function closedPage(status: number, text: string): Answer {
  return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body: text };
}

/** Redirects the payer after the payment. */
export function leadsTo(url: string): Answer {
  return { status: 303, headers: { location: url }, body: null };
}

/** Returns the number that was entered, as digits with the country code; null when it is not a number. */
export function typedNumber(call: Call): string | null {
  const digits = (new URLSearchParams(call.body.toString('utf8')).get('msisdn') ?? '').replace(/\D/g, '');
  return /^\d{8,15}$/.test(digits) ? digits : null;
}

const TRIES = 8;
const PAUSE_MS = 60;

/** Opens a page like a payer and pays with this number. Retries while the page does not respond. */
export async function payOn(url: string, number: string): Promise<void> {
  for (let tries = 1; tries <= TRIES; tries++) {
    if (await submitted(url, number)) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS * tries));
  }
}

/** Returns whether the response is final, so that a retry would not change it. */
async function submitted(url: string, number: string): Promise<boolean> {
  try {
    const body = new URLSearchParams({ msisdn: number });
    const answer = await fetch(url, { method: 'POST', body, redirect: 'manual', signal: AbortSignal.timeout(30_000) });
    await answer.arrayBuffer();
    return answer.status < 500 && answer.status !== 429 && answer.status !== 200;
  } catch {
    return false;
  }
}
