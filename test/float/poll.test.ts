import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { FloatBook } from '../../src/providers/float/book.ts';
import { FRESH_MS } from '../../src/providers/float/schema.ts';
import { teamFloats } from '../../src/providers/float/service.ts';
import { upsertAlert } from '../../src/providers/float/store.ts';
import { floatSweep } from '../../src/providers/float/sweeps.ts';
import { Secrets } from '../../src/kit/crypto.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { mailSweep } from '../../src/edge/mail/sweeps.ts';
import type { OutgoingMail } from '../../src/edge/mail/outgoing.ts';
import { exposition } from '../../src/edge/metrics/exposition.ts';
import { readFloats, floatFamilies } from '../../src/edge/metrics/floats.ts';
import type { Listed, Providers } from '../../src/providers/provider-accounts/directory.ts';
import { addAccount } from '../../src/providers/provider-accounts/service.ts';
import { connectorOf } from '../../src/providers/adapters/catalogue.ts';
import type { FloatReading } from '../../src/providers/adapters/contract.ts';
import { setActive } from '../../src/providers/provider-accounts/store.ts';
import { must } from '../../src/kit/errors.ts';
import { openPool } from '../../src/platform/db/pool.ts';
import { startSweep } from '../../src/platform/work/sweep.ts';
import { type Api, FakeClock, type Merchant, startApi, until } from '../setup/api.ts';
import { providerOf, requestOf } from '../routing/support.ts';

const clock = new FakeClock();
const listed = new Map<bigint, Listed[]>();
const providers: Providers = {
  of: async (_environment, team_id) => listed.get(team_id) ?? [],
  byAccount: async () => undefined,
  addressed: async () => undefined,
};
const secrets = new Secrets(Buffer.alloc(32, 7));
const held = (amount_minor: bigint, currency = 'XAF'): FloatReading => ({
  kind: 'held',
  floats: [{ currency, amount_minor, use: 'both' }],
});

let api: Api;
let merchant: Merchant;
let account: string;
let asked: number;
let answer: () => Promise<FloatReading>;
let answerOf: (account: string) => Promise<FloatReading>;
before(async () => {
  api = await startApi({ clock, providers, workers: false });
});
after(() => api.stop());

beforeEach(async () => {
  merchant = await api.newMerchant();
  account = await addTo(merchant, 'kora');
  asked = 0;
  answer = async () => held(1_000_00n);
  answerOf = () => answer();
});

/** An account whose provider answers what `answer` says at the time. */
async function addTo({ team }: Merchant, name: string, environment: 'live' | 'sandbox' = 'live'): Promise<string> {
  const connector = must(connectorOf('wave'), 'wave is there');
  const wanted = { team_id: team.id, environment, connector, name, credentials: {}, costs: null };
  const { id } = must(await addAccount(api.control, secrets, wanted, new Date(clock.now())), 'the name is free');
  const provider = providerOf(id, null, {
    balance: async () => {
      asked += 1;
      return answerOf(id);
    },
  });
  listed.set(team.id, [...(listed.get(team.id) ?? []), { provider, name, costs: null }]);
  return id;
}

/** One walk around all accounts. */
async function poll(sweep = floatSweep(api.deps, api.deps.stores.live)): Promise<void> {
  while ((await sweep.round()) > 0);
}

const known = async () => (await teamFloats(api.deps.stores.live.db, merchant.team.id, clock.now())).floats;
const polls = async () => (await teamFloats(api.deps.stores.live.db, merchant.team.id, clock.now())).polls;
const figures = async () => (await known()).map(({ currency, area, amount_minor }) => [currency, area, amount_minor]);

async function watch(below_minor: bigint, area = '', account_id = account): Promise<void> {
  const owner = openPool({ url: api.databases.live, size: 1, log: createLog({ level: 'silent', format: 'json' }) });
  await owner.transaction((tx) => upsertAlert(tx, { team_id: merchant.team.id, account_id, currency: 'XAF', area, below_minor }));
  await owner.close();
}

