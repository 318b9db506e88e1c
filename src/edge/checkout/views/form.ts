import { type Html, html } from '../../../kit/html.ts';
import type { SavedPayer } from '../../../core/charge/saved.ts';
import type { Item } from '../../../core/payments/fields.ts';
import { cut } from '../../../kit/unicode.ts';
import type { ChannelKind } from '../../../kit/channel-kind.ts';
import { leftOf, type MethodOption } from '../method-options.ts';
import { qrCode } from '../qr.ts';
import { type FieldErrors, type Typed, accountFields, bankField, cardFields, phoneField, PIN_HELP } from './fields.ts';
import { paymentDocument } from '../../pages/document.ts';
import { alert, facts, head, hidden, tranches } from '../../pages/parts.ts';
import { money, payLabel, type Scene } from '../../pages/scene.ts';
import { operatorField, otherOperators } from './operators.ts';
import { testNumbers } from './test-numbers.ts';

/** Maximum items shown. An order can have hundreds; a page for slow networks shows the first. */
const MAX_ITEMS = 8;
const MAX_LETTERS = 80;

/** A failed payment that the payer can try again. */
export interface Failure {
  title: string;
  reason: string;
  /** The merchant's return URL; null for none. */
  returnTo: string | null;
}

export interface FormScene extends Scene, SavedPayer {
  means: MethodOption[];
  form_token: string;
  /**
   * Address of the page for the payer's phone, shown as a QR code. Null on a phone, and once a browser has started the
   * payment: the phone would show only that it has started elsewhere.
   */
  address: string | null;
  /** The number that the field is filled in with at first; null for none. */
  phone: string | null;
  /** What was typed before, when the form is shown again. */
  typed: Typed;
  fieldErrors: FieldErrors;
  /** Why the form is offered again; null for the first try. */
  failed: Failure | null;
}

/** Page where the payer chooses the payment method. Each method is a form with its fee, and its total on the button. */
export function formPage(scene: FormScene): Html {
  const { texts, payment, means, fieldErrors } = scene;
  const tried = means.find(({ kind }) => kind === scene.typed.kind);
  const open = tried ?? (scene.saved ? undefined : means[0]);
  const body = html`${head(scene, leftOf(payment), { heading: true, more: particulars(scene) })}
<section class="wide">${failure(scene)}<h2${scene.failed && html` class="gap"`}>${means.length > 0 ? texts.howToPay : texts.noMeans}</h2>
${alert(fieldErrors.alert)}
${savedMethodSection(scene, open === undefined)}
${means.map((entry) => methodSection(scene, entry, entry === open))}
${means.some(({ fee_minor }) => fee_minor !== null) && html`<p class="help">${texts.feeIncluded}</p>`}
${wayBack(scene)}</section><div class="side">${reference(scene)}${order(scene)}${onPhone(scene)}${scene.sandbox && testNumbers(texts)}</div>`;
  const title = scene.failed ? `${scene.failed.title} · ${scene.merchant}` : texts.payTo(scene.merchant);
  return paymentDocument(scene, { title, body, parts: ['form'], two: true });
}

/** Notice of the failed payment, which states that nothing was charged. Announced by screen readers. */
function failure({ failed, texts }: FormScene): Html | null {
  return failed && html`<p class="alert" role="alert"><b>${failed.title}.</b> ${failed.reason} ${texts.tryAgain}</p>`;
}

function wayBack({ failed, texts, merchant }: FormScene): Html | null {
  if (!failed || failed.returnTo === null) return null;
  return html`<p class="gap"><a class="button plain" href="${failed.returnTo}">${texts.returnTo(merchant)}</a></p>`;
}

/** QR code that opens the page on the payer's phone, where the wallet is. Only on desktops. */
function onPhone({ address, texts }: FormScene): Html | false {
  return (
    address !== null &&
    html`<section class="scan">${qrCode(address, texts.onPhone)}<div><h2>${texts.onPhone}</h2><p class="soft gap">${texts.scan}</p></div></section>`
  );
}

function particulars(scene: Scene): Html {
  const { payment, theme } = scene;
  return html`${theme.title && html`<p class="what"><b>${theme.title}</b></p>`}${tranches(scene)}${payment.description && html`<p class="what short">${payment.description}</p>`}`;
}

