import { isLanguage, type Language, preferredLanguage } from '../checkout/language.ts';
import { noticePage } from '../checkout/views/notice.ts';
import type { Deps } from '../deps.ts';
import type { Problem } from '../kit/errors.ts';
import type { Html } from '../kit/html.ts';
import type { Throttle } from '../kit/throttle.ts';
import { typedAmount } from '../kit/typed-amount.ts';
import { hostedPageUrl } from '../payments/collection.ts';
import { merchantName } from '../payments/hosted.ts';
import { isOpen } from '../payments/schema.ts';
import { getPayment } from '../payments/service.ts';
import { ENVIRONMENT } from './apply.ts';
import { payInvoice } from './pay.ts';
import type { InvoiceRow, Locale } from './schema.ts';
import { markViewed } from './service.ts';
import { isPayable } from './states.ts';
import { findInvoice } from './store.ts';
import { textsIn } from './texts.ts';
import { readInvoiceToken } from './token.ts';
import { transact } from './transact.ts';
import { invoicePage, type Scene, unknownPage } from './view.ts';

/** One request for a page, as it is handled: no framework. */
export interface Visit {
  token: string;
  /** The language that was chosen on the page. */
  lang: unknown;
  /** Accept-Language. */
  accepts: string | undefined;
  /** Somebody gets to see the page: whoever asks for its headers only checks an address. */
  reads: boolean;
  request_id: string;
}

export type Answer = { status: number; page: Html; language: Language } | { redirect: string };

/** What all visits share. */
export interface Desk {
  deps: Deps;
  /** By invoice and not by address: whole mobile networks share a few addresses. */
  submits: Throttle;
  /** By token, before the database is read. */
  reads: Throttle;
}

/** The choice on the page, else the browser's wish, else the invoice's own language. */
export function wishedLanguage({ lang, accepts }: Visit, locale: Locale | null): Language {
  if (isLanguage(lang)) return lang;
  return preferredLanguage(locale === null ? accepts : `${accepts ?? ''},${locale};q=0.001`);
}

/** For addresses that lead to no invoice. */
export function unknownInvoice(visit: Visit): Answer {
  const language = wishedLanguage(visit, null);
  return { status: 404, page: unknownPage(language), language };
}

/** GET: whoever has the address may read it. */
export async function showInvoice({ deps, reads }: Desk, visit: Visit): Promise<Answer> {
  if (readInvoiceToken(deps.secrets, visit.token) && reads.take(visit.token) > 0) {
    const language = wishedLanguage(visit, null);
    return { status: 429, page: noticePage(language, 'busy'), language };
  }
  const found = await open(deps, visit.token);
  if (!found) return unknownInvoice(visit);
  const { db } = deps.stores[ENVIRONMENT].of(found.team_id);
  const unseen = visit.reads && found.viewed_at === null && isPayable(found.status);
  return pageOf(deps, visit, unseen ? await transact(db, (tx) => markViewed(tx, deps.clock.now(), found)) : found);
}

async function open(deps: Deps, token: string): Promise<InvoiceRow | null> {
  const ref = readInvoiceToken(deps.secrets, token);
  const row = ref && (await findInvoice(deps.stores[ENVIRONMENT].of(ref.team_id).db, ref));
  // A draft has no address yet; a draft that was cancelled never had one.
  return row?.number ? row : null;
}

/** POST: to a payment, or back to the page with what is wrong. @param typed null: all that is left */
export async function submitInvoice({ deps, submits }: Desk, visit: Visit, typed: string | null): Promise<Answer> {
  const row = await open(deps, visit.token);
  if (!row) return unknownInvoice(visit);
  const language = wishedLanguage(visit, row.locale);
  if (submits.take(row.id) > 0) return { status: 429, page: noticePage(language, 'busy'), language };
  const chosen = typed === null ? null : typedAmount(typed, row.currency);
  const wrongAmount = { typed: typed ?? '', complaint: { amount: textsIn(language).amountWrong } };
  if (typed !== null && chosen === null) return pageOf(deps, visit, row, 422, wrongAmount);
  const paying = await payInvoice(deps, row, chosen, visit.request_id);
  if (paying.kind === 'pay') return { redirect: paying.url };
  const now = (await open(deps, visit.token)) ?? row;
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
  const texts = textsIn(language);
  if (details.error_code === 'merchant_not_verified') return texts.notVerified;
  return details.error_code === 'ceiling_exceeded' ? texts.aboveCeiling : texts.blocked;
}

async function pageOf(
  deps: Deps,
  visit: Visit,
  row: InvoiceRow,
  status = row.status === 'cancelled' ? 410 : 200,
  said: Pick<Scene, 'complaint' | 'typed'> = {},
): Promise<Answer> {
  const language = wishedLanguage(visit, row.locale);
  const path = `${new URL(deps.config.public_url).pathname.replace(/\/$/, '')}/invoice/${visit.token}`;
  const [merchant, underWay] = await Promise.all([merchantName(deps, row.team_id), underWayOf(deps, row)]);
  return { status, language, page: invoicePage({ language, merchant, row, path, underWay, ...said }) };
}

/** Where the payment is that money may be coming by: nobody is to begin another beside it. */
async function underWayOf(deps: Deps, { team_id, payment_id, status }: InvoiceRow): Promise<string | null> {
  if (payment_id === null || !isPayable(status)) return null;
  const store = deps.stores[ENVIRONMENT].of(team_id);
  const payment = await getPayment(store, team_id, payment_id);
  const begun = payment.status === 'processing' || payment.status === 'partial' || payment.attempts.some(isOpen);
  return begun ? hostedPageUrl(deps, store, team_id, payment_id) : null;
}
