import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Environment } from '../../src/kit/environment.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import { mtnMomo } from '../../src/providers/adapters/mtn-momo/index.ts';
import { orangeMoney } from '../../src/providers/adapters/orange-money/index.ts';
import { wave } from '../../src/providers/adapters/wave/index.ts';
import { faultsOf } from '../../src/providers/provider-accounts/service.ts';
import { tools } from './fixture.ts';

/** Credentials that select the provider's own mode: test money is never recorded as real money, nor real money moved in the sandbox. */
const MTN = { api_user: 'u', api_key: 'k', collection_subscription_key: 'c' };
const ORANGE = { client_id: 'i', client_secret: 's', merchant_key: 'm' };
const WAVE = { country: 'sn' };
const ELSEWHERE = { base_url: 'http://127.0.0.1:9' };

type Case = readonly [Connector, Environment, Record<string, string>, string | null];

const live = (field: string, of: string) => `${field} is of ${of} live mode, but the account is in sandbox`;
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
];

for (const [connector, environment, credentials, fault] of CASES) {
  const said = `${environment}: ${credentials.target_environment ?? credentials.api_key ?? credentials.country}`;
  const where = credentials.base_url ? ' at another address' : '';
  test(`${connector.name} in ${said}${where} ${fault ? 'is a fault and offers nothing' : 'serves'}`, async () => {
    assert.deepEqual(await faultsOf(connector, environment, credentials), fault ? [fault] : []);
    const { length = 0 } = connector.connect({ id: 'pa_test', environment, credentials }, tools).offers() ?? [];
    assert.equal(length > 0, fault === null);
  });
}
