/** One value of a series. Only values of the same segment (one life of a process) are compared with each other. */
export interface Point {
  /** Seconds. */
  at_s: number;
  value: number;
  segment: number;
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
/** The number of pairs grows with the square of the points. */
const MAX_POINTS = 600;
/** Fewer points, or a shorter time, say nothing about a day. */
const MIN_POINTS = 8;
export const MIN_JUDGED_S = 600;

/**
 * Judges whether a series grows: the lower bound of its slope, projected to 24 hours, is above the limit. A few outliers, such as
 * the seconds of a restart, do not change the slope, because medians ignore them.
 */
export function judge(points: readonly Point[], { share, floor }: Limit, min_s = MIN_JUDGED_S): Judged {
  const { middle, low } = slopeOf(points);
  const limit = Math.max(share * mean(points), floor);
  const day = { middle: middle * DAY_S, low: low * DAY_S, limit };
  const fifth = Math.max(1, Math.floor(points.length / 5));
  const isShort = points.length < MIN_POINTS || judgedSeconds(points) < min_s;
  return {
    verdict: isShort ? 'too short' : day.low > limit ? 'grows' : 'flat',
    per_hour: middle * 3600,
    day,
    start: median(points.slice(0, fifth).map(({ value }) => value)),
    end: median(points.slice(-fifth).map(({ value }) => value)),
  };
}

/** Theil-Sen regression over the pairs within each segment. */
export function slopeOf(all: readonly Point[]): Slope {
  const segments = [...Map.groupBy(thinned(all), ({ segment }) => segment).values()];
  const slopes = Float64Array.from(segments.flatMap(pairSlopes)).sort();
  if (slopes.length === 0) return { middle: 0, low: 0 };
  // Variance of Kendall's S, summed over the segments as for seasons.
  const variance = segments.reduce((sum, { length: n }) => sum + (n * (n - 1) * (2 * n + 5)) / 18, 0);
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

/** Replaces neighbours of a segment by their median when there are too many points. */
function thinned(points: readonly Point[]): Point[] {
  const size = Math.ceil(points.length / MAX_POINTS);
  if (size <= 1) return [...points];
  return [...Map.groupBy(points, ({ segment }) => segment).values()].flatMap((segment) =>
    Array.from({ length: Math.floor(segment.length / size) }, (_, i) => {
      const group = segment.slice(i * size, (i + 1) * size);
      const [first] = group as [Point];
      return { ...first, at_s: median(group.map(({ at_s }) => at_s)), value: median(group.map(({ value }) => value)) };
    }),
  );
}

/** Length of the longest segment: the time over which growth could be observed. */
function judgedSeconds(points: readonly Point[]): number {
  const segments = [...Map.groupBy(points, ({ segment }) => segment).values()];
  return segments.reduce((longest, segment) => {
    const times = segment.map(({ at_s }) => at_s);
    return Math.max(longest, (times.at(-1) ?? 0) - (times[0] ?? 0));
  }, 0);
}

function mean(points: readonly Point[]): number {
  return points.reduce((sum, { value }) => sum + value, 0) / Math.max(1, points.length);
}

export function median(values: readonly number[]): number {
  return quantile(Float64Array.from(values).sort(), 0.5);
}

/** @param sorted ascending */
export function quantile(sorted: Float64Array, share: number): number {
  const place = share * (sorted.length - 1);
  const [below, above] = [sorted[Math.floor(place)] ?? 0, sorted[Math.ceil(place)] ?? 0];
  return below + (above - below) * (place - Math.floor(place));
}
