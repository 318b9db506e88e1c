import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { mtnMomoSimulator } from '../../simulators/mtn-momo/index.ts';
import { runConformance } from './conformance.ts';
import { type Fixture, stageOf } from './fixture.ts';

const CAMEROON = {
  channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
  currency: 'XAF',
  amount_minor: 1_235_00n,
  stem: '+237653',
} as const;

const FIXTURE: Fixture = {
  name: 'mtn-momo in Cameroon',
  collect: [CAMEROON],
  payout: [CAMEROON],
  ends: {
    collect: {
      '000001': { kind: 'failed', reason: 'insufficient_funds' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'failed', reason: 'authorization_timeout' },
      '000004': { kind: 'cancelled', reason: 'payer_declined' },
    },
    payout: {
      '000001': { kind: 'failed', reason: 'recipient_unregistered' },
      '000002': { kind: 'failed', reason: 'invalid_recipient' },
    },
    refund: { '000009': { kind: 'failed', reason: 'operator_declined' } },
  },
  callbacks: 'hint',
  start: () => stageOf({ connector: mtnMomo, kind: mtnMomoSimulator, wrong: { api_key: 'not-the-key-of-this-user' } }),
};

runConformance(FIXTURE);
