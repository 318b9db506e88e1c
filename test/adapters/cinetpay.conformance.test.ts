import { cinetpay } from '../../src/providers/adapters/cinetpay/index.ts';
import { cinetpaySimulator } from '../../simulators/cinetpay/index.ts';
import { runConformance } from './conformance.ts';
import { type Line, stageOf } from './fixture.ts';

const orange: Line = {
  channel: { id: 'ci.orange', kind: 'mobile_money', country: 'CI' },
  ...{ currency: 'XOF', amount_minor: 1_235_00n, stem: '+2250703' },
};
const wave: Line = { ...orange, channel: { id: 'ci.wave', kind: 'mobile_money', country: 'CI' }, stem: '+2250103' };
const mtn: Line = {
  channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
  ...{ currency: 'XAF', amount_minor: 1_235_00n, stem: '+237653' },
};

for (const [country, currency, collect, payout] of [
  ['Côte d’Ivoire', 'XOF', [orange, wave], [orange]],
  ['Cameroon', 'XAF', [mtn], [mtn]],
] as const) {
  runConformance({
    name: `cinetpay in ${country}`,
    ...{ collect, payout },
    ends: {
      collect: {
        '000001': { kind: 'failed', reason: 'insufficient_funds' },
        '000002': { kind: 'failed', reason: 'operator_declined' },
        '000003': { kind: 'expired', reason: null },
        '000004': { kind: 'cancelled', reason: 'payer_declined' },
      },
      payout: {
        '000001': { kind: 'failed', reason: null },
        '000002': { kind: 'failed', reason: null },
        '000005': { kind: 'failed', reason: 'invalid_recipient' },
      },
      refund: {},
    },
    callbacks: 'checked',
    start: () =>
      stageOf({
        connector: cinetpay,
        kind: cinetpaySimulator,
        credentials: { currency },
        wrong: { apikey: 'not-the-key-of-this-account' },
      }),
  });
}
