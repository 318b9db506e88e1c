import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readTracing } from '../../src/edge/http/tracing.ts';

const AT = 1_790_000_000_000;
const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const ECHOED = [
  ...['a', 'order-1', 'a'.repeat(64), 'A.b_c:d/e+f=g@h-i', '550e8400-e29b-41d4-a716-446655440000'],
  ...['a b', 'order#42', '{550e8400-e29b-41d4-a716-446655440000}', `!"#$%&'()*,;<>?[\\]^\`|~`],
];

for (const sent of ECHOED) {
  test(`X-Request-Id ${sent} is echoed`, () => {
    assert.equal(readTracing({ 'x-request-id': sent }, AT).request_id, sent);
  });
}

const REPLACED: [why: string, sent: string | string[]][] = [
  ['is empty', ''],
  ['has 65 characters', 'a'.repeat(65)],
  ['has a line break', 'a\nb'],
  ['has a control character', 'a\x7fb'],
  ['is not ASCII', 'é'],
  ['was sent twice', ['a', 'b']],
  ['is a card number', '4242424242424242'],
  ['is a card number in groups', '4242-4242-4242-4242'],
  ['is a card number with other separators', '4242_4242_4242_4242'],
  ['is a card number with slashes', '4242/4242/4242/4242'],
  ['is a secret key', 'sk_test.0123456789abcdefghijABCDEFGHIJ0123456789abc'],
  ['is a signing secret', 'whsec_0123456789abcdefghijABCDEFGHIJ'],
];

for (const [why, sent] of REPLACED) {
  test(`an X-Request-Id that ${why} is replaced`, () => {
    assert.match(readTracing({ 'x-request-id': sent }, AT).request_id, /^req_[0-9a-z]{26}$/);
  });
}

test('an incoming traceparent is continued with a new span', () => {
  const { trace_id, traceparent } = readTracing({ traceparent: `00-${TRACE}-${SPAN}-01` }, AT);
  assert.equal(trace_id, TRACE);
  assert.match(traceparent, new RegExp(`^00-${TRACE}-[0-9a-f]{16}-01$`));
  assert.ok(!traceparent.includes(SPAN));
});

const MALFORMED: [why: string, traceparent: string][] = [
  ['nothing', ''],
  ['words', 'hello'],
  ['a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
  ['a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
  ['version ff', `ff-${TRACE}-${SPAN}-01`],
  ['upper case', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
  ['a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
  ['something behind it', `00-${TRACE}-${SPAN}-01-x\r\nX-Evil: 1`],
];

for (const [why, sent] of MALFORMED) {
  test(`a traceparent of ${why} starts a new trace`, () => {
    const { trace_id, traceparent } = readTracing({ traceparent: sent }, AT);
    assert.match(trace_id, /^[0-9a-f]{32}$/);
    assert.notEqual(trace_id, TRACE);
    assert.match(traceparent, new RegExp(`^00-${trace_id}-[0-9a-f]{16}-00$`));
  });
}

test('two requests never share an id', () => {
  const [a, b] = [readTracing({}, AT), readTracing({}, AT)];
  assert.notEqual(a.request_id, b.request_id);
  assert.notEqual(a.trace_id, b.trace_id);
});
