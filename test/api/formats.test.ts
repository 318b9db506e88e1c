import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { isAtConsole } from '../../src/edge/http/console-host.ts';
import { isCrossSite } from '../../src/edge/pages/browser.ts';
import { validatorOf } from '../../src/tenants/api/validation.ts';

const HOST = 'shop.example';
/** The parser drops the zeros: what it accepts was parsed. */
const port = (length: number) => `:${'443'.padStart(length, '0')}`;

test('a URL that is too long is not parsed: its field has the fault of a URL, too', () => {
  const { body } = validatorOf(Type.Object({ url: Type.String({ format: 'web-url', maxLength: 2048 }) }), undefined);
  assert.deepEqual(body({ url: `https://${HOST}/`.padEnd(2_048, 'a') }), {});
  const faults = body({ url: `https://${HOST}/`.padEnd(5_000, 'a') }).url;
  assert.ok(faults?.includes('must be an http or https address'), String(faults));
});

test('a leap second, which no date of the program can be, is no time', () => {
  const { body } = validatorOf(Type.Object({ at: Type.String({ format: 'date-time' }) }), undefined);
  assert.deepEqual(body({ at: '2027-06-30T23:59:59Z' }), {});
  assert.deepEqual(Object.keys(body({ at: '2027-06-30T23:59:60Z' })), ['at']);
});

test('a Host that is too long is not that of the console', () => {
  const config = { console: { url: `https://${HOST}`, host: HOST } } as Parameters<typeof isAtConsole>[0];
  assert.equal(isAtConsole(config, { headers: { host: `${HOST}${port(20)}` } }), true);
  assert.equal(isAtConsole(config, { headers: { host: `${HOST}${port(300)}` } }), false);
});

test('a request with an Origin that is too long comes from another site', () => {
  assert.equal(isCrossSite({ origin: `https://${HOST}${port(20)}`, host: HOST }, HOST), false);
  assert.equal(isCrossSite({ origin: `https://${HOST}${port(300)}`, host: HOST }, HOST), true);
});
