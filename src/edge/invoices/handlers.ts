import { fixedLanguage, isLanguage, type Language, payerLanguage, preferredLanguage, textsIn } from '../pages/language.ts';
import { policyWith } from '../pages/assets.ts';
import { noticePage } from '../pages/notice.ts';
import { themeOf } from '../pages/theme/theme.ts';
import { must, type Problem } from '../../kit/errors.ts';
import type { Html } from '../../kit/html.ts';
import type { Queryable } from '../../kit/sql.ts';
import type { Throttle } from '../../kit/throttle.ts';
import { typedAmount } from '../../kit/typed-amount.ts';
import { hostedPageUrl } from '../../core/payments/token.ts';
import { findTeam, type TeamRow } from '../../tenants/teams/store.ts';
import { isUnderWay } from '../../core/attempts/schema.ts';
import { attemptsOf } from '../../core/attempts/store.ts';
import { hasUndecidedMoney } from '../../core/payments/retry.ts';
import type { PaymentRow } from '../../core/payments/schema.ts';
import { getPaymentRow } from '../../core/payments/service.ts';
import { isFinal } from '../../core/payments/states.ts';
import { ENVIRONMENT } from './apply.ts';
import type { InvoiceDeps } from './deps.ts';
import { payInvoice } from './pay.ts';
import type { InvoiceRow } from './schema.ts';
import { markViewed } from './service.ts';
import { isPayable } from './states.ts';
import { awaitsDecision, findInvoice } from './store.ts';
import { readInvoiceToken } from './token.ts';
import { transact } from './transact.ts';
import { invoicePage, type Scene, unknownPage } from './view.ts';

/** One request for a page, without types of the web framework. */
export interface Visit {
  token: string;
  /** The language that was chosen on the page. */
  lang: unknown;
  /** The Accept-Language header. */
  accepts: string | undefined;
  /** The request is a GET, which shows the page to a person. A HEAD request only checks a URL. */
  reads: boolean;
  request_id: string;
}

export type Answer = { status: number; page: Html; language: Language; headers?: Record<string, string> } | { redirect: string };

/** State and services that all requests for invoice pages share. */
export interface InvoicePageContext {
  deps: InvoiceDeps;
  /** Keyed by invoice, not by IP address: whole mobile networks share a few addresses. Counted before the database is read. */
  submits: Throttle;
  /** Keyed by token, before the database is read. */
  reads: Throttle;
}

/** Returns the language of a page without an invoice: the choice on the page, else the browser's preference. */
export function wishedLanguage({ lang, accepts }: Visit): Language {
  return isLanguage(lang) ? lang : preferredLanguage(accepts);
}

/**
 * Returns the language of an invoice's page: the choice on the page; in a team with one language for every payer the invoice's locale,
 * else that language; in others the browser's preference, else the invoice's locale, else the team's language.
 */
function languageOf({ lang, accepts }: Visit, { row: { locale }, seller }: Opened): Language {
  if (isLanguage(lang)) return lang;
  if (!isLanguage(locale)) return payerLanguage(accepts, seller);
  return fixedLanguage(seller) ? locale : preferredLanguage(accepts, locale);
}

/** Answers 404 for a URL without an invoice. */
export function unknownInvoice(visit: Visit): Answer {
  const language = wishedLanguage(visit);
  return { status: 404, page: unknownPage(language), language };
}

/** GET. Everyone with the URL can read the invoice. */
export async function showInvoice({ deps, reads }: InvoicePageContext, visit: Visit): Promise<Answer> {
  if (readInvoiceToken(deps.secrets, visit.token) && reads.take(visit.token) > 0) {
    const language = wishedLanguage(visit);
    return { status: 429, page: noticePage(language, 'wait'), language };
  }
  const found = await open(deps, visit.token);
  if (!found) return unknownInvoice(visit);
  const { row, seller } = found;
  const { db } = deps.stores[ENVIRONMENT].of(row.team_id);
  const unseen = visit.reads && row.viewed_at === null && isPayable(row.status);
  return pageOf(deps, visit, unseen ? { row: await transact(db, (tx) => markViewed(tx, deps.clock.now(), row)), seller } : found);
}

