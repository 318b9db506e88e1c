import { html, type HtmlPart } from '../../../../kit/html.ts';
import { minorFromWire } from '../../../../kit/money.ts';
import type { ApprovalRow, Wanted } from '../../../../tenants/approvals/schema.ts';
import { isRole } from '../../../../tenants/people/roles.ts';
import type { TeamVisit } from '../../page.ts';
import { exactMoment, money, number, wireMoney } from '../../parts/format.ts';
import { alert, card, facts } from '../../parts/parts.ts';
import { KEY_TEXTS } from '../developers/keys/texts.ts';
import { ONE_TEXTS } from '../payments/one/texts.ts';
import { PEOPLE_TEXTS } from '../people/texts.ts';
import { FIELD_TEXTS } from './fields.ts';
import { APPROVAL_TEXTS } from './texts.ts';

const HOUR_MS = 3_600_000;

/** Shows everything that runs when it is approved, and nothing is left out: a field without a name has its own. */
export function wantedView(
  visit: TeamVisit,
  row: ApprovalRow,
  { body, payee }: Wanted,
  seen: { names: ReadonlyMap<string, string>; payeeChanged: boolean },
) {
  const texts = APPROVAL_TEXTS[visit.language];
  const label = (name: string) => FIELD_TEXTS[visit.language][name] ?? name;
  const rows = (fields: Readonly<Record<string, unknown>>) =>
    Object.entries(fields).map(([name, value]) => [label(name), shown(visit, row, name, value, seen.names, fields)] as const);
  // A payout has a fee, which leaves the balance too.
  const { amount_minor, currency } = row;
  const more = amount_minor !== null && currency !== null && amount_minor !== minorFromWire(Number(body.amount));
  const total = more ? ([[texts.total, money(amount_minor, currency, visit.language)]] as const) : [];
  const recipient = payee && html`<h3>${texts.payeeNote}</h3>${facts(rows(payee))}`;
  return card(
    texts.details,
    html`${seen.payeeChanged && alert(texts.payeeChanged)}${facts([...rows(body), ...total])}${recipient}`,
  );
}

function shown(
  visit: TeamVisit,
  row: ApprovalRow,
  name: string,
  value: unknown,
  names: ReadonlyMap<string, string>,
  fields: Readonly<Record<string, unknown>>,
): HtmlPart {
  const { language, base } = visit;
  const { currency } = row;
  const texts = APPROVAL_TEXTS[language];
  if (name === 'expires_at') return value === null ? texts.never : exactMoment(String(value), language);
  if (name === 'allowed_ips' && Array.isArray(value) && value.length === 0) return texts.anyAddress;
  if (name === 'scopes' && Array.isArray(value) && value.length === 0) {
    return Object.entries(KEY_TEXTS[language].rightsOf).find(([kind]) => kind === fields.kind)?.[1];
  }
  if (Array.isArray(value)) return html`<span class="dots">${value.map((one) => html`<code>${String(one)}</code>`)}</span>`;
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') {
    const inner = Object.entries(value).map(([key, one]) => [
      FIELD_TEXTS[language][key] ?? key,
      shown(visit, row, key, one, names, value as Record<string, unknown>),
    ]);
    return facts(inner as [string, HtmlPart][]);
  }
  const text = String(value);
  switch (name) {
    case 'amount':
      return typeof value === 'number' && currency ? wireMoney(value, currency, language) : text;
    case 'above_minor':
      return money(BigInt(text), String(fields.currency), language);
    case 'payment':
      return html`<a href="${base}/payments/${text}"><code>${text}</code></a>`;
    case 'id':
      return html`<a href="${base}/developers/keys/${text}"><code>${text}</code></a>`;
    case 'reason':
      return Object.entries(ONE_TEXTS[language].refund.reasons).find(([reason]) => reason === text)?.[1] ?? text;
    case 'role':
      return isRole(text) ? PEOPLE_TEXTS[language].roles[text] : text;
    case 'user':
      return names.get(text) ?? text;
    case 'kind':
      return Object.entries(KEY_TEXTS[language].kinds).find(([kind]) => kind === text)?.[1] ?? text;
    case 'overlap_ms':
      return `${number(Number(text) / HOUR_MS, language)} h`;
    default:
      return text;
  }
}
