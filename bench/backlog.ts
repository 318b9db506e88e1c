import { type Point, slopeOf } from '../scripts/soak/slope.ts';
import { median } from './report.ts';

/** Looks at the backlog of a window: fewer have no trend. */
const MIN_LOOKS = 8;

/**
 * Says whether a backlog grew in the windows of a stream, with its slope: a backlog that grows slowly is small at the end of a short one.
 * @returns null when nothing was due, or the windows were too short
 */
export function growthOf(windows: readonly (readonly Point[])[]): string | null {
  const known = windows.filter((points) => points.length >= MIN_LOOKS && points.some(({ value }) => value > 0));
  if (known.length === 0) return null;
  const slopes = known.map(slopeOf);
  const [middle, low] = (['middle', 'low'] as const).map((name) => median(slopes.map((slope) => slope[name])) ?? 0);
  const [first, last] = [0, 4].map((fifth) => median(known.map((points) => median(valuesIn(points, fifth)))));
  return (
    `${first} in the first fifth of the window and ${last} in the last, a slope of ${signed(middle)} a second ` +
    `(95 %: at least ${signed(low)}): the backlog ${(low ?? 0) > 0 ? 'grows' : 'does not grow'}`
  );
}

function valuesIn(points: readonly Point[], fifth: number): number[] {
  const [from, to] = [fifth, fifth + 1].map((n) => Math.round((points.length * n) / 5));
  return points.slice(from, to).map(({ value }) => value);
}

function signed(figure = 0): string {
  return `${figure > 0 ? '+' : ''}${figure.toFixed(1)}`;
}
