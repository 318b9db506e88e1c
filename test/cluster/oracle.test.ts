import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import { faultOf, kindOf } from '../../cluster/load/client.ts';
import { isSigned } from '../../cluster/load/receiver.ts';
import { type Evidence, judge, passes, waitingFor } from '../../cluster/oracle/judge.ts';
import { reportOf } from '../../cluster/report.ts';
import { notRun } from '../../cluster/run.ts';
import { type Change, deliveriesOf, eventsOf, finds, FROM, sound, WINDOW } from './evidence.ts';

const failure = (values: Partial<Evidence['failed'][number]>) => ({
  failed: [
    {
      first_at: FROM + 1,
      sent_at: FROM + 1,
      at: FROM + 2,
      operation: 'create',
      kind: '500',
      fault: null,
      ...values,
    } as Evidence['failed'][number],
  ],
});

describe('the oracle', () => {
  test('finds nothing where everything is as it must be', () => assert.ok(passes(judge(sound()))));

  test('finds a payment that was answered and does not exist', () =>
    finds('lost', /o-2: trx_2 was answered and does not exist/, ({ listed }) => ({
      listed: listed.filter(({ id }) => id !== 'trx_2'),
    })));

  test('finds an amount that has changed', () =>
    finds('lost', /999 instead of 1000/, ({ listed }) => ({
      listed: listed.map((one, i) => (i === 0 ? { ...one, amount: 999 } : one)),
    })));

  test('finds two payments for one key, answered or not', () => {
    const twice = { id: 'trx_9', reference: 'o-1', status: 'succeeded', amount: 1000 };
    const events = eventsOf('trx_9', 'payment', ['created', 'processing', 'succeeded']);
    finds('twice', /o-1: trx_1, trx_9/, (all) => ({
      listed: [...all.listed, twice],
      events: [...all.events, ...events],
      deliveries: [...all.deliveries, ...deliveriesOf(events)],
    }));
  });

  test('finds a repetition that was answered with another payment', () =>
    finds(
      'twice',
      /o-1: trx_1, trx_7/,
      ({ orders }) => ({ orders: orders.map((one, i) => (i === 0 ? { ...one, ids: new Set(['trx_1', 'trx_7']) } : one)) }),
      ['lost'],
    ));

  test('finds money that a provider moved twice for one payment, under one key or two', () => {
    for (const key of ['key-1', 'key-1b']) {
      finds(
        'twice',
        /trx_1: charged 2 times/,
        ({ moves, booked }) => ({
          moves: [...moves, { kind: 'collect', key, amount_minor: 100_000, moved: true }],
          booked: [...booked, { payment_id: 'trx_1', provider_key: 'key-1b', booked_minor: 100_000, polled: false }],
        }),
        ['books'],
      );
    }
  });

  test('finds money that a provider moved and nobody knows of', () =>
    finds('lost', /key-9: moved by the provider, unknown to us/, ({ moves }) => ({
      moves: [...moves, { kind: 'collect', key: 'key-9', amount_minor: 5, moved: true }],
    })));

  test('finds a ledger that has more or less than the provider', () => {
    finds('books', /trx_2: the ledger has 199999, the provider 200000/, ({ booked }) => ({
      booked: booked.map((one, i) => (i === 1 ? { ...one, booked_minor: 199_999 } : one)),
    }));
    finds('books', /trx_1: the ledger has 100000, the provider 0/, ({ moves }) => ({ moves: moves.slice(1) }));
  });

  test('finds a payment that is stuck, and a request that was never answered', () => {
    finds('stuck', /o-1: still processing/, ({ listed }) => ({
      listed: listed.map((one, i) => (i === 0 ? { ...one, status: 'processing' } : one)),
    }));
    finds('stuck', /o-1: its charge was never answered/, ({ orders }) => ({
      orders: orders.map((one, i) => (i === 0 ? { ...one, charged: false } : one)),
    }));
    finds('stuck', /o-2: create 422/, ({ orders }) => ({
      orders: orders.map((one, i) => (i === 1 ? { ...one, wrong: ['create 422'] } : one)),
    }));
  });

  test('a charge that never reached its provider waits while it is polled, and is stuck when nobody asks', () => {
    const interrupted = (polled: boolean, reached: boolean): Evidence => {
      const all = sound();
      const open = all.events.filter(({ id }) => id !== 'evt_trx_1_2');
      return {
        ...all,
        listed: all.listed.map((one, i) => (i === 0 ? { ...one, status: 'processing' } : one)),
        booked: all.booked.map((one, i) => (i === 0 ? { ...one, booked_minor: 0, polled } : one)),
        moves: all.moves.flatMap((one, i) => (i > 0 ? [one] : reached ? [{ ...one, moved: false }] : [])),
        events: open,
      };
    };
    assert.deepEqual(waitingFor(interrupted(true, false)), ['trx_1']);
    assert.ok(passes(judge(interrupted(true, false))));
    for (const stuck of [interrupted(false, false), interrupted(true, true)]) {
      assert.deepEqual(waitingFor(stuck), []);
      assert.match(judge(stuck).stuck.join('\n'), /o-1: still processing/);
    }
  });

  test('finds events with a gap, out of order, after the final one, or without one', () => {
    const changed =
      (change: (events: Evidence['events']) => Evidence['events']): Change =>
      (all) => {
        const events = change(all.events);
        return { events, deliveries: deliveriesOf(events) };
      };
    finds(
      'events',
      /trx_1 is succeeded/,
      changed((events) => events.filter(({ id }) => id !== 'evt_trx_1_1')),
    );
    const swapped = new Map([
      ['evt_trx_1_1', 3],
      ['evt_trx_1_2', 2],
    ]);
    finds(
      'events',
      /trx_1 is succeeded and has the events 1 created, 2 succeeded, 3 processing/,
      changed((events) => events.map((event) => ({ ...event, sequence: swapped.get(event.id) ?? event.sequence }))),
    );
    finds(
      'events',
      /4 succeeded/,
      changed((events) => [...events, { id: 'evt_19', type: 'payment.succeeded', resource_id: 'trx_1', sequence: 4 }]),
    );
    finds(
      'events',
      /has the events 1 created, 2 processing$/m,
      changed((events) => events.filter(({ id }) => id !== 'evt_trx_1_2')),
    );
  });

  test('finds an event that was not delivered, or not as it is stored', () => {
    finds('events', /evt_trx_2_2 \(payment.succeeded\) was not delivered/, ({ deliveries }) => ({
      deliveries: deliveries.filter(({ event_id }) => event_id !== 'evt_trx_2_2'),
    }));
    finds('events', /evt_trx_2_2 .* was not delivered/, ({ deliveries }) => ({
      deliveries: deliveries.map((one) => (one.event_id === 'evt_trx_2_2' ? { ...one, valid: false } : one)),
    }));
    finds('events', /evt_trx_2_2: delivered as 2/, ({ deliveries }) => ({
      deliveries: deliveries.map((one) => (one.event_id === 'evt_trx_2_2' ? { ...one, sequence: 2 } : one)),
    }));
  });

  test('finds failures at another time than the fault, of another kind, or in another shape, and processes that ended', () => {
    finds('errors', /create: 500, 30.0 s after the fault began/, () =>
      failure({ first_at: FROM + 30_000, sent_at: FROM + 30_000, at: FROM + 30_000 }),
    );
    finds('errors', /create: cut/, () => failure({ kind: 'cut' }));
    finds('errors', /500 without Retry-After/, () => failure({ fault: '500 without Retry-After' }));
    finds('errors', /api1 has ended/, () => ({ ended: ['api1'] }));
    finds('errors', /create: 500, without a fault/, () => ({ windows: [] }));
  });

  test('a repetition may learn for a minute that the interrupted request has not ended, and no longer', () => {
    const later = (ms: number) => failure({ kind: 'under way', at: WINDOW.to + ms });
    assert.ok(passes(judge({ ...sound(), ...later(59_000) })));
    finds('errors', /under way/, () => later(61_000));
  });
});

