import { html, type HtmlPart } from '../../../../kit/html.ts';
import { minorFromWire } from '../../../../kit/money.ts';
import type { Split } from '../../../../money/settlement/shares.ts';
import type { ApprovalRow, Wanted } from '../../../../tenants/approvals/schema.ts';
import { isRole } from '../../../../tenants/people/roles.ts';
import type { TeamVisit } from '../../page.ts';
import { exactMoment, money, number, wireMoney } from '../../parts/format.ts';
import { alert, card, facts } from '../../parts/parts.ts';
import { KEY_TEXTS } from '../developers/keys/texts.ts';
import { ONE_TEXTS } from '../payments/one/texts.ts';
import { PEOPLE_TEXTS } from '../people/texts.ts';
import { shareOf } from '../subaccounts/read.ts';
import { ACCOUNT_TEXTS } from '../subaccounts/texts.ts';
import { FIELD_TEXTS } from './fields.ts';
import { APPROVAL_TEXTS } from './texts.ts';

const HOUR_MS = 3_600_000;

/** Object in the path of an operation. */
const SUBJECTS: Readonly<Record<string, 'account' | 'dispute'>> = {
  'PATCH /accounts/:id': 'account',
  'POST /disputes/:id/accept': 'dispute',
};

/** Shows all fields of the request without exception. A field without a text is shown under its API name. */
export function wantedView(
  visit: TeamVisit,
  row: ApprovalRow,
  { params = {}, body, payee, account }: Wanted,
  seen: { names: ReadonlyMap<string, string>; changed: string | null },
) {
  const texts = APPROVAL_TEXTS[visit.language];
  const label = (name: string) => FIELD_TEXTS[visit.language][name] ?? name;
  const hidden = seesKeys(visit, row) ? [] : KEY_DETAILS;
  const rows = (fields: Readonly<Record<string, unknown>>) =>
    Object.entries(fields)
      .filter(([name]) => !hidden.includes(name))
      .map(([name, value]) => [label(name), shown(visit, row, name, value, seen.names, fields)] as const);
  // The fee of a payout leaves the balance too.
  const { amount_minor, currency } = row;
  const has = body.amount !== undefined;
  const more = amount_minor !== null && currency !== null && amount_minor !== minorFromWire(Number(body.amount));
  const total = more ? ([[has ? texts.total : label('amount'), money(amount_minor, currency, visit.language)]] as const) : [];
  const about = Object.values(params).map((id) => [label(SUBJECTS[row.operation] ?? 'id'), subject(visit, row, id)] as const);
  const relied = payee ?? account;
  const before = relied && html`<h3>${payee ? texts.payeeNote : texts.accountNote}</h3>${facts(rows(relied))}`;
  return card(texts.details, html`${alert(seen.changed)}${facts([...about, ...rows(body), ...total])}${before}`);
}

/** Fields with the scopes and the addresses of a key. */
const KEY_DETAILS: readonly string[] = ['scopes', 'allowed_ips'];

/** Returns whether the person may see these: they may read keys, may decide, or made the request. */
function seesKeys({ can, session }: TeamVisit, { asked_by }: ApprovalRow): boolean {
  return can('key.read') || can('approval.write') || asked_by === session.user.id;
}

function subject({ base }: TeamVisit, { operation }: ApprovalRow, id: string): HtmlPart {
  const pages = SUBJECTS[operation] === 'dispute' ? 'disputes' : 'subaccounts';
  return html`<a href="${base}/${pages}/${id}"><code>${id}</code></a>`;
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
  if (name === 'split') return shareOf({ split: value as Split | null }, visit);
  if (name === 'settlement' && value === null) return ACCOUNT_TEXTS[language].channelNone;
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
      return visit.can('key.read') ? html`<a href="${base}/developers/keys/${text}"><code>${text}</code></a>` : text;
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
