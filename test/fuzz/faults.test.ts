import assert from 'node:assert/strict';
import { test } from 'node:test';
import { faultOf, leakOf } from './faults.ts';

const json = (status: number) => ({ status, type: 'application/json; charset=utf-8', text: '{}' });
const html = (status: number, text = '<p>') => ({ status, type: 'text/html; charset=utf-8', text });

test('every 5xx is a defect, of whatever type, but 501 and 502 of an operation and 502 of a charge on a page', () => {
  for (const status of [500, 503, 504]) {
    assert.ok(faultOf('GET', 'operation', json(status)));
    assert.ok(faultOf('GET', 'page', html(status)));
    assert.ok(faultOf('HEAD', 'page', { status, type: null, text: '' }));
    assert.ok(faultOf('POST', 'charge', html(status)));
  }
  assert.equal(faultOf('POST', 'charge', html(502)), null);
  assert.ok(faultOf('POST', 'charge', html(501)));
  for (const status of [501, 502]) {
    assert.equal(faultOf('POST', 'operation', json(status)), null);
    assert.ok(faultOf('POST', 'page', html(status)));
  }
});

test('an operation that answers a page or nothing is a defect: the document would not be compared with it', () => {
  assert.ok(faultOf('GET', 'operation', html(200)));
  assert.ok(faultOf('POST', 'operation', { status: 201, type: null, text: '' }));
  assert.equal(faultOf('HEAD', 'operation', { status: 200, type: null, text: '' }), null);
  assert.equal(faultOf('DELETE', 'operation', { status: 204, type: null, text: '' }), null);
});

test('markup of a sender in a page is a defect', () => {
  assert.ok(faultOf('GET', 'page', html(200, '<p><script>fuzz()</script>')));
  assert.equal(faultOf('GET', 'page', html(200, '<p>&lt;script>fuzz()')), null);
});

test('an answer with an object of another team or environment is a defect', () => {
  const owners = new Map<string, string>();
  const [own, other] = [`trx_${'0'.repeat(26)}`, `rfd_test_${'1'.repeat(26)}`];
  assert.equal(leakOf(owners, 'live', `{"id":"${own}","request_id":"req_${'2'.repeat(26)}"}`), null);
  assert.equal(leakOf(owners, 'sandbox', `{"id":"${other}","request_id":"req_${'2'.repeat(26)}"}`), null);
  assert.equal(leakOf(owners, 'live', `{"items":[{"id":"${own}"}]}`), null);
  assert.equal(leakOf(owners, 'live', `{"items":[{"id":"${own}"},{"id":"${other}"}]}`), `live is shown ${other} of sandbox`);
  assert.equal(leakOf(owners, 'other', own), `other is shown ${own} of live`);
});
