import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, afterEach, beforeEach, test } from 'node:test';
import { must } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import { fileMailer } from '../../src/edge/mail/files.ts';
import type { Mailer, Sending } from '../../src/edge/mail/outgoing.ts';
import { smtpMailer } from '../../src/edge/mail/smtp.ts';
import { writeMail } from '../../src/tenants/outbox/service.ts';
import { dropMails, insertMailInTurn } from '../../src/tenants/outbox/store.ts';
import { mailForgetSweep, mailSweep, retryDelay } from '../../src/edge/mail/sweeps.ts';
import { purgeSweeps } from '../../src/edge/purge/sweeps.ts';
import { startApi } from '../setup/api.ts';
import { mailsIn } from './folder.ts';
import { read, type SmtpServer, startSmtpServer } from './smtp-server.ts';

const api = await startApi({ workers: false });
after(() => api.stop());
const store = api.deps.stores.live;
const { db } = store;

let server: SmtpServer;
beforeEach(async () => {
  await db.run(sql`delete from mails`);
  server = await startSmtpServer();
});
afterEach(() => server.close());

/** What a process without a mail server sends with; all others here have one. */
const files = fileMailer(api.config.data_dir, 'Pirogue <pirogue@localhost>');
const sweep = () => mailSweep(api.deps, store, smtpMailer(server.url, 'Pirogue <no-reply@pirogue.example>'));
const write = (recipient?: string, team_id = api.team.id) =>
  db.transaction((tx) =>
    writeMail(tx, {
      team_id,
      kind: 'endpoint_deactivated',
      facts: { webhook: 'wh_1', host: 'shop.example' },
      ...(recipient ? { recipient } : {}),
    }),
  );
/** The waiting of a test is done by the database. */
const makeDue = () => db.run(sql`update mails set due_at = now() where due_at is not null`);
const row = () =>
  db.maybe<{ tries: number; sent: boolean; waits_ms: number | null; error: string | null }>(sql`
    select tries, sent_at is not null as sent, error, round(extract(epoch from due_at - now()) * 1000)::float8 as waits_ms from mails`);

test('a mail is sent to the owner of the team, in French and in English, once', async () => {
  await write();
  assert.equal(await sweep().round(), 1);
  assert.equal(await sweep().round(), 0);
  const [mail] = server.mails;
  assert.deepEqual([server.mails.length, mail?.to], [1, api.team.email]);
  const { headers, text } = read(mail?.raw ?? '');
  assert.equal(headers.subject, 'Un point de terminaison webhook a été désactivé / A webhook endpoint was deactivated');
  assert.match(
    text,
    /Bonjour Chez Awa,\n\nAucun envoi au point de terminaison webhook wh_1 \(shop\.example, environnement de production\)/,
  );
  assert.match(text, /n’a réussi depuis 5 jours/, 'a mail of a release without the setting');
  assert.match(text, /Hello Chez Awa,\n\nNo delivery to the webhook endpoint wh_1 \(shop\.example, live environment\)/);
  assert.deepEqual(await row(), { tries: 1, sent: true, error: null, waits_ms: null });
});

test('a mail is sent to the address it names', async () => {
  await write('kofi@client.example');
  await sweep().round();
  assert.equal(server.mails[0]?.to, 'kofi@client.example');
});

test('a transaction that is rolled back writes no mail', async () => {
  await assert.rejects(
    db.transaction(async (tx) => {
      await writeMail(tx, { team_id: api.team.id, kind: 'endpoint_deactivated', facts: { webhook: 'wh_1', host: 'x' } });
      throw new Error('no');
    }),
  );
  assert.equal(await sweep().round(), 0);
});

test('a mail without confirmation of the server is retried at growing intervals, with the same Message-ID', async () => {
  await write();
  // The server has the mail, and the sender does not know it.
  server.script = { RECEIVED: 'hang up' };
  // Part of the wait is over when the row is read.
  const waits = async (wanted_ms: number) => {
    const begun = performance.now();
    await sweep().round();
    const left_ms = (await row())?.waits_ms ?? 0;
    const over_ms = performance.now() - begun;
    assert.ok(left_ms <= wanted_ms && left_ms + over_ms >= wanted_ms - 1, `${left_ms} ms are left after ${over_ms} ms`);
  };
  await waits(10_000);
  const first = await row();
  assert.deepEqual([first?.tries, first?.sent], [1, false]);
  // However long the test takes, its time has not come.
  await db.run(sql`update mails set due_at = due_at + interval '1 hour'`);
  assert.equal(await sweep().round(), 0, 'not before its time');
  await makeDue();
  await waits(20_000);
  server.script = {};
  await makeDue();
  await sweep().round();
  assert.deepEqual(await row(), { tries: 3, sent: true, error: null, waits_ms: null });
  const ids = server.mails.map(({ raw }) => read(raw).headers['message-id']);
  assert.deepEqual([ids.length, new Set(ids).size], [3, 1]);
});

test('the delay doubles from ten seconds up to an hour', () => {
  assert.deepEqual([1, 2, 3, 9, 10, 5_000].map(retryDelay), [10_000, 20_000, 40_000, 2_560_000, 3_600_000, 3_600_000]);
});

