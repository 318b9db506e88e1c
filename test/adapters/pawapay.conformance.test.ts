import { pawapay } from '../../src/providers/adapters/pawapay/index.ts';
import { pawapaySimulator } from '../../simulators/pawapay/index.ts';
import { runConformance } from './conformance.ts';
import { type Line, stageOf } from './fixture.ts';

const line = (id: string, currency: string, amount_minor: bigint, stem: string): Line => ({
  channel: { id, kind: 'mobile_money', country: id.slice(0, 2).toUpperCase() },
  currency,
  amount_minor,
  stem,
});

/** Without decimals, with decimals, and by a page of the operator. */
const cameroon = line('cm.mtn', 'XAF', 123_500n, '+237653');
const ghana = line('gh.mtn', 'GHS', 123_456n, '+233241');
const wave = line('sn.wave', 'XOF', 250_000n, '+221771');

runConformance({
  name: 'pawapay',
  collect: [cameroon, ghana, wave],
  payout: [cameroon, ghana],
  ends: {
    collect: {
      '000001': { kind: 'failed', reason: 'insufficient_funds' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'failed', reason: 'authorization_timeout' },
      '000004': { kind: 'failed', reason: 'authorization_timeout' },
      '+237653456019': { kind: 'failed', reason: 'operator_declined' },
      '+237653456029': { kind: 'failed', reason: 'invalid_number' },
      '+237653456049': { kind: 'failed', reason: 'insufficient_funds' },
    },
    payout: {
      '000001': { kind: 'failed', reason: 'recipient_unregistered' },
      '000002': { kind: 'failed', reason: 'invalid_recipient' },
      '+237653456089': { kind: 'failed', reason: 'recipient_unregistered' },
      '+237653456119': { kind: 'failed', reason: null },
    },
    refund: { '000009': { kind: 'failed', reason: 'operator_declined' } },
  },
  callbacks: 'signed',
  start: (callback_url) =>
    stageOf({
      connector: pawapay,
      kind: pawapaySimulator,
      options: { settings: { callback_url } },
      wrong: { api_token: 'a-token-nobody-knows-0123456789' },
    }),
});
