import { versions } from '../../src/tenants/versions/registry.ts';

export const OLD = versions.newest;
export const NEW = '2099-01-01';

/**
 * A version that only tests know: the shapes of this release are those of NEW, and OLD is what it would have been before: a
 * payment's `amount` was called `total`, `succeeded` was `paid`, a beneficiary's `phone` was `msisdn`.
 */
export function addSecondVersion(): void {
  versions.add({
    version: NEW,
    requests: {
      'POST /payments': {
        body: ({ total, ...rest }) => ({ ...rest, ...(total === undefined ? {} : { amount: total }) }),
        fields: { amount: 'total' },
      },
      'GET /payments': {
        query: ({ status, ...rest }) =>
          status === undefined ? rest : { ...rest, status: status === 'paid' ? 'succeeded' : status },
      },
    },
    resources: {
      transaction: ({ amount, status, ...rest }) => ({
        ...rest,
        total: amount ?? null,
        status: status === 'succeeded' ? 'paid' : (status ?? null),
      }),
      beneficiary: ({ phone, ...rest }) => ({ ...rest, msisdn: phone ?? null }),
    },
  });
}
