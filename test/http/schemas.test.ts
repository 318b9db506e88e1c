import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { Type } from 'typebox';
import { buildServer } from '../../src/edge/http/server.ts';
import { route } from '../../src/tenants/api/route.ts';
import { startApi } from '../setup/api.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

test('a response whose schema does not compile is refused before the handler does anything', async () => {
  let handled = 0;
  const broken = route({
    ...{ method: 'POST', path: '/broken', summary: 'test', access: 'private', scope: 'payment.write' },
    replies: { 201: Type.Unsafe({ type: 'object', properties: { amount: { type: 'no such type' } } }) },
    handle: async () => {
      handled += 1;
      return { code: 201, message: 'Created', body: { amount: 1 } };
    },
  });
  const server = buildServer(api.deps, [broken], []);
  const headers = { authorization: api.keys.sandbox.secret };
  for (let tries = 0; tries < 2; tries++) {
    const { statusCode } = await server.inject({ method: 'POST', url: '/broken', headers });
    assert.deepEqual([statusCode, handled], [500, 0]);
  }
  await server.close();
});
