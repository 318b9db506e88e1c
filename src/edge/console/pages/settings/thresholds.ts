import type { FieldErrors } from '../../../../kit/errors.ts';
import { type Html, html } from '../../../../kit/html.ts';
import { CURRENCIES, isCurrency, isMovable, minorFromWire } from '../../../../kit/money.ts';
import type { Tx } from '../../../../kit/sql.ts';
import { refuseTooFew } from '../../../../tenants/approvals/thresholds.ts';
import type { Threshold } from '../../../../tenants/approvals/schema.ts';
import { listThresholds, setThreshold } from '../../../../tenants/approvals/threshold-store.ts';
import { record } from '../../../../tenants/audit/record.ts';
import { actorOf } from '../../actor.ts';
import { changeOrAsk, type HeldAction } from '../../approvals/held.ts';
import { currentThreshold } from '../../approvals/replaced.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../page.ts';
import { typedAmount } from '../../parts/amount.ts';
import { approvalFaultText } from '../approvals/parts.ts';
import { ownFaults } from '../../messages/own.ts';
import { type Fault, faultOf, shownFault } from '../../parts/fault.ts';
import { money } from '../../parts/format.ts';
import { alert, card, type Column, doneAlert, empty, field, pageHead, select, table } from '../../parts/parts.ts';
import { settingTabs } from './tabs.ts';
import { THRESHOLD_TEXTS } from './threshold-texts.ts';

/** Shows the amounts above which a second person is needed; as a form to people who may change them. */
export async function showThresholds(visit: TeamVisit, fault?: Fault): Promise<Answer> {
  const { language, team, approvals, query } = visit;
  const texts = THRESHOLD_TEXTS[language];
  const thresholds = await listThresholds(approvals.control, team.id);
  const said = fault ? Object.keys(fault.errors).length === 0 && alert(fault.message) : doneAlert(texts.done, query.done);
  const list = thresholds.length > 0 ? table(texts.list, columnsOf(visit), thresholds) : empty(texts.none, texts.noneText);
  return {
    kind: 'page',
    title: texts.title,
    nav: '/settings',
    ...(fault ? { status: fault.status } : {}),
    body: html`${pageHead(texts.title, { note: texts.note })}${settingTabs(visit, '/approvals')}<div class="narrow">${said}
${card(texts.list, html`${thresholds.length > 0 && html`<p class="help">${texts.others}</p>`}${list}`)}${
  visit.can('setting.write') && form(visit, thresholds, fault?.errors ?? {})
}</div>`,
  };
}

function columnsOf(visit: TeamVisit): Column<Threshold>[] {
  const { language, base } = visit;
  const texts = THRESHOLD_TEXTS[language];
  const path = `${base}/settings/approvals`;
  const removal = (currency: string) =>
    html`<form method="post" action="${path}/remove?from=${encodeURIComponent(path)}">${visit.formFields()}<input type="hidden" name="currency" value="${currency}"><button class="link" aria-label="${texts.remove} ${currency}">${texts.remove}</button></form>`;
  return [
    { head: texts.currency, kind: 'main', cell: ({ currency }) => currency },
    { head: texts.above, kind: 'number', cell: ({ currency, above_minor }) => money(above_minor, currency, language) },
    ...(visit.can('setting.write') ? [{ head: texts.change, cell: ({ currency }: Threshold) => removal(currency) }] : []),
  ];
}

function form(visit: TeamVisit, thresholds: readonly Threshold[], errors: Fault['errors']): Html {
  const { team, base } = visit;
  const texts = THRESHOLD_TEXTS[visit.language];
  const path = `${base}/settings/approvals`;
  const chosen = fieldOf(visit, 'currency') || team.default_currency;
  const help = thresholds.length > 0 ? texts.heldHelp : texts.firstHelp;
  return card(
    texts.set,
    html`<form method="post" action="${path}?from=${encodeURIComponent(path)}">${visit.formFields()}
${select(
  { name: 'currency', label: texts.currency, value: chosen, error: errors.currency?.[0] },
  CURRENCIES.map((code) => [code, code] as const),
)}
${field({ name: 'above', label: texts.above, value: fieldOf(visit, 'above'), error: errors.above?.[0], inputmode: 'decimal', autocomplete: 'off', required: true, help: texts.aboveHelp })}
<p class="help">${help}</p><div class="form-actions"><button>${texts.save}</button></div></form>`,
  );
}

