import { type Html, html } from '../../../kit/html.ts';
import type { ChannelKind } from '../../../kit/channel-kind.ts';
import type { Channel } from '../../../providers/reference/channels.ts';
import { spaced } from '../../../providers/reference/phones.ts';
import type { MethodOption } from '../method-options.ts';
import type { FormScene } from './form.ts';
import { field, hidden } from '../../pages/parts.ts';
import { countryName, type Scene } from '../../pages/scene.ts';

/** What the payer typed, to be shown again. Never contains a card. */
export interface Typed {
  kind?: ChannelKind | undefined;
  channel?: string | undefined;
  phone?: string | undefined;
  account_number?: string | undefined;
}

/** Validation errors in the payer's language. */
export interface FieldErrors {
  /** Shown above the forms: an error that belongs to no single field. */
  alert?: string;
  channel?: string;
  phone?: string;
  account?: string;
  card?: string;
  otp?: string;
}

/**
 * Select field for the bank channel, grouped by country; lists only countries when each has one channel. A hidden field when
 * there is a single channel.
 */
export function bankField(scene: FormScene, { kind, channels, proposed }: MethodOption): Html {
  const { texts, typed, fieldErrors } = scene;
  if (channels.length === 1) return hidden('channel', channels[0]?.id ?? '');
  const chosen = channels.find(({ id }) => id === typed.channel) ?? proposed;
  const groups = [...Map.groupBy(channels, ({ country }) => country)];
  const named = (own: Channel[]) => own.map((channel) => option(channel, nameOf(scene, channel), chosen));
  const countryOf = (code: string) => countryName(scene.language, code);
  const options =
    groups.length === 1
      ? named(channels)
      : groups.length === channels.length
        ? channels.map((channel) => option(channel, countryOf(channel.country), chosen))
        : groups.map(([country, own]) => html`<optgroup label="${countryOf(country)}">${named(own)}</optgroup>`);
  return field(
    { id: `${kind}-channel`, label: texts.bank, error: fieldErrors.channel },
    (attributes) =>
      html`<select name="channel" required ${attributes}>${!chosen && html`<option value="">${texts.choose}</option>`}${options}</select>`,
  );
}

function option({ id }: Channel, label: string, chosen: Channel | null): Html {
  return html`<option value="${id}"${chosen?.id === id && html` selected`}>${label}</option>`;
}

/** Returns the channel's name. Operators have a name; the plain bank channel is called "bank transfer" in the payer's language. */
function nameOf({ texts }: Scene, { id, name }: Channel): string {
  return id.endsWith('.bank') ? texts.means.bank : name;
}

/** Id of the text about the PIN, below the button: the button stays on the first screen of a small phone. */
export const PIN_HELP = 'pin-help';

/** Field for the phone number, filled in with the typed number or that of the scene. */
export function phoneField({ texts, typed, phone, fieldErrors }: FormScene): Html {
  return field(
    { id: 'phone', label: texts.phone, helpElsewhere: PIN_HELP, error: fieldErrors.phone },
    (attributes) =>
      html`<input type="tel" name="phone" value="${typed.phone ?? (phone && spaced(phone))}" autocomplete="tel" inputmode="tel"
maxlength="32" required ${attributes}>`,
  );
}

/** Field for the bank account number, which is required in the sandbox only. */
export function accountFields({ texts, typed, sandbox, fieldErrors }: FormScene): Html {
  const label = sandbox ? texts.account : texts.accountOptional;
  return field(
    { id: 'account', label, help: texts.accountHelp, error: fieldErrors.account },
    (attributes) =>
      html`<input name="account_number" value="${typed.account_number}" autocomplete="off" inputmode="numeric"
maxlength="64"${sandbox && html` required`} ${attributes}>`,
  );
}

/** Fields of a test card, sandbox only. Autofill is disabled, so that no real card is entered by accident. */
export function cardFields({ texts }: Scene, fieldErrors: FieldErrors): Html {
  const plain = (id: string, label: string, attributes: Html) =>
    field(
      { id, label },
      (own) => html`<input name="${id}" autocomplete="off" inputmode="numeric" required ${attributes} ${own}>`,
    );
  const number = field(
    { id: 'number', label: texts.cardNumber, help: texts.testCardHelp, error: fieldErrors.card },
    (own) => html`<input name="number" autocomplete="off" inputmode="numeric" maxlength="23" required ${own}>`,
  );
  const expiry = plain('expiry', texts.expiry, html`maxlength="5" placeholder="${texts.expiryForm}"`);
  const cvc = plain('cvc', texts.cvc, html`maxlength="4"`);
  const checked = html`<p class="error" id="card-check" data-wrong="${texts.checkCard}" role="status"></p>`;
  return html`<div class="card">${number}${checked}<div class="pair">${expiry}${cvc}</div></div>`;
}
