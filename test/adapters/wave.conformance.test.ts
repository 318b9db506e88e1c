import { wave } from '../../src/providers/adapters/wave/index.ts';
import { waveSimulator } from '../../simulators/wave/index.ts';
import { runConformance } from './conformance.ts';
import { type Line, stageOf } from './fixture.ts';

const SENEGAL: Line = {
  channel: { id: 'sn.wave', kind: 'mobile_money', country: 'SN' },
  currency: 'XOF',
  amount_minor: 1_235_00n,
  stem: '+221771',
};

const wrong = { api_key: 'wave_sn_prod_not-the-key-of-this-wallet' };

runConformance({
  name: 'wave',
  collect: [SENEGAL],
  payout: [SENEGAL],
  ends: {
    collect: {
      '000001': { kind: 'failed', reason: 'insufficient_funds' },
      '000002': { kind: 'failed', reason: 'operator_declined' },
      '000003': { kind: 'expired', reason: null },
      '000004': { kind: 'expired', reason: null },
    },
    payout: {
      // A number nobody has is paid: its owner may register later.
      '000001': { kind: 'succeeded', reason: null },
      '000002': { kind: 'failed', reason: 'invalid_recipient' },
      '000003': { kind: 'failed', reason: 'invalid_recipient' },
    },
    refund: { '000009': { kind: 'failed', reason: 'operator_declined' } },
  },
  callbacks: 'signed',
  start: (callback_url) => stageOf({ connector: wave, kind: waveSimulator, options: { settings: { callback_url } }, wrong }),
});

const REQUEST_SECRET = 'secret-of-the-requests-of-wave';
const SETTINGS = { request_signing_secret: REQUEST_SECRET, webhook_strategy: 'shared' };

/** The simulator's account with Wave's other two secrets. */
function otherwise(url: string): Record<string, string> {
  const { webhook_signing_secret = '', ...rest } = waveSimulator.credentials(url);
  return { ...rest, webhook_shared_secret: webhook_signing_secret, request_signing_secret: REQUEST_SECRET };
}

runConformance({
  name: 'wave with signed requests and a shared secret',
  collect: [SENEGAL],
  payout: [SENEGAL],
  ends: { collect: {}, payout: {}, refund: {} },
  callbacks: 'checked',
  start: (callback_url) =>
    stageOf({
      ...{ connector: wave, kind: { ...waveSimulator, credentials: otherwise } },
      ...{ options: { settings: { callback_url, ...SETTINGS } }, wrong },
    }),
});
