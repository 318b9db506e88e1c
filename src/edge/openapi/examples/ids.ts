/**
 * Ids of the examples by prefix: valid sandbox ids where the object exists in the sandbox, distinguished by their time part.
 */
const TIMES: Record<string, string> = {
  trx: '01kyh5d7g0',
  att: '01kyh5dez0',
  rfd: '01kyh6a1c0',
  po: '01kyh7b2m0',
  ben: '01kyg0c3n0',
  acct: '01kvcy2q80',
  evt: '01kyh5e9p0',
  wh: '01kyf1d4q0',
  whd: '01kyh5eb30',
  dsp: '01kyj8e5r0',
  cus: '01kye2f6s0',
  inv: '01kyk9g7t0',
  lnk: '01kym0h8v0',
  pm: '01kye2f9w0',
};

/** Objects that exist only in live, so they have no sandbox ids. */
const LIVE_ONLY = new Set(['inv', 'lnk']);

/** Returns the example id of a prefix. */
export function exampleId(prefix: string): string {
  return `${prefix}_${LIVE_ONLY.has(prefix) ? '' : 'test_'}${TIMES[prefix] ?? '01kyh5d7g0'}a1b2c3d4e5f6g7h8`;
}

/** Creation time of most examples. */
export const CREATED = '2026-08-01T09:30:00.000Z';
export const PAID = '2026-08-01T09:30:41.208Z';
