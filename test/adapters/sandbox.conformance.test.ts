import { sandboxProvider } from '../../src/providers/adapters/sandbox/index.ts';
import { runConformance } from './conformance.ts';
import { type Line, tools } from './fixture.ts';

const cameroon: Line = {
  channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
  currency: 'XAF',
  amount_minor: 123_500n,
  stem: '+237653',
};

runConformance({
  name: 'sandbox',
  wire: false,
  collect: [cameroon],
  payout: [cameroon],
  ends: {
    collect: {
      '000000': { kind: 'succeeded', reason: null },
      '000001': { kind: 'failed', reason: 'insufficient_funds' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'failed', reason: 'authorization_timeout' },
      '000004': { kind: 'cancelled', reason: 'payer_declined' },
    },
    payout: {
      '000001': { kind: 'failed', reason: 'recipient_unregistered' },
      '000002': { kind: 'failed', reason: 'invalid_recipient' },
      '000004': { kind: 'cancelled', reason: null },
    },
    refund: { '000009': { kind: 'failed', reason: 'operator_declined' } },
  },
  callbacks: 'none',
  start: async () => ({
    provider: sandboxProvider({ clock: tools.clock, delay_ms: 20 }),
    secrets: [],
    world: null,
    stop: async () => {},
  }),
});
