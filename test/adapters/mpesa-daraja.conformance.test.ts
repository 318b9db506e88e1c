import { mpesaDaraja } from '../../src/providers/adapters/mpesa-daraja/index.ts';
import { mpesaDarajaSimulator } from '../../simulators/mpesa-daraja/index.ts';
import { runConformance } from './conformance.ts';
import { type Line, stageOf } from './fixture.ts';

const kenya: Line = {
  channel: { id: 'ke.mpesa', kind: 'mobile_money', country: 'KE' },
  ...{ currency: 'KES', amount_minor: 1_235_00n, stem: '+254708' },
};

runConformance({
  name: 'mpesa-daraja',
  collect: [kenya],
  payout: [],
  ends: {
    collect: {
      '000001': { kind: 'failed', reason: 'insufficient_funds' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'failed', reason: 'authorization_timeout' },
      '000004': { kind: 'cancelled', reason: 'payer_declined' },
    },
    payout: {},
    refund: {},
  },
  callbacks: 'hint',
  start: () =>
    stageOf({ connector: mpesaDaraja, kind: mpesaDarajaSimulator, wrong: { consumer_secret: 'not-the-secret-of-this-app' } }),
});
