import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { faultsOf } from '../../src/providers/provider-accounts/service.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';

for (const connector of CONNECTORS) {
  const simulator = SIMULATORS.find(({ name }) => name === connector.name) ?? assert.fail(`${connector.name} has no simulator`);
  const credentials = simulator.credentials('http://127.0.0.1:9');

  test(`${connector.name}: the credentials of its simulator have no fault, and each that is missing is named once`, async () => {
    assert.deepEqual(await faultsOf(connector, 'live', credentials), []);
    for (const name of connector.credentials.required ?? []) {
      const { [name]: _, ...others } = credentials;
      assert.deepEqual(await faultsOf(connector, 'live', others), [`${name} is missing`]);
    }
  });
}

const MTN = { api_user: 'u', api_key: 'k', target_environment: 'mtncameroon' };
const NO_PRODUCT = 'collection_subscription_key or disbursement_subscription_key is missing';

test('an account of MTN needs the key of a product, of one at least', async () => {
  const faults = (more: Record<string, string>) => faultsOf(mtnMomo, 'live', { ...MTN, ...more });
  assert.deepEqual(await faults({}), [NO_PRODUCT]);
  const { api_key: _, ...others } = MTN;
  assert.deepEqual(await faultsOf(mtnMomo, 'live', others), ['api_key is missing', NO_PRODUCT]);
  assert.deepEqual(await faults({ collection_subscription_key: 'c' }), []);
  assert.deepEqual(await faults({ disbursement_subscription_key: 'd' }), []);
});