describe('polling', () => {
  test('the balance of an account is stored with the time of the poll; the next poll is a minute later, not before', async () => {
    const first = clock.now();
    await poll();
    assert.deepEqual(
      (await known()).map(({ account_id, read_at, use }) => [account_id, read_at.getTime(), use]),
      [[account, first, 'both']],
    );
    answer = async () => held(5n);
    await poll();
    assert.equal(asked, 1);
    clock.advance(60_000);
    await poll();
    assert.deepEqual([asked, await figures()], [2, [['XAF', '', 5n]]]);
  });

  test('accounts whose provider does not answer delay no other account', async () => {
    const silence = Promise.withResolvers<FloatReading>();
    // More than one claim takes; ids are in the order of time.
    for (let made = 0; made < 60; made++) await addTo(merchant, `silent-${made}`);
    const silent = new Set((listed.get(merchant.team.id) ?? []).map(({ provider }) => provider.account_id));
    clock.advance(10);
    const healthy = await addTo(merchant, 'healthy');
    answerOf = (id) => (silent.has(id) ? silence.promise : Promise.resolve(held(7n)));
    const worker = startSweep(floatSweep(api.deps, api.deps.stores.live), api.deps);
    await until(known, (floats) => floats.some(({ account_id }) => account_id === healthy));
    silence.resolve(held(1n));
    await worker.stop();
  });

  test('one of several concurrent workers polls', async () => {
    const sweeps = Array.from({ length: 6 }, () => floatSweep(api.deps, api.deps.stores.live));
    await Promise.all(sweeps.map((sweep) => poll(sweep)));
    assert.equal(asked, 1);
  });

  test('a provider that does not respond, or throws, leaves the last reading, which becomes stale', async () => {
    await poll();
    clock.advance(60_000);
    answer = async () => ({ kind: 'unreadable', message: 'HTTP 500' });
    await poll();
    assert.deepEqual([(await polls())[0]?.error, await figures()], ['HTTP 500', [['XAF', '', 100_000n]]]);
    clock.advance(60_000);
    answer = () => Promise.reject(new Error('broken'));
    await poll();
    assert.deepEqual(await figures(), [['XAF', '', 100_000n]]);
    clock.advance(FRESH_MS);
    assert.deepEqual(
      (await known()).map(({ level }) => level),
      ['stale'],
    );
  });

  test('a wallet that is no longer reported is removed; duplicates are merged; invalid entries are skipped', async () => {
    answer = async () => ({
      kind: 'held',
      floats: [
        { currency: 'XAF', amount_minor: 7n, use: 'both', area: 'cm' },
        { currency: 'XAF', amount_minor: 5n, use: 'both', area: 'cm' },
        { currency: 'XOF', amount_minor: 3n, use: 'both', area: 'ci' },
        { currency: "x'; --", amount_minor: 3n, use: 'both' },
        { currency: 'XOF', amount_minor: 10n ** 30n, use: 'both' },
      ],
    });
    await poll();
    assert.deepEqual(await figures(), [
      ['XAF', 'cm', 12n],
      ['XOF', 'ci', 3n],
    ]);
    clock.advance(60_000);
    answer = async () => ({ kind: 'held', floats: [{ currency: 'XOF', amount_minor: 4n, use: 'both', area: 'ci' }] });
    await poll();
    assert.deepEqual(await figures(), [['XOF', 'ci', 4n]]);
  });

  test('a response that arrives after a later one changes nothing', async () => {
    const slow = Promise.withResolvers<FloatReading>();
    answer = () => slow.promise;
    const first = poll();
    while (asked < 1) await new Promise((resolve) => setTimeout(resolve, 5));
    clock.advance(60_000);
    answer = async () => held(9n);
    await poll();
    slow.resolve(held(1n));
    await first;
    assert.deepEqual(await figures(), [['XAF', '', 9n]]);
  });

  test('a provider without a balance operation is not polled and has no error', async () => {
    const silent = providerOf(account, null);
    listed.set(merchant.team.id, [{ provider: silent, name: 'silent', costs: null }]);
    await poll();
    assert.deepEqual([await known(), (await polls()).map(({ error }) => error)], [[], [null]]);
  });

  test('a disabled account is not polled, nor is one of the other store', async () => {
    await setActive(api.control, account, false, new Date(clock.now()));
    await addTo(merchant, 'elsewhere', 'sandbox');
    await poll();
    assert.equal(asked, 0);
  });

  test('all accounts are polled in turn, however many there are', async () => {
    for (let i = 0; i < 60; i++) await addTo(merchant, `many-${i}`);
    await poll();
    assert.deepEqual([asked, (await known()).length], [61, 61]);
  });
});

