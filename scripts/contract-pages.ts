import fs from 'node:fs';
import path from 'node:path';
import { FAULTS } from '../cluster/faults/catalogue.ts';
import { templateText } from '../cluster/templates.ts';
import { transactionLimitsOf, type Direction } from '../src/money/transaction-limits/table.ts';
import { layerPicture, roomTable } from './layers.ts';
import { erasedRows, keptRows } from './personal-data.ts';
import { readConfig } from '../src/platform/config/config.ts';
import { DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus } from '../src/core/disputes/states.ts';
import { EVENT_TYPES } from '../src/money/events/catalogue.ts';
import { limitsOf, unauthenticatedLimit } from '../src/edge/http/limits.ts';
import { HINTS } from '../src/tenants/api/hints.ts';
import { PROBLEMS } from '../src/tenants/api/problems.ts';
import { INVOICE_STATUSES, INVOICE_TRIGGERS, nextInvoiceStatus } from '../src/edge/invoices/states.ts';
import { RESOURCES } from '../src/tenants/keys/scopes.ts';
import { CURRENCIES, decimalsOf, MAX_AMOUNT, wireFromMinor } from '../src/kit/money.ts';
import { LINK_STATUSES, LINK_TRIGGERS, nextLinkStatus } from '../src/edge/links/states.ts';
import { equalColumns, searchedFields, shownIn, type View } from '../src/core/payments/fields.ts';
import { nextStatus, PAYMENT_STATUSES, PAYMENT_TRIGGERS } from '../src/core/payments/states.ts';
import { largestOf } from '../src/providers/reference/largest.ts';
import { isReason, payerMessage, REASON_CODES, remedyOf } from '../src/providers/adapters/reasons.ts';
import { nextRefundStatus, REFUND_STATUSES, REFUND_TRIGGERS } from '../src/core/refunds/states.ts';
import { nextReturnState, RETURN_STATES, RETURN_TRIGGERS } from '../src/core/obligations/states.ts';
import { type Plan, PLANS, type Team } from '../src/tenants/teams/schema.ts';
import { nextTransferStatus, TRANSFER_STATUSES, TRANSFER_TRIGGERS } from '../src/core/transfers/states.ts';

/**
 * `node scripts/run.mjs scripts/contract-pages.ts`: writes generated blocks of the documentation from the code and the pages that they
 * describe: the tables of docs/contract, of personal data in docs/customers.md and of hints in docs/guides/errors.md, the index of
 * docs/decisions, the files of docs/scaling.md, and the layers in ARCHITECTURE.md. Only text between the marks of a block is written.
 */

const ROOT = path.join(import.meta.dirname, '..');
const BLOCK = /<!-- generated: ([\w-]+)[^>]*-->\n[\s\S]*?<!-- \/generated -->/g;

/** Content of each block, by its name. */
const BLOCKS: Record<string, () => string> = {
  'payment-states': () => transitions(PAYMENT_STATUSES, PAYMENT_TRIGGERS, nextStatus),
  'refund-states': () => transitions(REFUND_STATUSES, REFUND_TRIGGERS, nextRefundStatus),
  'transfer-states': () => transitions(TRANSFER_STATUSES, TRANSFER_TRIGGERS, nextTransferStatus),
  'dispute-states': () => transitions(DISPUTE_STATUSES, DISPUTE_TRIGGERS, nextDisputeStatus),
  'invoice-states': () => transitions(INVOICE_STATUSES, INVOICE_TRIGGERS, nextInvoiceStatus),
  'link-states': () => transitions(LINK_STATUSES, LINK_TRIGGERS, nextLinkStatus),
  'return-states': () => transitions(RETURN_STATES, RETURN_TRIGGERS, nextReturnState),
  'payment-fields': paymentFields,
  problems,
  hints: () =>
    table(
      ['status', 'when', '`hint`'],
      Object.values(HINTS).map(({ status, when, text }) => [status, when, text]),
    ),
  reasons,
  'request-limits': requestLimits,
  'transaction-limits': transactionLimits,
  currencies,
  defaults,
  scopes: () => RESOURCES.map((resource) => `- \`${resource}.read\`, \`${resource}.write\``).join('\n'),
  'event-types': () => EVENT_TYPES.map((type) => `- \`${type}\``).join('\n'),
  'personal-data': () => table(['where', 'becomes'], erasedRows()),
  'personal-data-kept': () => table(['where', 'why it stays', 'until'], keptRows()),
  decisions,
  layers: layerPicture,
  rooms: roomTable,
  'cluster-patroni': () => clusterFile('patroni.yml', 'yaml'),
  'cluster-roles': () => clusterFile('roles.sql', 'sql'),
  'cluster-haproxy': () => clusterFile('haproxy.cfg', ''),
  'cluster-503': () => clusterFile('503.http', 'http'),
  'cluster-pgbouncer': () => clusterFile('pgbouncer.ini', 'ini'),
  'cluster-pgbouncer-transaction': () => clusterFile('pgbouncer-transaction.ini', 'ini'),
  'cluster-pgbouncer-roles': () => clusterFile('pgbouncer.sql', 'sql'),
  'cluster-redis': () => clusterFile('redis.conf', ''),
  'cluster-service': () => clusterFile('service.env', 'sh'),
  'cluster-faults': clusterFaults,
};

