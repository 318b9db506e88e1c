import { flutterwave } from '../../src/providers/adapters/flutterwave/index.ts';
import { flutterwaveSimulator } from '../../simulators/flutterwave/index.ts';
import { runConformance } from './conformance.ts';
import { type Fixture, type Line, stageOf } from './fixture.ts';

const cameroon: Line = {
  channel: { id: 'cm.mtn', kind: 'mobile_money', country: 'CM' },
  ...{ currency: 'XAF', amount_minor: 1_235_00n, stem: '+237653' },
};
/** Redirects the payer to a page of the operator, and has decimals. */
const ghana: Line = {
  channel: { id: 'gh.mtn', kind: 'mobile_money', country: 'GH' },
  ...{ currency: 'GHS', amount_minor: 1_234_56n, stem: '+233243' },
};
const kenya: Line = {
  channel: { id: 'ke.mpesa', kind: 'mobile_money', country: 'KE' },
  ...{ currency: 'KES', amount_minor: 1_235_00n, stem: '+254708' },
};
const card: Line = {
  channel: { id: 'ci.card', kind: 'card', country: 'CI' },
  ...{ currency: 'XOF', amount_minor: 1_235_00n, stem: '+2250503' },
};
const bank: Line = {
  channel: { id: 'ng.bank', kind: 'bank', country: 'NG' },
  ...{ currency: 'NGN', amount_minor: 1_234_56n, stem: '+2348032' },
};

const start: Fixture['start'] = (callback_url) =>
  stageOf({
    connector: flutterwave,
    kind: flutterwaveSimulator,
    options: { settings: { callback_url } },
    wrong: { secret_key: 'FLWSECK-of-somebody-else-X' },
  });

runConformance({
  name: 'flutterwave',
  collect: [cameroon, ghana],
  payout: [cameroon, ghana, kenya],
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
    // A wallet is paid back, and this number can be paid.
    refund: {},
  },
  callbacks: 'checked',
  start,
});

runConformance({
  name: 'flutterwave for cards and banks',
  lost_refunds: true,
  collect: [card, bank],
  payout: [],
  ends: {
    collect: {
      // A card that is declined can be tried again until its page is closed: flutterwave.pages.test.ts.
      '+2348032000001': { kind: 'failed', reason: 'insufficient_funds' },
      '+2348032000002': { kind: 'failed', reason: 'operator_declined' },
      '+2348032000004': { kind: 'cancelled', reason: 'payer_declined' },
    },
    payout: {},
    refund: { '000009': { kind: 'failed', reason: 'operator_declined' } },
  },
  callbacks: 'checked',
  start,
});
