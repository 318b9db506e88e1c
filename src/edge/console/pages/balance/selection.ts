import { type Bucket, BUCKETS } from '../../../../core/balance/schema.ts';
import { type Html, html, raw } from '../../../../kit/html.ts';
import { currenciesOf } from '../../../../money/ledger/balances.ts';
import type { TeamVisit } from '../../page.ts';
import type { Figure } from '../../parts/figures.ts';
import { withQuery } from '../../paths.ts';
import { BALANCE_TEXTS } from './texts.ts';

/** Which balance the address names. */
export interface Selection {
  currency: string;
  /** Currencies that the team can choose from. */
  currencies: readonly string[];
  /** `total`: all balances together. */
  figure: Figure;
}

/** Returns what the address names; the team's own currency and the total when it names nothing that there is. */
export async function selectionOf({ store, team, query }: TeamVisit): Promise<Selection> {
  const own = team.default_currency;
  const currencies = [...new Set([own, ...(await currenciesOf(store.db, team.id))])];
  const currency = currencies.find((one) => one === query.currency) ?? own;
  return { currency, currencies, figure: BUCKETS.find((bucket) => bucket === query.balance) ?? 'total' };
}

/** Returns the balance of the ledger; null for the total. */
export function bucketOf({ figure }: Selection): Bucket | null {
  return figure === 'total' ? null : figure;
}

/** Returns the parameters with which a page shows the same balance. */
export function queryOf({ currency, figure }: Selection): { currency: string; balance: string } {
  return { currency, balance: figure === 'total' ? '' : figure };
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
