import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../src/kit/environment.ts';
import { cinetpay } from '../../src/providers/adapters/cinetpay/index.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { orangeMoneyCameroon } from '../../src/providers/adapters/orange-money/cameroon/index.ts';
import { orangeMoney } from '../../src/providers/adapters/orange-money/index.ts';
import { wave } from '../../src/providers/adapters/wave/index.ts';
import { faultsOf } from '../../src/providers/provider-accounts/service.ts';
import { tools } from './fixture.ts';

/** Credentials that select the provider's own mode: test money is never recorded as real money, nor real money moved in the sandbox. */
const MTN = { api_user: 'u', api_key: 'k', collection_subscription_key: 'c' };
const ORANGE = { client_id: 'i', client_secret: 's', merchant_key: 'm' };
const WAVE = { country: 'sn' };
const CINETPAY = { apikey: 'k', site_id: '1', secret_key: 's', currency: 'XOF', transfer_password: 'p' };
const CAMEROON = {
  ...{ consumer_key: 'k', consumer_secret: 's', channel_user: 'u', channel_password: 'p' },
  ...{ channel_msisdn: '699000000', channel_pin: '1234' },
};
const ELSEWHERE = { base_url: 'http://127.0.0.1:9' };

type Case = readonly [Connector, Environment, Record<string, string>, string | null];

const live = (field: string, of: string) => `${field} is of ${of} live mode, but the account is in sandbox`;
const modeless = (whose: string) => `${whose} has no test mode, but the account is in sandbox`;
const trial = (field: string, of: string) => `${field} is of ${of} test mode, but the account is in live`;

const CASES: readonly Case[] = [
  [mtnMomo, 'live', { ...MTN, target_environment: 'mtncameroon' }, null],
  [mtnMomo, 'sandbox', { ...MTN, target_environment: 'sandbox' }, null],
  [mtnMomo, 'sandbox', { ...MTN, target_environment: 'mtncameroon' }, live('target_environment mtncameroon', "MTN's")],
  [mtnMomo, 'live', { ...MTN, target_environment: 'sandbox' }, trial('target_environment sandbox', "MTN's")],
  [mtnMomo, 'live', { ...MTN, ...ELSEWHERE, target_environment: 'sandbox' }, null],
  [orangeMoney, 'live', { ...ORANGE, country: 'ci' }, null],
  [orangeMoney, 'sandbox', { ...ORANGE, country: 'dev' }, null],
  [orangeMoney, 'sandbox', { ...ORANGE, country: 'ci' }, live('country ci', "Orange's")],
  [orangeMoney, 'live', { ...ORANGE, country: 'dev' }, trial('country dev', "Orange's")],
  // The currency of Orange's sandbox stands for every other, so none of it may be real.
  [orangeMoney, 'live', { ...ORANGE, ...ELSEWHERE, country: 'dev' }, trial('country dev', "Orange's")],
  [orangeMoney, 'sandbox', { ...ORANGE, ...ELSEWHERE, country: 'ci' }, null],
  [wave, 'live', { ...WAVE, api_key: 'wave_sn_prod_k' }, null],
  [wave, 'sandbox', { ...WAVE, api_key: 'wave_sn_prod_k' }, live('api_key', "Wave's")],
  [wave, 'sandbox', { ...WAVE, ...ELSEWHERE, api_key: 'wave_sn_prod_k' }, null],
  [wave, 'sandbox', { ...WAVE, api_key: 'another' }, null],
  [cinetpay, 'live', CINETPAY, null],
  [cinetpay, 'sandbox', CINETPAY, modeless('CinetPay')],
  [cinetpay, 'sandbox', { ...CINETPAY, ...ELSEWHERE }, null],
  [orangeMoneyCameroon, 'live', CAMEROON, null],
  [orangeMoneyCameroon, 'sandbox', CAMEROON, modeless('Orange Money Cameroon')],
  [orangeMoneyCameroon, 'sandbox', { ...CAMEROON, ...ELSEWHERE }, null],
];

for (const [connector, environment, credentials, fault] of CASES) {
  const { target_environment, api_key, country, currency, channel_msisdn } = credentials;
  const said = `${environment}: ${target_environment ?? api_key ?? country ?? currency ?? channel_msisdn}`;
  const where = credentials.base_url ? ' at another address' : '';
  test(`${connector.name} in ${said}${where} ${fault ? 'is a fault and offers nothing' : 'serves'}`, async () => {
    assert.deepEqual(await faultsOf(connector, environment, credentials), fault ? [fault] : []);
    const { length = 0 } = connector.connect({ id: 'pa_test', environment, credentials }, tools).offers() ?? [];
    assert.equal(length > 0, fault === null);
  });
}

test('every other connector has an address for each environment', () => {
  const unchecked = CONNECTORS.filter(({ modeFault }) => !modeFault).map(({ name }) => name);
  assert.deepEqual(unchecked, ['pawapay', 'mpesa-daraja']);
});