function reference({ payment, texts }: Scene): Html | false {
  return payment.reference !== null && html`<p class="soft ref">${texts.reference} ${payment.reference}</p>`;
}

function order({ payment, texts }: Scene): Html | null {
  const items = payment.details?.items ?? [];
  // The head of a small screen shows its beginning.
  const long = (payment.description?.length ?? 0) > MAX_LETTERS && payment.description;
  if (items.length === 0 && !long) return null;
  const left = items.length - MAX_ITEMS;
  return html`<details class="order"><summary>${texts.order}</summary>
<ul>${long && html`<li>${long}</li>`}${items.slice(0, MAX_ITEMS).map(line)}${left > 0 && html`<li class="soft">${texts.moreItems(left)}</li>`}</ul></details>`;
}

function line({ name, description, quantity }: Item): Html {
  const text = cut(name ?? description ?? '', MAX_LETTERS);
  return html`<li>${quantity !== undefined && html`<span class="soft">${quantity} ×</span> `}${text}</li>`;
}

function methodSection(scene: FormScene, means: MethodOption, open: boolean): Html {
  const { texts } = scene;
  const { kind, fee_minor, total_minor } = means;
  return html`<details class="means" name="means"${open && html` open`}><summary>${texts.means[kind]}${
    fee_minor !== null && html`<span class="soft">${money(scene, total_minor)}</span>`
  }</summary>
<form method="post" action="${scene.path}">${hidden('form_token', scene.form_token)}
${fields(scene, means)}
${bill(scene, means)}
<button>${payLabel(scene, total_minor)}</button>${kind === 'mobile_money' && belowButton(scene, means)}</form></details>`;
}

/** Fields that most payers do not need. They are below the button, which then stays on the first screen of a small phone. */
function belowButton(scene: FormScene, means: MethodOption): Html {
  return html`<p class="help" id="${PIN_HELP}">${scene.texts.phoneHelp}</p>${rememberBox(scene)}${otherOperators(scene, means)}`;
}

/** Fee and total, where the choice of the payment method decides the fee. */
function bill(scene: FormScene, { fee_minor, total_minor }: MethodOption): Html | null {
  const { texts } = scene;
  if (fee_minor === null) return null;
  const rows = [
    [texts.fee, money(scene, fee_minor)],
    [texts.total, money(scene, total_minor)],
  ] as const;
  return facts(rows, 'bill');
}

/** Form for the saved number: one tap and nothing to type. It refers to the number by its id, never by its digits. */
function savedMethodSection(scene: FormScene, open: boolean): Html | null {
  const { saved, texts } = scene;
  const means = scene.means.find(({ kind }) => kind === saved?.channel.kind);
  if (!saved || !means) return null;
  return html`<details class="means" name="means"${open && html` open`}><summary>${saved.channel.name} ${saved.masked}</summary>
<form method="post" action="${scene.path}">${hidden('form_token', scene.form_token)}${hidden('saved_method', saved.id)}
${bill(scene, means)}
<button>${payLabel(scene, means.total_minor)}</button><p class="help">${texts.savedHelp}</p></form></details>`;
}

/** Box to save the number. It is never ticked by default: saving needs the payer's consent. */
function rememberBox({ remembers, texts, merchant }: FormScene): Html | false {
  return (
    remembers && html`<label class="tick"><input type="checkbox" name="remember" value="1">${texts.remember(merchant)}</label>`
  );
}

const FIELDS: Record<ChannelKind, (scene: FormScene, means: MethodOption) => Html> = {
  mobile_money: (scene, means) => html`${phoneField(scene)}${operatorField(scene, means)}`,
  bank: (scene, means) => html`${bankField(scene, means)}${accountFields(scene)}`,
  card: (scene, { proposed, channels }) => {
    const channel = hidden('channel', (proposed ?? channels[0])?.id ?? '');
    if (!scene.sandbox) return html`${channel}<p class="help">${scene.texts.cardElsewhere}</p>`;
    return html`${channel}${cardFields(scene, scene.fieldErrors)}`;
  },
};

/** Shows validation errors only on the payment method that was submitted. */
function fields(scene: FormScene, means: MethodOption): Html {
  const tried = scene.typed.kind === means.kind;
  return FIELDS[means.kind](tried ? scene : { ...scene, fieldErrors: {} }, means);
}
