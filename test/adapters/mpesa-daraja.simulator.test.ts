import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mpesaDaraja } from '../../src/providers/adapters/mpesa-daraja/index.ts';
import { mpesaDarajaSimulator } from '../../simulators/mpesa-daraja/index.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { tools } from './fixture.ts';
import { collectionFor, short } from './wire-stub.ts';

let simulator: Simulator;
let now = 0;

before(async () => {
  simulator = await startSimulator(mpesaDarajaSimulator, { delay_ms: 40 });
});
after(() => simulator.stop());

for (const [digits, code, first] of [
  ['000037', '1037', 'pending'],
  ['004999', '4999', 'pending'],
  ['008999', 'a code nobody has published', 'unreadable'],
] as const) {
  test(`a prompt whose query answers ${code} first is not failed: the payer pays, and a later read finds it`, async () => {
    now = Date.now();
    const clock = { now: () => now };
    const account = { id: 'pa_test', environment: 'live', credentials: simulator.credentials } as const;
    const provider = mpesaDaraja.connect(account, { ...tools, clock });
    const collection = collectionFor(provider, {
      ...{ channel: { id: 'ke.mpesa', kind: 'mobile_money', country: 'KE' }, currency: 'KES', amount_minor: 1_500_00n },
      ...{ payer: `+254708${digits}`, provider_key: provider.keyOf(digits), callback_url: 'http://127.0.0.1:9/x' },
    });
    // The payer does not pay before the first read.
    simulator.faults.script({ fault: 'stuck' });
    const said = await provider.submit(collection);
    assert.ok(said.kind === 'accepted');
    const open = { ...collection, provider_ref: said.provider_ref, submitted_at: now };
    assert.equal(short(await provider.read(open)), first);
    simulator.recover();
    await simulator.idle();
    assert.equal(short(await provider.read(open)), 'succeeded');
  });
}
