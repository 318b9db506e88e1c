/** Returns the time that a share of the times is not above, such as 0.95; 0 without any. */
export function quantile(times: readonly number[], share: number): number {
  return times.toSorted((a, b) => a - b)[Math.floor(share * (times.length - 1))] ?? 0;
}