/** Sets the threshold of a currency. The team's first takes effect at once; later ones need a second person. */
export async function saveThreshold(visit: TeamVisit): Promise<Answer> {
  const texts = THRESHOLD_TEXTS[visit.language];
  const currency = fieldOf(visit, 'currency');
  const above_minor = minorFromWire(typedAmount(fieldOf(visit, 'above')) ?? Number.NaN);
  const errors: FieldErrors = {
    ...(isCurrency(currency) ? {} : { currency: [texts.wrongCurrency] }),
    ...(above_minor !== null && isMovable(above_minor, currency) ? {} : { above: [texts.wrongAmount] }),
  };
  if (above_minor === null || Object.keys(errors).length > 0) {
    return showThresholds(visit, shownFault(visit.language, ownFaults(errors)));
  }
  const action = await heldThreshold(visit, 'threshold.set', { currency, above_minor: String(above_minor) });
  return held(visit, action, (tx) => setFirst(tx, visit, { currency, above_minor }));
}

/** Requests the approval to remove the threshold of a currency. */
export async function removeOne(visit: TeamVisit): Promise<Answer> {
  const currency = fieldOf(visit, 'currency');
  return held(visit, await heldThreshold(visit, 'threshold.remove', { currency }), async () => 'removed');
}

type Done = 'set' | 'same' | 'removed';

/**
 * Requests approval, or sets the first threshold.
 * @param first change in a team without any threshold
 */
async function held(visit: TeamVisit, action: HeldAction, first: (tx: Tx) => Promise<Done>): Promise<Answer> {
  try {
    const madeBefore = async () => ((await isSame(visit, action)) ? toDone(visit, 'same') : null);
    const done = await changeOrAsk(visit, action, { change: first, madeBefore, rehearsed: false });
    return 'answer' in done ? done.answer : toDone(visit, done.made);
  } catch (error) {
    const text = approvalFaultText(visit.language, error);
    const fault = faultOf(visit, error);
    return showThresholds(visit, text === null ? fault : { ...fault, message: html`${text}` });
  }
}

function toDone({ base }: TeamVisit, done: Done): Answer {
  return redirect(`${base}/settings/approvals?done=${done}`);
}

/** Returns whether the threshold is already as the form wants it: a double click on the first one, or the removal of one that is gone. */
async function isSame(visit: TeamVisit, { body: { currency, above_minor = null } }: HeldAction): Promise<boolean> {
  return (await currentThreshold(visit.approvals.control, visit, String(currency))).value === above_minor;
}

/** Sets the first threshold of a team. */
async function setFirst(tx: Tx, visit: TeamVisit, { currency, above_minor }: Threshold): Promise<Done> {
  const { team, at } = visit;
  await refuseTooFew(tx, team.id);
  await setThreshold(tx, team.id, currency, above_minor);
  await record(tx, actorOf(visit), { team_id: team.id, action: 'threshold.set', resource_id: currency, at });
  return 'set';
}

/** Returns a change of a threshold as a request for approval. */
async function heldThreshold(
  visit: TeamVisit,
  operation: 'threshold.set' | 'threshold.remove',
  body: HeldAction['body'] & { currency: string },
): Promise<HeldAction> {
  const { value: threshold, changes } = await currentThreshold(visit.approvals.control, visit, body.currency);
  return { kind: 'threshold', operation, permission: 'setting.write', body, seen: { threshold, changes } };
}