describe('alerts', () => {
  const mails = () =>
    api.deps.stores.live.db.all<{ level: string; purses: { area: string; amount_minor: string }[] }>(sql`
      select facts->>'level' as level, facts->'purses' as purses from mails where team_id = ${merchant.team.id} order by created_at`);

  const watched = async () => (await readFloats(api.deps.stores.live.db)).filter(({ team_id }) => team_id === merchant.team.id);

  test('the float of a disabled account is not watched; its alert stays until the account is enabled', async () => {
    await watch(100_001n);
    await addTo(merchant, 'kept');
    await poll();
    assert.equal((await watched()).length, 1);
    await setActive(api.control, account, false, new Date(clock.now()));
    await poll();
    assert.deepEqual([await watched(), (await known()).length], [[], 1]);
    await setActive(api.control, account, true, new Date(clock.now()));
    clock.advance(60_000);
    await poll();
    assert.deepEqual(
      (await watched()).map(({ below_minor }) => below_minor),
      [100_001n],
    );
  });

  test('one mail an hour for each account and level, which lists every affected wallet', async () => {
    await watch(100_001n);
    answer = async () => ({
      kind: 'held',
      floats: [
        { currency: 'XAF', amount_minor: 100_000n, use: 'both', area: 'cm' },
        { currency: 'XAF', amount_minor: 50n, use: 'payout', area: 'ga' },
        { currency: 'XAF', amount_minor: 0n, use: 'both', area: 'cg' },
        { currency: 'XAF', amount_minor: 1n, use: 'collection', area: 'cm' },
        { currency: 'XOF', amount_minor: 1n, use: 'both', area: 'ci' },
      ],
    });
    for (let i = 0; i < 3; i++) {
      await poll();
      clock.advance(60_000);
    }
    const written = await mails();
    assert.deepEqual(written.map(({ level, purses }) => [level, purses.map(({ area }) => area)]).sort(), [
      ['empty', ['cg']],
      ['low', ['cm', 'ga']],
    ]);
    // The turn is kept by the clock of the database.
    await api.deps.stores.live.db.run(sql`
      update mail_turns set taken_at = taken_at - interval '61 minutes' where team_id = ${merchant.team.id}`);
    await poll();
    assert.equal((await mails()).length, 4);
  });

  test('the mail contains account, balance and limit in both languages', async () => {
    await watch(2_000_00n);
    await poll();
    const sent: OutgoingMail[] = [];
    const mailer = { send: async (mail: OutgoingMail) => ({ kind: 'sent' as const, _: sent.push(mail) }) };
    await mailSweep(api.deps, api.deps.stores.live, mailer).round();
    const mail = sent.find(({ text }) => text.includes(account));
    for (const part of ['kora', '- XAF: 1000 XAF (alert below 2000 XAF)', 'alerte au-dessous de 2000 XAF', 'once an hour']) {
      assert.ok(mail?.text.includes(part), part);
    }
    assert.match(mail?.subject ?? '', /^Le solde du compte kora est bas \/ The float of the account kora is low$/);
  });

  test('without an alert no mail is sent, even when the float is empty', async () => {
    answer = async () => held(0n);
    await poll();
    assert.deepEqual(await mails(), []);
  });

  test('the metric counts watched floats by level and names those that are low, empty or stale', async () => {
    await watch(100_001n);
    await addTo(merchant, 'unwatched');
    await poll();
    const text = async () => exposition(floatFamilies([[api.deps.stores.live, await watched()]], clock.now()));
    assert.match(await text(), /^pirogue_float_watched\{environment="live",level="low"\} 1$/m);
    assert.ok(
      (await text()).includes(
        `pirogue_float_trouble_minor{environment="live",account="${account}",currency="XAF",area="",level="low"} 100000`,
      ),
    );
    clock.advance(FRESH_MS);
    assert.match(await text(), /^pirogue_float_watched\{environment="live",level="stale"\} 1$/m);
    assert.match(await text(), /^pirogue_float_watched\{environment="live",level="low"\} 0$/m);
  });
});