/** An invoice that has a page, with the team that sent it. */
interface Opened {
  row: InvoiceRow;
  seller: TeamRow;
}

async function open(deps: InvoiceDeps, token: string): Promise<Opened | null> {
  const ref = readInvoiceToken(deps.secrets, token);
  const row = ref && (await findInvoice(deps.stores[ENVIRONMENT].of(ref.team_id).db, ref));
  // A draft has no page yet. A draft that was cancelled never had one.
  if (!row?.number) return null;
  return { row, seller: must(await findTeam(deps.stores.control, row.team_id), 'an invoice has a team') };
}

/**
 * POST. Redirects to a payment, or shows the page with the error.
 * @param typed the amount as typed; null for the whole amount due
 */
export async function submitInvoice({ deps, submits }: InvoicePageContext, visit: Visit, typed: string | null): Promise<Answer> {
  const ref = readInvoiceToken(deps.secrets, visit.token);
  if (ref && submits.take(ref.id) > 0) {
    const language = wishedLanguage(visit);
    return { status: 429, page: noticePage(language, 'busy'), language };
  }
  const found = await open(deps, visit.token);
  if (!found) return unknownInvoice(visit);
  const { row } = found;
  const language = languageOf(visit, found);
  const chosen = typed === null ? null : typedAmount(typed, row.currency);
  const wrongAmount = { typed: typed ?? '', complaint: { amount: textsIn(language).invoice.amountWrong } };
  if (typed !== null && chosen === null) return pageOf(deps, visit, found, 422, wrongAmount);
  const paying = await payInvoice(deps, row, chosen, visit.request_id);
  if (paying.kind === 'pay') return { redirect: paying.url };
  const now = (await open(deps, visit.token)) ?? found;
  switch (paying.kind) {
    case 'settled':
      return pageOf(deps, visit, now);
    case 'amount':
      return pageOf(deps, visit, now, 422, wrongAmount);
    case 'refused':
      return pageOf(deps, visit, now, paying.problem.status, { complaint: { alert: reasonOf(paying.problem, language) } });
  }
}

function reasonOf({ details }: Problem, language: Language): string {
  const texts = textsIn(language).invoice;
  if (details.error_code === 'merchant_not_verified') return texts.notVerified;
  return details.error_code === 'ceiling_exceeded' ? texts.aboveCeiling : texts.blocked;
}

async function pageOf(
  deps: InvoiceDeps,
  visit: Visit,
  found: Opened,
  status = found.row.status === 'cancelled' ? 410 : 200,
  said: Pick<Scene, 'complaint' | 'typed'> = {},
): Promise<Answer> {
  const { row, seller } = found;
  const language = languageOf(visit, found);
  const path = `${new URL(deps.config.public_url).pathname.replace(/\/$/, '')}/invoice/${visit.token}`;
  const held = await heldBy(deps, row);
  const theme = themeOf(null, seller);
  const page = invoicePage({ language, merchant: seller.name, seller, theme, row, path, held, ...said });
  return { status, language, page, headers: { 'Content-Security-Policy': policyWith(theme.style, page) } };
}

/** Returns what prevents another payment of an invoice; null for nothing. */
async function heldBy(deps: InvoiceDeps, row: InvoiceRow): Promise<Scene['held']> {
  const { team_id, payment_id } = row;
  if (payment_id === null || !isPayable(row.status)) return null;
  const store = deps.stores[ENVIRONMENT].of(team_id);
  const last = await getPaymentRow(store, team_id, payment_id);
  if (await hasBegun(store.db, last)) return { by: 'payment', url: hostedPageUrl(deps, store, team_id, payment_id) };
  return (await awaitsDecision(store.db, row)) ? { by: 'money' } : null;
}

/** Returns whether an open payment is being charged, or money of its charges waits for a decision. */
async function hasBegun(db: Queryable, payment: PaymentRow): Promise<boolean> {
  if (payment.status !== 'pending') return !isFinal(payment.status);
  const attempts = await attemptsOf(db, [payment]);
  return attempts.some(isUnderWay) || (await hasUndecidedMoney(db, attempts));
}
