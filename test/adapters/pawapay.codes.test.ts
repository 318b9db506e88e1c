import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import { pawapay } from '../../src/providers/adapters/pawapay/index.ts';
import { Health } from '../../src/providers/routing/health.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { pawapaySimulator } from '../../simulators/pawapay/index.ts';
import { TestClock } from '../routing/support.ts';
import { type Line, tools } from './fixture.ts';
import { collectionOn } from './pieces.ts';

const BURKINA: Line = {
  channel: { id: 'bf.orange', kind: 'mobile_money', country: 'BF' },
  ...{ currency: 'XOF', amount_minor: 500_000n, stem: '+22607' },
};

let simulator: Simulator;
let health: Health;
before(async () => {
  simulator = await startSimulator(pawapaySimulator, { delay_ms: 20 });
});
after(() => simulator.stop());
beforeEach(() => {
  health = new Health(new TestClock());
});

/** Five charges with this code. @returns the answers, and the circuit afterwards */
async function coded(otp: string, credentials: Record<string, string> = {}) {
  const account = { id: 'pa_one', environment: 'live', credentials: { ...simulator.credentials, ...credentials } } as const;
  const provider = health.observe(pawapay.connect(account, tools));
  const answers = [];
  for (let i = 0; i < 5; i++) {
    answers.push(await provider.continue?.(collectionOn(provider, BURKINA), { kind: 'otp', otp }));
  }
  return { kinds: new Set(answers.map((answer) => answer?.kind)), gate: health.look('pa_one', 'bf.orange', 'collect')?.gate };
}

test('codes that pawaPay rejects, malformed or wrong, do not open the circuit', async () => {
  for (const [otp, kind] of [
    ['abcdef', 'unavailable'],
    ['123', 'refused'],
  ] as const) {
    assert.deepEqual(await coded(otp), { kinds: new Set([kind]), gate: 'closed' }, otp);
  }
});

test('codes that get no connection, an internal error or an error about the account open the circuit', async () => {
  for (const [otp, credentials, fault] of [
    ['123456', { base_url: 'http://127.0.0.1:1' }, null],
    ['123456', {}, 'error_uncreated'],
    ['abcdef', { api_token: 'wrong' }, null],
  ] as const) {
    health = new Health(new TestClock());
    if (fault) simulator.faults.script({ fault, times: 5 });
    assert.equal((await coded(otp, credentials)).gate, 'open');
  }
});