export const BLOCK_NAMES = Object.keys(BLOCKS);

/** Pages with blocks, besides those of docs/contract. */
const PAGES = ['docs/customers.md', 'docs/guides/errors.md', 'docs/decisions/README.md', 'docs/scaling.md', 'ARCHITECTURE.md'];

/** A page with blocks: its current text, and the expected one. */
export interface Page {
  /** From the root of the project. */
  file: string;
  text: string;
  current: string;
  /** Names of the blocks on it. */
  blocks: string[];
}

if (import.meta.main) {
  for (const { file, text, current } of pages()) if (text !== current) fs.writeFileSync(path.join(ROOT, file), current);
}

/** Returns all pages with blocks. @throws Error when a page has the marks of a block that does not exist */
export function pages(): Page[] {
  return [...fs.globSync('docs/contract/*.md', { cwd: ROOT }).sort(), ...PAGES].map((file) => {
    const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
    const blocks = [...text.matchAll(BLOCK)].map(([, name]) => name as string);
    const current = text.replaceAll(BLOCK, (_, name: string) => {
      const fill = BLOCKS[name];
      if (!fill) throw new Error(`${file}: no block is named ${name}`);
      return `<!-- generated: ${name}, by scripts/contract-pages.ts -->\n${fill()}\n<!-- /generated -->`;
    });
    return { file, text, current, blocks };
  });
}

function table(heads: readonly string[], rows: readonly (readonly (string | number)[])[]): string {
  const line = (cells: readonly (string | number)[]) =>
    `| ${cells.map((cell) => String(cell).replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(heads), `|${heads.map(() => '---').join('|')}|`, ...rows.map(line)].join('\n');
}

function transitions<S extends string, T extends string>(
  statuses: readonly S[],
  triggers: readonly T[],
  next: (status: S, trigger: T) => string | null,
): string {
  const rows = statuses.flatMap((from) =>
    triggers.flatMap((trigger) => {
      const to = next(from, trigger);
      return to === null ? [] : [[code(from), code(trigger), to === from ? 'unchanged' : code(to)]];
    }),
  );
  const final = statuses.filter((status) => !rows.some(([from]) => from === code(status)));
  const end = final.length > 0 ? `\n\nTerminal, without transitions: ${final.map(code).join(', ')}.` : '';
  return `${table(['from', 'trigger', 'to'], rows)}${end}`;
}

function code(text: string): string {
  return `\`${text}\``;
}

/** A file that `npm run cluster` uses. Its placeholders `${NAME}` are filled in when a cluster is started. */
function clusterFile(name: string, language: string): string {
  return `\`\`\`${language}\n${templateText(name).replaceAll('\r\n', '\n').trimEnd()}\n\`\`\``;
}

function clusterFaults(): string {
  return table(
    ['name', 'what happens'],
    FAULTS.map(({ name, title }) => [code(name), title]),
  );
}

/** Returns the fields of a payment in each reply, and those by which payments are found. */
function paymentFields(): string {
  const names = (fields: readonly { name: string }[]) => fields.map(({ name }) => code(name)).join(', ');
  const added = (view: View) => names(shownIn(view).filter(({ shown }) => shown === view));
  return table(
    ['where', 'fields'],
    [
      ['creation', added('created')],
      ['list item', `those, and ${added('listed')}`],
      ['retrieved with a public key', `those, and ${added('public')}`],
      ['retrieved with a secret or restricted key', `those, and ${added('retrieved')}`],
      ['list: filters by an exact value', names(equalColumns)],
      ['list: `search` with a public key', names(searchedFields('anyone'))],
      ['list: `search` with a secret or restricted key', names(searchedFields('secret_key'))],
    ],
  );
}

function problems(): string {
  const shown = (error_code = '') => (isReason(error_code) ? 'a [reason](#failure-reasons)' : error_code && code(error_code));
  const rows = Object.values(PROBLEMS).map(({ status, error_code, when }) => [status, shown(error_code), when]);
  return table(['status', '`error_code`', 'when'], rows);
}

function reasons(): string {
  const remedies = {
    payer: 'the payer can solve it',
    retry: 'worth one more try',
    permanent: 'fails again until something changes',
  };
  const rows = REASON_CODES.map((reason) => [code(reason), remedies[remedyOf(reason)], payerMessage(reason)]);
  return table(['reason', 'kind', '`payer_message` in English'], rows);
}

