import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { CsvFault, readCsv } from '../../src/kit/csv-read.ts';
import { sql } from '../../src/kit/sql.ts';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { sweepsOf } from '../../src/program/program.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import { type Api, FakeClock, startApi } from '../setup/api.ts';
import { HEAD, line, numbers, Payer, read, started, storedLines } from './bulk.ts';
import { formToken, signedIn } from './people.ts';

let api: Api;
const clock = new FakeClock();

before(async () => {
  api = await startApi({ workers: false, clock });
});
after(() => api.stop());

test('CSV is read as RFC 4180 has it, with commas or semicolons', () => {
  assert.deepEqual(readCsv('\uFEFFa,b\r\n"x, ""y""\nz",2\r\n\r\n3,\n'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x, "y"\nz', '2'] },
    { line: 5, cells: ['3', ''] },
  ]);
  assert.deepEqual(readCsv('a;b;c,d\n1;2,5\r3;'), [
    { line: 1, cells: ['a', 'b', 'c,d'] },
    { line: 2, cells: ['1', '2,5'] },
    { line: 3, cells: ['3', ''] },
  ]);
  assert.deepEqual(readCsv(''), []);
  assert.deepEqual(readCsv('a'), [{ line: 1, cells: ['a'] }]);
  for (const [text, line] of [
    ['a,b\n"1,2', 2],
    ['a\n"x"y,2', 2],
    ['"', 1],
  ] as const) {
    assert.throws(
      () => readCsv(text),
      (error) => error instanceof CsvFault && error.line === line,
      text,
    );
  }
});

