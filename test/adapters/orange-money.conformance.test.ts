import { orangeMoneyCameroon } from '../../src/providers/adapters/orange-money/cameroon/index.ts';
import { orangeMoney } from '../../src/providers/adapters/orange-money/index.ts';
import { orangeMoneyCameroonSimulator } from '../../simulators/orange-money/cameroon/index.ts';
import { orangeMoneySimulator } from '../../simulators/orange-money/index.ts';
import { runConformance } from './conformance.ts';
import { type Line, stageOf } from './fixture.ts';

const CAMEROON: Line = {
  channel: { id: 'cm.orange', kind: 'mobile_money', country: 'CM' },
  currency: 'XAF',
  amount_minor: 1_235_00n,
  stem: '+237691',
};

runConformance({
  name: 'orange-money by page',
  collect: [CAMEROON],
  payout: [],
  ends: {
    collect: {
      // FAILED, whatever it was.
      '000001': { kind: 'failed', reason: 'operator_declined' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'expired', reason: null },
      '000004': { kind: 'failed', reason: 'operator_declined' },
    },
    payout: {},
    refund: {},
  },
  callbacks: 'hint',
  start: () =>
    stageOf({ connector: orangeMoney, kind: orangeMoneySimulator, wrong: { client_secret: 'not-the-secret-of-this-client' } }),
});

runConformance({
  name: 'orange-money in Cameroon, by prompt',
  collect: [CAMEROON],
  payout: [],
  ends: {
    collect: {
      '000001': { kind: 'failed', reason: 'insufficient_funds' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'expired', reason: null },
      '000004': { kind: 'cancelled', reason: 'payer_declined' },
      '000005': { kind: 'failed', reason: 'invalid_number' },
    },
    payout: {},
    refund: {},
  },
  callbacks: 'hint',
  start: () =>
    stageOf({
      connector: orangeMoneyCameroon,
      kind: orangeMoneyCameroonSimulator,
      wrong: { channel_password: 'not-the-password-of-this-channel' },
    }),
});