test('after the clock was set back, accounts are polled and looked at again', async () => {
  const book = new FloatBook({ stores: api.deps.stores, clock, log: createLog({ level: 'silent', format: 'json' }) });
  const request = requestOf({ operation: 'payout', amount_minor: 100_001n, team_id: merchant.team.id });
  const say = async () => (await book.of('live', merchant.team.id))?.shortOf(account, request, clock.now()) ?? null;
  await poll();
  // A look that a busy machine does not end in time says nothing.
  assert.match((await until(say, (said) => said !== null)) ?? '', /float below amount/);
  answer = async () => held(2_000_00n);
  clock.advance(-600_000);
  await poll();
  assert.deepEqual(await figures(), [['XAF', '', 200_000n]]);
  assert.equal(await say(), null);
  clock.advance(600_000);
});

describe('float snapshots used by payouts', () => {
  const log = createLog({ level: 'silent', format: 'json' });
  const request = () => requestOf({ operation: 'payout', amount_minor: 100_001n, team_id: merchant.team.id });
  const say = async (book: FloatBook) =>
    (await book.of('live', merchant.team.id))?.shortOf(account, request(), clock.now()) ?? null;

  test('a process sees the reading of a worker within seconds, and does not query again right after a query', async () => {
    const book = new FloatBook({ stores: api.deps.stores, clock, log });
    assert.equal(await say(book), null);
    await poll();
    assert.equal(await say(book), null, 'within two seconds of the last look');
    clock.advance(2_000);
    const said = await until(
      () => say(book),
      (text) => text !== null,
    );
    assert.match(said ?? '', /float below amount \(1000 XAF/);
  });

  test('a failed or hanging database delays a payout by no more than the deadline, and the float is unknown', async () => {
    for (const all of [() => Promise.reject(new Error('gone')), () => new Promise<never>(() => {})]) {
      const part = { environment: 'live', db: { ...api.deps.stores.live.db, all } } as const;
      const stores = { ...api.deps.stores, live: { ...api.deps.stores.live, of: () => part } };
      assert.equal(await new FloatBook({ stores, clock, log }).of('live', merchant.team.id), null);
    }
  });

  test('the explanation of a transfer reports the low float, whose account is tried last; other teams do not count', async () => {
    const verified = await api.newMerchant({ verification_level: 4 });
    const poor = await addTo(verified, 'poor');
    const rich = await addTo(verified, 'rich');
    const { db } = api.deps.stores.live;
    await db.run(sql`
      insert into floats (team_id, account_id, currency, area, use, amount_minor, read_at) values
        (${verified.team.id}, ${poor}, 'XAF', '', 'both', 99999, ${new Date(clock.now())}),
        (${merchant.team.id}, ${rich}, 'XAF', '', 'both', 0, ${new Date(clock.now())})`);
    // The service's own book gives up a first look that takes long, and its next ones use what that has read.
    const payout = requestOf({ operation: 'payout', amount_minor: 100_000n, team_id: verified.team.id });
    await until(
      async () => (await api.deps.router.choose(payout)).candidates.map(({ account_id }) => account_id),
      ([first]) => first === rich,
    );
    const body = { amount: 1_000, currency: 'XAF', beneficiary: { name: 'Awa', channel: 'cm.mtn', phone: '650000000' } };
    const made = await api.call('POST', '/transfers', { key: verified.live.secret, body });
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const row = await db.maybe<{
      decision: { candidates: string[]; explanation: { accounts: { name: string; why: string }[] } };
    }>(sql`
      select decision from transfers where id = ${made.body.transfer.id}`);
    assert.deepEqual(row?.decision.candidates, [rich, poor]);
    assert.match(
      row?.decision.explanation.accounts.find(({ name }) => name === 'poor')?.why ?? '',
      /float below amount \(999\.99 XAF/,
    );
  });
});
