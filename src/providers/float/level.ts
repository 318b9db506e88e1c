import { type AlertRow, type FloatLevel, type FloatRow, isFresh } from './schema.ts';

/**
 * Returns the alert of a float: that of its own area before that of the whole currency. A collection-only float has no
 * alert.
 */
export function alertOf(float: FloatRow, alerts: readonly AlertRow[]): AlertRow | undefined {
  if (float.use === 'collection') return undefined;
  const watching = alerts.filter(({ account_id, currency }) => account_id === float.account_id && currency === float.currency);
  return watching.find(({ area }) => area === float.area) ?? watching.find(({ area }) => area === '');
}

/**
 * Returns the level of a float.
 * @param alert when omitted there is no threshold, so only an empty float is reported
 */
export function levelOf(float: FloatRow, alert: Pick<AlertRow, 'below_minor'> | undefined, at: number): FloatLevel {
  if (!isFresh(float, at)) return 'stale';
  if (float.amount_minor <= 0n) return 'empty';
  return alert && float.amount_minor < alert.below_minor ? 'low' : 'enough';
}