describe('a list of payouts', () => {
  test('numbers its lines as the uploaded text does: with the head, empty lines and line breaks in cells', async () => {
    const payer = await Payer.open(api, 1_000);
    const blank = ['', ' , ,', ',,,,,'];
    const rows = [HEAD, '123,cm.mtn,,5000,XAF,A', ...blank, '124,cm.mtn,"A\nB",5000,XAF,B', '125,cm.mtn,,5000,XAF,C'];
    const { text } = await payer.person.get(await payer.upload(rows.join('\n')));
    assert.deepEqual(
      [...text.matchAll(/<tr><td[^>]*>(\d+)<\/td><td[^>]*>[^<]*(12\d)</g)].map(([, at, number]) => `${at} ${number}`),
      ['2 123', '6 124', '8 125'],
    );
    const many = [HEAD, ...Array.from({ length: 101 }, (_, i) => line(i + 1))];
    many.splice(60, 0, '', '');
    const long = await payer.person.get(await payer.upload(many.join('\n')));
    assert.deepEqual(
      [...long.text.matchAll(/\?from=(\d+)"[^>]*>([^<]+)</g)].map(([, from, label]) => [from, label]),
      [
        ['1', '2–103'],
        ['101', '104–104'],
      ],
    );
  });

  test('is checked line by line, and only what is right is paid out, after a confirmation', async () => {
    const payer = await Payer.open(api, 100_000);
    const saved = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
    const key = payer.merchant.sandbox.secret;
    const { id } = (await api.call('POST', '/beneficiaries', { key, body: saved })).body.beneficiary;
    const foreign = (await api.call('POST', '/beneficiaries', { body: saved })).body.beneficiary.id;
    const list = await payer.upload(
      [
        HEAD,
        '650000000,cm.mtn,"Ama <b>""N""</b>",5000,XAF,A',
        `${id},,,700,XAF,B`,
        '123,cm.mtn,,5000,XAF,C',
        '650000001,cm.mtn,,many,XAF,D',
        '650000002,cm.card,,5000,XAF,E',
        `${foreign},,,700,XAF,F`,
        '650000003,cm.mtn,,5000,EUR,G',
        '650000004,cm.mtn,,900,XAF,H,surplus',
        '4242424242424242,cm.mtn,,900,XAF,I',
      ].join('\n'),
    );
    const { text } = await payer.person.get(list);
    assert.match(read(text), /Lines that are wrong and are not paid out: 7/);
    assert.match(read(text), /XAF 2 FCFA 5,700 FCFA 57 FCFA 100,000 FCFA 94,243/);
    assert.match(read(text), /recipient: is not a phone number of CM/);
    assert.match(read(text), /amount: Type an amount/);
    assert.match(read(text), /channel: cannot be paid out to/);
    assert.match(read(text), /Beneficiary Not Found/i);
    assert.match(read(text), /more cells than there are columns/);
    assert.ok(!text.includes('<b>"N"') && !text.includes('<b>&quot;N'));
    assert.deepEqual(await payer.transfers(), [], 'nothing is paid out by looking');
    const { to } = await payer.press(list);
    assert.match(to ?? '', /\?go=\d+\.[\w-]{22}$/);
    assert.deepEqual(await payer.references(), ['A', 'B']);
    const done = await payer.person.get(list);
    assert.match(read(done.text), /2 of 2 lines\./);
    assert.ok(!done.text.includes('/run?'));
    assert.match(read(done.text), /2 Ama &lt;b&gt;&quot;N&quot;&lt;\/b&gt; · \+237650000000 FCFA 5,000 Processing/);
    const { body, recipient } = (await storedLines(api, list))[0] ?? {};
    assert.deepEqual([body, recipient], [null, null], 'who was paid is in the transfer only');
  });

  test('that is none is rejected with its reason and kept in the form', async () => {
    const payer = await Payer.open(api, 1_000);
    const cases: [csv: string, fault: RegExp][] = [
      ['hello', /no column “hello”/],
      ['recipient,amount\n1,2', /“currency” is missing/],
      [`${HEAD},amount\n1`, /“amount” appears twice/],
      [HEAD, /no lines/],
      [`${HEAD}\n"1`, /Line 2 is not valid CSV/],
      [`${HEAD}\n${line(1)}\n${line(2).replace('mtn,,', 'mtn,Zo\uFFFD,')}`, /Line 3 has characters that could not be read/],
      [
        `${HEAD}\n${numbers(501)
          .map((n) => line(n))
          .join('\n')}`,
        /more than 500 lines/,
      ],
    ];
    for (const [csv, fault] of cases) {
      const { status, text } = await payer.person.submit(payer.path, payer.path, { csv });
      assert.equal(status, 422, String(fault));
      assert.match(read(text), fault);
      assert.ok(text.includes(csv.slice(0, 20).replaceAll('"', '&quot;')), 'what was typed is kept');
    }
  });

  test('that is too long is recognised by its beginning, and no part of it is left in the form to be sent as the list', async () => {
    const payer = await Payer.open(api, 1_000);
    const long = `${HEAD}\n${line(1)}\n${"'".repeat(2_000_000)}`;
    // Sent as it is: a browser would encode the quotes.
    const token = new URLSearchParams(formToken((await payer.person.get(payer.path)).text));
    const cookie = [...payer.person.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'same-origin', cookie };
    const body = `${token}&csv=${long.replaceAll('+', '%2B')}`;
    const shown = await fetch(new URL(payer.path, api.url), { method: 'POST', headers, body });
    const text = await shown.text();
    assert.equal(shown.status, 422);
    assert.match(read(text), /at most 262,144 characters are read/);
    assert.ok(text.includes(line(1)));
    assert.match(text, /<textarea[^>]*><\/textarea>/);
    assert.ok(text.length < 50_000, `${text.length} characters`);
  });

  test('of one form is stored once', async () => {
    const payer = await Payer.open(api, 1_000);
    const { text } = await payer.person.get(payer.path);
    const values = { ...formToken(text), csv: `${HEAD}\n${line(1)}` };
    const answers = await Promise.all([1, 2, 3].map(() => payer.person.post(payer.path, values)));
    assert.equal(new Set(answers.map(({ to }) => to)).size, 1);
    // Somebody who went back, corrected the text and submitted it sees what they corrected.
    const corrected = await payer.person.post(payer.path, { ...values, csv: `${HEAD}\n${line(1, 7_777)}` });
    assert.match(read((await payer.person.get(corrected.to as string)).text), /7,777/);
  });

  test('with a recipient and amount twice, or of the last 24 hours, says so and asks again', async () => {
    const payer = await Payer.open(api, 50_000);
    await payer.finish(await payer.upload(`${HEAD}\n${line(1)}`));
    const list = await payer.upload([HEAD, line(1), line(2), line(2).replace('L-2', 'L-3'), line(4)].join('\n'));
    const { text } = await payer.person.get(list);
    assert.match(read(text), /Paid in the last 24 hours/);
    assert.match(read(text), /Twice in the list/);
    const { to } = await payer.press(list);
    assert.equal(to, `${list}?stop=sure`);
    assert.deepEqual(await payer.references(), ['L-1']);
    await payer.press(list, { sure: '2' });
    assert.deepEqual(await payer.references(), ['L-1', 'L-1', 'L-2', 'L-3', 'L-4']);
  });
});

describe('each line is paid once', () => {
  test('in a list of 500 lines, 25 at a time, of which the page shows a hundred', { timeout: 540_000 }, async () => {
    const payer = await Payer.open(api, 5_000_000);
    const list = await payer.upload([HEAD, ...numbers(500).map((n) => line(n))].join('\n'));
    const { text } = await payer.person.get(list);
    assert.match(read(text), /Pay out 500 lines/);
    assert.equal(text.split('<tr>').length - 1, 2 + 1 + 100);
    assert.doesNotMatch(read(text), /Lines to look at/);
    const { to } = await payer.press(list);
    assert.match(read((await payer.person.get(to as string)).text), /25 of 500 lines\. Go on Pause/);
    assert.equal(await payer.finish(list), 19);
    assert.deepEqual(
      await payer.references(),
      numbers(500)
        .map((n) => `L-${n}`)
        .sort(),
    );
  });

  test('when two people run it at once, and when the button is pressed again and again', async () => {
    const payer = await Payer.open(api, 500_000);
    const other = await signedIn(api, 'owner', payer.merchant.team);
    const list = await payer.upload([HEAD, ...numbers(40).map((n) => line(n))].join('\n'));
    const page = await payer.person.get(list);
    const theirs = await other.get(list);
    await Promise.all([
      payer.person.post(`${list}/run`, formToken(page.text)),
      payer.person.post(`${list}/run`, formToken(page.text)),
      other.post(`${list}/run`, formToken(theirs.text)),
    ]);
    await payer.finish(list);
    await payer.person.post(`${list}/run`, formToken(page.text));
    assert.deepEqual(
      await payer.references(),
      numbers(40)
        .map((n) => `L-${n}`)
        .sort(),
    );
  });

  test('when the process ended after it had paid some lines, before it recorded them', async () => {
    const payer = await Payer.open(api, 500_000);
    const list = await payer.upload([HEAD, ...numbers(5).map((n) => line(n))].join('\n'));
    const id = list.split('/').at(-1);
    // What the process did before it ended: the confirmation, and the operations with the keys of the lines.
    await started(api, list);
    for (const { line: n, body } of (await storedLines(api, list)).slice(0, 3)) {
      const { status } = await api.call('POST', '/transfers', {
        key: payer.merchant.sandbox.secret,
        headers: { 'Idempotency-Key': `bulk-${id}-${n}` },
        body: body as object,
      });
      assert.equal(status, 201);
    }
    await payer.press(list);
    assert.deepEqual(
      await payer.references(),
      numbers(5)
        .map((n) => `L-${n}`)
        .sort(),
    );
    assert.deepEqual(new Set((await storedLines(api, list)).map(({ status }) => status)), new Set(['done']));
  });

  test('and a line that the balance does not cover stays open until it does', async () => {
    const payer = await Payer.open(api, 2_500);
    const list = await payer.upload([HEAD, ...numbers(3).map((n) => line(n))].join('\n'));
    assert.match(read((await payer.person.get(list)).text), /does not cover the list/);
    const { to } = await payer.press(list);
    assert.equal(to, `${list}?stop=balance`);
    assert.match(read((await payer.person.get(to as string)).text), /does not cover the next line.*2 of 3 lines/);
    assert.deepEqual(await payer.references(), ['L-1', 'L-2']);
    const { id } = payer.merchant.team;
    await fundSandbox(api.deps, api.deps.stores.sandbox.of(id), id, 'XAF', 500_000n, WORKER);
    await payer.press(list);
    assert.deepEqual(await payer.references(), ['L-1', 'L-2', 'L-3']);
  });

  test('and lines above the threshold are asked for once each, by a second person', async () => {
    const payer = await Payer.open(api, 50_000);
    const { id } = payer.merchant.team;
    await api.control.run(sql`insert into approval_thresholds (team_id, currency, above_minor) values (${id}, 'XAF', 200000)`);
    const list = await payer.upload([HEAD, line(1, 5_000), line(2, 500), line(3, 1_990)].join('\n'));
    await payer.press(list);
    await payer.press(list);
    assert.deepEqual(await payer.references(), ['L-2']);
    assert.deepEqual(
      (await storedLines(api, list)).map(({ status }) => status),
      ['asked', 'done', 'asked'],
    );
    const asked = await api.control.all(sql`select id from approvals where team_id = ${id}`);
    assert.equal(asked.length, 2, 'the fee counts');
    const { text } = await payer.person.get(list);
    assert.match(read(text), /2 were sent to a second person/);
    assert.match(read(text), /2 \+237650000001 FCFA 5,000 Sent for approval/);
    assert.match(text, /\/approvals\/apv_/);
  });

  test('and a beneficiary that changed since the list was checked is not paid', async () => {
    const payer = await Payer.open(api, 50_000);
    const key = payer.merchant.sandbox.secret;
    const body = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
    const { id } = (await api.call('POST', '/beneficiaries', { key, body })).body.beneficiary;
    const list = await payer.upload([HEAD, `${id},,,700,XAF,B`].join('\n'));
    await api.call('PATCH', `/beneficiaries/${id}`, { key, body: { phone: '699999999' } });
    await payer.press(list);
    assert.match(read((await payer.person.get(list)).text), /The beneficiary has changed since the list was checked/);
    assert.deepEqual(await payer.transfers(), []);
  });

  test('and a line that was rejected can be tried again', async () => {
    const payer = await Payer.open(api, 50_000);
    const key = payer.merchant.sandbox.secret;
    const body = { name: 'Kofi', channel: 'cm.orange', phone: '690000000' };
    const { id } = (await api.call('POST', '/beneficiaries', { key, body })).body.beneficiary;
    const list = await payer.upload([HEAD, `${id},,,700,XAF,B`, line(2)].join('\n'));
    await api.call('DELETE', `/beneficiaries/${id}`, { key });
    await payer.press(list);
    const failed = await payer.person.get(list);
    assert.match(read(failed.text), /Finished, with failures .*1 failed\. Try the failed lines again/);
    assert.match(read((await payer.person.get(payer.path)).text), /Finished, with failures/);
    await payer.press(list, {}, 'retry');
    assert.deepEqual(await payer.references(), ['L-2']);
    assert.deepEqual(
      (await storedLines(api, list)).map(({ status }) => status),
      ['failed', 'done'],
    );
  });
});

test('a list of another team or environment is not found, and a reader cannot run one', async () => {
  const payer = await Payer.open(api, 5_000);
  const list = await payer.upload(`${HEAD}\n${line(1)}`);
  const stranger = await Payer.open(api, 5_000);
  const elsewhere = list.replace(payer.path, stranger.path);
  assert.equal((await stranger.person.get(elsewhere)).status, 404);
  const { text } = await stranger.person.get(stranger.path);
  assert.equal((await stranger.person.post(`${elsewhere}/run`, formToken(text))).status, 404);
  assert.equal((await payer.person.get(list.replace('/sandbox/', '/live/'))).status, 404);
  const reader = await signedIn(api, 'read_only', payer.merchant.team);
  const seen = await reader.get(list);
  assert.equal(seen.status, 200);
  assert.ok(!seen.text.includes('/run?'));
  assert.equal((await reader.post(`${list}/run`, formToken(seen.text))).status, 403);
  assert.deepEqual(await payer.transfers(), []);
});

// Last: it moves the clock.
test('lists are forgotten after 30 days, and the payouts stay', async () => {
  const payer = await Payer.open(api, 5_000);
  const list = await payer.upload(`${HEAD}\n${line(1)}`);
  await payer.press(list);
  clock.advance(30 * 86_400_000 + 1_000);
  for (const sweep of sweepsOf(api.deps, api.deps.stores.sandbox)) {
    if (sweep.name === 'purge-payout-batches') while ((await sweep.round()) > 0);
  }
  assert.deepEqual(await storedLines(api, list), []);
  const left = await api.deps.stores.sandbox.db.all(sql`select id from payout_batches`);
  assert.deepEqual(left, []);
  assert.deepEqual(await payer.references(), ['L-1']);
});