test('a worker that dies while it sends: another one sends the mail when the lease expires', async () => {
  await write();
  const asked = Promise.withResolvers<void>();
  const send = () => {
    asked.resolve();
    return new Promise<Sending>(() => {});
  };
  void mailSweep(api.deps, store, { send }).round();
  await asked.promise;
  assert.equal(await sweep().round(), 0, 'not while it may be under way');
  assert.ok(((await row())?.waits_ms ?? 0) <= 60_000);
  await makeDue();
  await sweep().round();
  assert.deepEqual([server.mails.length, (await row())?.sent], [1, true]);
});

test('a late response does not postpone a mail that another worker has taken', async () => {
  await write();
  const answer = Promise.withResolvers<{ kind: 'failed'; error: string }>();
  const asked = Promise.withResolvers<void>();
  const slow = mailSweep(api.deps, store, {
    send: () => {
      asked.resolve();
      return answer.promise;
    },
  }).round();
  await asked.promise;
  await makeDue();
  await sweep().round();
  answer.resolve({ kind: 'failed', error: 'ETIMEDOUT' });
  await slow;
  assert.deepEqual(await row(), { tries: 2, sent: true, error: null, waits_ms: null });
});

for (const kind of ['sent', 'failed'] as const) {
  test(`the copy of a mail that was dropped while it was sent is deleted in the next round (${kind})`, async () => {
    await write('awa@client.example');
    const answer = Promise.withResolvers<Sending>();
    const asked = Promise.withResolvers<void>();
    const mailer: Mailer = {
      send: async (mail) => {
        await files.send(mail);
        asked.resolve();
        return answer.promise;
      },
    };
    const slow = mailSweep(api.deps, store, mailer).round();
    await asked.promise;
    await db.transaction((tx) => dropMails(tx, api.team.id, ['awa@client.example']));
    assert.equal(await sweep().round(), 0, 'not while it may be under way');
    answer.resolve(kind === 'sent' ? { kind } : { kind, error: 'ETIMEDOUT' });
    await slow;
    assert.equal(mailsIn(api).length, 1);
    assert.equal(await sweep().round(), 1);
    assert.deepEqual([mailsIn(api), await row()], [[], undefined]);
  });
}

test('a mail that is dropped leaves no file, not even an unfinished one, when there is a mail server since', async () => {
  await write('awa@client.example');
  await mailSweep(api.deps, store, files).round();
  const folder = path.join(api.config.data_dir, 'mail');
  const [file] = fs.readdirSync(folder);
  fs.writeFileSync(path.join(folder, `${file}.tmp`), 'half');
  await db.transaction((tx) => dropMails(tx, api.team.id, ['awa@client.example']));
  assert.equal(await sweep().round(), 1);
  assert.deepEqual([mailsIn(api), await row(), server.mails], [[], undefined, []]);
});

test('the file of a mail is deleted when the retention of mails is over', async () => {
  await write();
  await mailSweep(api.deps, store, files).round();
  const roundIn = (days: number) => {
    const clock = { now: () => Date.now() + days * 86_400_000 };
    const sweeps = purgeSweeps({ ...api.deps, clock }, store);
    return must(
      sweeps.find(({ name }) => name === 'purge-mail-files'),
      'it is one of live',
    ).round();
  };
  assert.deepEqual([await roundIn(29), mailsIn(api).length], [0, 1]);
  assert.deepEqual([await roundIn(31), mailsIn(api).length], [1, 0]);
});

const LOST: [what: string, prepare: () => Promise<unknown>][] = [
  ['an unknown recipient', async () => Object.assign(server, { script: { RCPT: '550 no' } })],
  [
    'two days of failure',
    async () => {
      server.script = { MAIL: '451 later' };
      await db.run(sql`update mails set created_at = now() - interval '48 hours'`);
    },
  ],
];

for (const [what, prepare] of LOST) {
  test(`${what} is given up`, async () => {
    await write();
    await prepare();
    assert.equal(await sweep().round(), 1);
    const { sent, waits_ms, error } = (await row()) ?? {};
    assert.deepEqual([sent, waits_ms], [false, null]);
    assert.match(error ?? '', /^EENVELOPE \d{3}$/);
    assert.equal(await sweep().round(), 0);
  });
}

test('a mail of a deleted team is given up, and does not block other mails', async () => {
  await write(undefined, 1n);
  await write();
  assert.equal(await sweep().round(), 2);
  assert.equal(server.mails.length, 1);
});

test('when a mail was last sent is forgotten after a month', async () => {
  await insertMailInTurn(db, { team_id: api.team.id, kind: 'dropped', facts: {} }, 'a turn', 1_000);
  await db.run(sql`update mail_turns set taken_at = now() - interval '29 days'`);
  assert.equal(await mailForgetSweep(store).round(), 0);
  await db.run(sql`update mail_turns set taken_at = now() - interval '31 days'`);
  assert.equal(await mailForgetSweep(store).round(), 1);
});
