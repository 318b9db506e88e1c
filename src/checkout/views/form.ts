import { type Html, html } from '../../kit/html.ts';
import { totalOf } from '../../payments/present.ts';
import type { Item } from '../../payments/schema.ts';
import type { ChannelKind } from '../../providers/contract.ts';
import { leftOf, type Means } from '../means.ts';
import { type Complaints, type Typed, accountFields, cardFields, channelField, phoneField } from './fields.ts';
import { document } from './document.ts';
import { alert, facts, head, hidden } from './parts.ts';
import { money, type Scene } from './scene.ts';

/** An order can have hundreds of items; a page on a weak network shows the first. */
const MOST_ITEMS = 8;
const MOST_LETTERS = 80;

export interface FormScene extends Scene {
  means: Means[];
  form_token: string;
  /** What was typed before, when the form comes back. */
  typed: Typed;
  complaints: Complaints;
}

/** Where the payer chooses how to pay: each way is a form of its own, with its fee and total on its button. */
export function formPage(scene: FormScene): Html {
  const { texts, payment, means, complaints } = scene;
  const open = means.find(({ kind }) => kind === scene.typed.kind) ?? means[0];
  const body = html`${head(scene, leftOf(payment), { heading: true, more: particulars(scene) })}
${order(scene)}
<section><h2>${means.length > 0 ? texts.howToPay : texts.noMeans}</h2>
${means.some(({ fee_minor }) => fee_minor !== null) && html`<p class="soft gap">${texts.feeIncluded}</p>`}
${alert(complaints.alert)}
${means.map((entry) => oneMeans(scene, entry, entry === open))}
</section>`;
  return document({ ...scene, title: texts.payTo(scene.merchant), body });
}

function particulars(scene: Scene): Html {
  const { payment, texts } = scene;
  const begun =
    payment.captured_minor > 0n && texts.partialText(money(scene, payment.captured_minor), money(scene, totalOf(payment)));
  return html`${begun && html`<p class="what">${begun}</p>`}${payment.description && html`<p class="what">${payment.description}</p>`}${
    payment.reference && html`<p class="what">${texts.reference} ${payment.reference}</p>`
  }`;
}

function order({ payment, texts }: Scene): Html | null {
  const items = payment.details?.items ?? [];
  if (items.length === 0) return null;
  const left = items.length - MOST_ITEMS;
  return html`<details class="order"><summary>${texts.order}</summary>
<ul>${items.slice(0, MOST_ITEMS).map(line)}${left > 0 && html`<li class="soft">${texts.moreItems(left)}</li>`}</ul></details>`;
}

function line({ name, description, quantity }: Item): Html {
  const text = (name ?? description ?? '').slice(0, MOST_LETTERS);
  return html`<li>${quantity !== undefined && html`<span class="soft">${quantity} ×</span> `}${text}</li>`;
}

function oneMeans(scene: FormScene, means: Means, open: boolean): Html {
  const { texts } = scene;
  const { kind, fee_minor, total_minor } = means;
  return html`<details class="means" name="means"${open && html` open`}><summary>${texts.means[kind]}${
    fee_minor !== null && html`<span class="soft">${money(scene, total_minor)}</span>`
  }</summary>
<form method="post" action="${scene.path}">${hidden('form_token', scene.form_token)}
${fields(scene, means)}
${
  fee_minor !== null &&
  facts(
    [
      [texts.amount, money(scene, scene.payment.amount_minor)],
      [texts.fee, money(scene, fee_minor)],
      [texts.total, money(scene, total_minor)],
    ],
    'bill',
  )
}
<button>${texts.pay(money(scene, total_minor))}</button></form></details>`;
}

const FIELDS: Record<ChannelKind, (scene: FormScene, means: Means) => Html> = {
  mobile_money: (scene, means) => html`${channelField(scene, means)}${phoneField(scene)}`,
  bank: (scene, means) => html`${channelField(scene, means)}${accountFields(scene)}`,
  card: (scene, { proposed, channels }) => {
    const channel = hidden('channel', (proposed ?? channels[0])?.id ?? '');
    if (!scene.sandbox) return html`${channel}<p class="help">${scene.texts.cardElsewhere}</p>`;
    return html`${channel}${cardFields(scene, scene.complaints)}`;
  },
};

/** Complaints belong to the way that was tried. */
function fields(scene: FormScene, means: Means): Html {
  const tried = scene.typed.kind === means.kind;
  return FIELDS[means.kind](tried ? scene : { ...scene, complaints: {} }, means);
}
