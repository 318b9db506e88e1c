import { type Bucket, BUCKETS } from '../../../../core/balance/schema.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import { isCurrency } from '../../../../kit/money.ts';
import { account } from '../../../../money/ledger/accounts.ts';
import { currenciesOf } from '../../../../money/ledger/balances.ts';
import type { TeamVisit } from '../../page.ts';
import type { Figure } from '../../parts/figures.ts';
import { withQuery } from '../../paths.ts';
import { type Account, accountOf } from '../subaccounts/read.ts';
import { BALANCE_TEXTS } from './texts.ts';

/** The balance that the address selects. */
export interface Selection {
  currency: string;
  /** Currencies that can be chosen. */
  currencies: readonly string[];
  /** `total`: all balances together. */
  figure: Figure;
  /** Subaccount that the path names; null: the team itself. */
  subaccount: Account | null;
  /** Path of its balance. */
  path: string;
}

/**
 * Returns the balance that the address selects; the total in the team's own currency when it selects none that exists.
 * @throws Problem 404 for a path of a subaccount that does not exist
 */
export async function selectionOf(visit: TeamVisit): Promise<Selection> {
  const { base, store, team, query, params } = visit;
  const subaccount = params.id === undefined ? null : await accountOf(visit);
  const accounts = BUCKETS.map((bucket) => account(bucket, subaccount?.id ?? null));
  const own = team.default_currency;
  // A chosen currency without movements is shown too: amounts of another currency could be mistaken for it.
  const { currency: chosen = '' } = query;
  const currency = isCurrency(chosen) ? chosen : own;
  const currencies = [...new Set([own, ...(await currenciesOf(store.db, team.id, accounts)), currency])];
  return {
    currency,
    currencies,
    figure: BUCKETS.find((bucket) => bucket === query.balance) ?? 'total',
    subaccount,
    path: subaccount ? `${base}/subaccounts/${subaccount.id}/balance` : `${base}/balance`,
  };
}

/** Returns the balance of the ledger; null for the total. */
export function bucketOf({ figure }: Pick<Selection, 'figure'>): Bucket | null {
  return figure === 'total' ? null : figure;
}

/** Returns whose balance of the ledger it is. */
export function ownerOf({ team }: TeamVisit, { subaccount, currency }: Selection) {
  return { team_id: team.id, subaccount: subaccount?.id ?? null, currency };
}

/** Returns the parameters with which a page shows the same balance. */
export function queryOf({ currency, figure }: Pick<Selection, 'currency' | 'figure'>): { currency: string; balance: string } {
  return { currency, balance: figure === 'total' ? '' : figure };
}

/** Returns the entry of the navigation that is current. */
export function navOf({ subaccount }: Selection): string {
  return subaccount ? '/subaccounts' : '/balance';
}

/** Links to the same page in each currency; nothing when there is one. */
export function currencySwitch({ language }: TeamVisit, path: string, selection: Selection): Html {
  const { currency, currencies } = selection;
  const links = currencies.map(
    (one) =>
      html`<a href="${withQuery(path, { ...queryOf(selection), currency: one })}"${one === currency && raw(' aria-current="true"')}>${one}</a>`,
  );
  return html`${currencies.length > 1 && html`<nav class="switch" aria-label="${BALANCE_TEXTS[language].currency}">${links}</nav>`}`;
}
