/** One value of a series. */
export interface Point {
  /** Seconds. */
  at_s: number;
  value: number;
}

/** Slope of a series, per second. */
export interface Slope {
  /** Theil-Sen estimate: the median of the slopes between all pairs of points. */
  middle: number;
  /** Lower bound of the 95 % confidence interval (Sen). */
  low: number;
}

/** Limit of the growth of a series: above it, the series grows. */
export interface Limit {
  /** Growth in 24 hours, as a share of the mean. */
  share: number;
  /** Growth in 24 hours that is accepted whatever the mean is, in the unit of the series. */
  floor: number;
}

export interface Judged {
  verdict: 'flat' | 'grows' | 'too short';
  per_hour: number;
  /** Projected growth in 24 hours: the estimate, its lower bound, and the limit for the lower bound. */
  day: { middle: number; low: number; limit: number };
  /** Medians of the first and the last fifth. */
  start: number;
  end: number;
}

const DAY_S = 86_400;
/** 95 %, two-sided. */
const Z = 1.96;
/** Maximum of points, because the number of pairs grows with their square. */
const MAX_POINTS = 600;
/** Minimum of points, and minimum duration in seconds, for a projection to a day. */
const MIN_POINTS = 8;
export const MIN_JUDGED_S = 600;

/**
 * Judges whether a series grows: the lower bound of its slope, projected to 24 hours, is above the limit. A few outliers do not
 * change the slope, because medians ignore them.
 */
export function judge(points: readonly Point[], { share, floor }: Limit, min_s = MIN_JUDGED_S): Judged {
  const { middle, low } = slopeOf(points);
  const limit = Math.max(share * mean(points), floor);
  const day = { middle: middle * DAY_S, low: low * DAY_S, limit };
  const fifth = Math.max(1, Math.floor(points.length / 5));
  const seconds = (points.at(-1)?.at_s ?? 0) - (points[0]?.at_s ?? 0);
  const isShort = points.length < MIN_POINTS || seconds < min_s;
  return {
    verdict: isShort ? 'too short' : day.low > limit ? 'grows' : 'flat',
    per_hour: middle * 3600,
    day,
    start: median(points.slice(0, fifth).map(({ value }) => value)),
    end: median(points.slice(-fifth).map(({ value }) => value)),
  };
}

/** Returns the slope of a series by Theil-Sen regression, which takes the median of the slopes between all pairs of points. */
export function slopeOf(all: readonly Point[]): Slope {
  const points = thinned(all);
  const slopes = Float64Array.from(pairSlopes(points)).sort();
  if (slopes.length === 0) return { middle: 0, low: 0 };
  const n = points.length;
  // The variance of Kendall's S.
  const variance = (n * (n - 1) * (2 * n + 5)) / 18;
  const lowest = Math.round((slopes.length - Z * Math.sqrt(variance)) / 2);
  return { middle: quantile(slopes, 0.5), low: slopes[Math.max(0, lowest)] as number };
}

function pairSlopes(points: readonly Point[]): number[] {
  return points.flatMap((later, i) =>
    points.slice(0, i).flatMap((earlier) => {
      const seconds = later.at_s - earlier.at_s;
      return seconds > 0 ? [(later.value - earlier.value) / seconds] : [];
    }),
  );
}

/** Replaces neighbours by their median when there are too many points. */
function thinned(points: readonly Point[]): readonly Point[] {
  const size = Math.ceil(points.length / MAX_POINTS);
  if (size <= 1) return points;
  return Array.from({ length: Math.floor(points.length / size) }, (_, i) => {
    const group = points.slice(i * size, (i + 1) * size);
    return { at_s: median(group.map(({ at_s }) => at_s)), value: median(group.map(({ value }) => value)) };
  });
}

function mean(points: readonly Point[]): number {
  return points.reduce((sum, { value }) => sum + value, 0) / Math.max(1, points.length);
}

/** Returns the median of numbers in any order; 0 when there are none. */
export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

/**
 * Returns a quantile, interpolated between the two nearest values; 0 when there are none.
 * @param sorted values in ascending order
 * @param share from 0 to 1: 0.5 is the median
 */
export function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}
