import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type AnsweredCallback, callbackExchange } from '../../src/providers/exchanges/callback.ts';

const ANSWERED: AnsweredCallback = {
  ...{
    environment: 'live',
    team_id: 1n,
    subject_id: 'att_1',
    provider: 'cinetpay',
    account_id: 'pa_1',
    numbers: ['+237653000000'],
  },
  ...{ callback: 'signed', by_address: false, at: 1_800_000_000_000, duration_ms: 3.6 },
  raw: { method: 'POST', headers: {}, body: Buffer.from('{}') },
  answer: { status: 200, body: '{"ResultCode":0,"ResultDesc":"Accepted"}' },
};

test('a form is stored as its listed fields, without the payer and secrets', () => {
  const form = new URLSearchParams({
    ...{ cpm_site_id: '445160', cpm_trans_id: '0123456789abcdef0123456789abcdef', cpm_amount: '25000', cpm_currency: 'XAF' },
    ...{ cel_phone_num: '653000000', cpm_designation: 'Awa', cpm_error_message: 'Awa N', buyer: 'Awa', signature: 'secret' },
  });
  const headers = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8', 'x-token': 'secret' };
  const row = callbackExchange({ ...ANSWERED, raw: { method: 'POST', headers, body: Buffer.from(form.toString()) } });
  assert.deepEqual(JSON.parse(row.request ?? ''), {
    ...{ cpm_site_id: '…', cpm_trans_id: '0123456789abcdef0123456789abcdef', cpm_amount: '25000', cpm_currency: 'XAF' },
    ...{ cel_phone_num: '…', cpm_designation: '…', cpm_error_message: '…', signature: '…', '…': 1 },
  });
  assert.doesNotMatch(
    JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? String(value) : value)),
    /secret|Awa|653000000/,
  );
});

test('our answer, the size of what came and the time that it took are stored', () => {
  const { status, response, response_bytes, duration_ms, path, error } = callbackExchange(ANSWERED);
  assert.deepEqual(
    [status, response, response_bytes, duration_ms, path, error],
    [200, '{"ResultCode":0,"ResultDesc":"…"}', 2, 4, '/_callbacks/pa_1', null],
  );
});
