import { html } from '../../../kit/html.ts';
import { qrCode } from '../../checkout/qr.ts';
import type { Texts } from '../language.ts';
import type { Visit } from '../page.ts';
import { card, idText } from './parts.ts';

const TEXTS: Texts<Record<'open' | 'qr', string>> = {
  en: { open: 'Open the page', qr: 'QR code of this address' },
  fr: { open: 'Ouvrir la page', qr: 'Code QR de cette adresse' },
};

/** A page for payers: its address to copy, and a code to scan or print. */
export function shareCard({ language }: Visit, title: string, url: string) {
  const texts = TEXTS[language];
  return card(
    title,
    html`<p class="address">${idText(url)}</p><p class="code-picture">${qrCode(url, texts.qr)}</p>
<div class="form-actions"><a class="button quiet-button" href="${url}" rel="noopener noreferrer">${texts.open}</a></div>`,
  );
}