/** Returns the limits that count a request of each kind, by plan. */
function requestLimits(): string {
  const paths = ['/payments', '/transfers', '/refunds', '/customers'];
  const counted = (plan: Plan, route: string, kind: string) => {
    const target = { kind: 'route', route: { method: 'POST', path: route } } as Parameters<typeof limitsOf>[0]['target'];
    const team = { id: 1n, plan } as Team;
    return limitsOf({ team, key_id: '', ip: '192.0.2.1', target }).find((limit) => limit.kind === kind)?.ceiling ?? 'none';
  };
  const row = (name: string, route: string, kind: string) => [name, ...PLANS.map((plan) => counted(plan, route, kind))];
  const rows = [
    row('payout writes (`POST /transfers`, `POST /beneficiaries`)', '/transfers', 'payout_write'),
    ...paths.map((route) => row(`endpoint ${code(route)}`, route, 'endpoint')),
    row('API key', '/payments', 'api_key'),
    row('IP address', '/payments', 'ip'),
    row('team', '/payments', 'team'),
    ['unauthenticated, by IP address', ...PLANS.map(() => unauthenticatedLimit('192.0.2.1').ceiling)],
  ];
  return table(['requests in 60 seconds', ...PLANS], rows);
}

function transactionLimits(): string {
  const directions: Direction[] = ['payment', 'transfer'];
  const rows = [0, 1, 2, 3, 4].flatMap((level) =>
    directions.map((direction) => {
      const limits = transactionLimitsOf(level, direction, 'XAF');
      const figures = limits && [limits.per_transaction_minor, limits.daily_minor, limits.monthly_minor].map(grouped);
      return [level, direction, ...(figures ?? ['none', 'none', 'none'])];
    }),
  );
  return table(['level', 'direction', 'one transaction (XAF)', 'a UTC day', 'a UTC month'], rows);
}

function grouped(minor: bigint): string {
  return wireFromMinor(minor).toLocaleString('en');
}

function currencies(): string {
  const rows = CURRENCIES.map((currency) => {
    const limits = transactionLimitsOf(1, 'payment', currency);
    const largest = largestOf(currency);
    const amounts = [largest, limits?.per_transaction_minor ?? null];
    return [currency, decimalsOf(currency), ...amounts.map((amount) => (amount === null ? 'none' : grouped(amount)))];
  });
  const largest = `The largest amount that the wire takes is ${MAX_AMOUNT.toLocaleString('en')}.`;
  return `${table(['currency', 'decimals of a real movement', 'largest payment', 'one payment at level 1'], rows)}\n\n${largest}`;
}

function defaults(): string {
  const config = readConfig({});
  const percent = (rate: number) => `${rate / 100} %`;
  const hours = (ms: number) => `${ms / 3_600_000} h`;
  const { fees, retention_ms, credit_cap } = config;
  return table(
    ['what', 'default', 'setting'],
    [
      ['fee, mobile money', percent(fees.mobile_money), '`FEE_MOBILE_MONEY`'],
      ['fee, bank', percent(fees.bank), '`FEE_BANK`'],
      ['fee, card', percent(fees.card), '`FEE_CARD`'],
      ['fee, transfer', percent(fees.transfer), '`FEE_TRANSFER`'],
      ['retention, mobile money', hours(retention_ms.mobile_money), '`HOLD_MOBILE_MONEY`'],
      ['retention, bank', hours(retention_ms.bank), '`HOLD_BANK`'],
      ['retention, card', hours(retention_ms.card), '`HOLD_CARD`'],
      ['credit for refunds, live', credit_cap.live, '`CREDIT_CAP_LIVE`'],
      ['credit for refunds, sandbox', credit_cap.sandbox.toLocaleString('en'), '`CREDIT_CAP_SANDBOX`'],
    ],
  );
}

/** Returns the pages of docs/decisions with the line under their heading that has their status. */
function decisions(): string {
  const rows = fs.globSync('docs/decisions/[0-9]*.md', { cwd: ROOT }).map((file) => {
    const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
    const [, title = file] = /^# \d+\. (.*)$/m.exec(text) ?? [];
    const [, status = ''] = /^Status: (.*)$/m.exec(text) ?? [];
    const name = path.basename(file);
    return [`[${name.slice(0, 4)}](${name})`, title, status];
  });
  const used = new Set(rows.map(([page = '']) => Number(page.slice(1, 5))));
  const unused = Array.from({ length: Math.max(...used) }, (_, i) => i + 1).filter((number) => !used.has(number));
  const gaps = unused.map((number) => String(number).padStart(4, '0')).join(', ');
  return `${table(['page', 'decision', 'status'], rows.sort())}\n\nNumbers without a page: ${gaps || 'none'}.`;
}
