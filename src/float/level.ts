import { type AlertRow, type FloatLevel, type FloatRow, isFresh } from './schema.ts';

/** The alert that watches a float: its own area's before that of the whole currency. What only collects is not watched. */
export function alertOf(float: FloatRow, alerts: readonly AlertRow[]): AlertRow | undefined {
  if (float.use === 'collection') return undefined;
  const watching = alerts.filter(({ account_id, currency }) => account_id === float.account_id && currency === float.currency);
  return watching.find(({ area }) => area === float.area) ?? watching.find(({ area }) => area === '');
}

/** @param alert left out: nobody asked to be told, so that only nothing at all is worth a word */
export function levelOf(float: FloatRow, alert: Pick<AlertRow, 'below_minor'> | undefined, at: number): FloatLevel {
  if (!isFresh(float, at)) return 'stale';
  if (float.amount_minor <= 0n) return 'empty';
  return alert && float.amount_minor < alert.below_minor ? 'low' : 'enough';
}