describe('what a caller was answered', () => {
  const body = (code: number) => JSON.stringify({ code, status: 'Phrase', message: 'Words.' });
  const retry = { 'retry-after': '5' };

  test('our errors, those of the balancer, and requests without an answer are counted apart', () => {
    const ours = { 'x-request-id': 'r', ...retry };
    assert.equal(kindOf(null), 'cut');
    assert.equal(kindOf({ status: 500, headers: ours, text: body(500) }), '500');
    assert.equal(kindOf({ status: 503, headers: retry, text: body(503) }), 'balancer');
    assert.equal(kindOf({ status: 201, headers: {}, text: '{}' }), null);
  });

  test('an error needs the envelope, and one that may be repeated needs Retry-After', () => {
    assert.equal(faultOf({ status: 500, headers: retry, text: body(500) }), null);
    assert.match(faultOf({ status: 500, headers: {}, text: body(500) }) ?? '', /without Retry-After/);
    assert.match(faultOf({ status: 503, headers: retry, text: '<html>' }) ?? '', /no JSON/);
    assert.match(faultOf({ status: 503, headers: retry, text: body(500) }) ?? '', /without the envelope/);
  });

  test('a signature is checked over the exact bytes', () => {
    const header = `v1=${createHmac('sha256', 'whsec_1').update('7.{"a":1}').digest('hex')}`;
    assert.equal(isSigned(header, '7.', Buffer.from('{"a":1}'), 'whsec_1'), true);
    assert.equal(isSigned(header, '8.', Buffer.from('{"a":1}'), 'whsec_1'), false);
    assert.equal(isSigned('', '7.', Buffer.from('{"a":1}'), 'whsec_1'), false);
  });
});

test('the report names each fault, what was found, and what was not run', () => {
  const passed = { ...notRun({ name: 'one' }, ''), not_run: null, orders: 10, errors: { '500': 3 } };
  const failed = { ...passed, fault: 'two', passed: false, verdict: { ...passed.verdict, lost: ['trx_1 is gone'] } };
  const text = reportOf([passed, failed, notRun({ name: 'three' }, 'no network')]);
  assert.match(text, /\| one \| 10 \| .* \| 3 500 \| 0 \|.* pass \|/);
  assert.match(text, /two, lost:\n {2}trx_1 is gone/);
  assert.match(text, /\| three \|.*not run: no network \|/);
  assert.match(text, /FAIL: two$/);
  assert.match(reportOf([passed, notRun({ name: 'three' }, 'no network')]), /PASS, but 1 of 2 were not run$/);
});
