import { levelOf } from '../../providers/float/level.ts';
import { type WatchedFloat, watchedFloats } from '../../providers/float/service.ts';
import type { Environment } from '../../kit/environment.ts';
import type { Queryable } from '../../kit/sql.ts';
import { type Family, gauge, type Sample } from './exposition.ts';

const MAX_COUNTED = 5_000;
const MAX_SHOWN = 200;
const LEVELS = ['enough', 'low', 'empty', 'stale'] as const;

/** Returns the monitored floats, the lowest first. */
export function readFloats(db: Queryable): Promise<WatchedFloat[]> {
  return watchedFloats(db, MAX_COUNTED);
}

/**
 * Returns the number of floats by level. Only floats in trouble are listed by name, because their number grows with the teams'
 * accounts.
 */
export function floatFamilies(
  answers: readonly (readonly [{ environment: Environment }, WatchedFloat[] | null])[],
  at: number,
): Family[] {
  const watched: Sample[] = [];
  const troubled: Sample[] = [];
  for (const [{ environment }, floats] of answers) {
    const levels = floats?.map((float) => ({ float, level: levelOf(float, float, at) })) ?? [];
    for (const wanted of floats ? LEVELS : []) {
      watched.push([[environment, wanted], levels.filter(({ level }) => level === wanted).length]);
    }
    for (const { float, level } of levels.filter((one) => one.level !== 'enough').slice(0, MAX_SHOWN)) {
      troubled.push([[environment, float.account_id, float.currency, float.area, level], Number(float.amount_minor)]);
    }
  }
  return [
    gauge('pirogue_float_watched', 'Floats with an alert, by how full they are.', ['environment', 'level'], watched),
    gauge(
      'pirogue_float_trouble_minor',
      'What a float holds that is low, empty or not known any more.',
      ['environment', 'account', 'currency', 'area', 'level'],
      troubled,
    ),
  ];
}
