import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { verifyLedger } from '../../src/money/ledger/verify.ts';
import { checkBooks } from '../../src/core/books-check/check.ts';
import { startApi } from '../setup/api.ts';
import { openLiveShop } from '../setup/live-shop.ts';
import { report } from '../setup/progress.ts';
import { startReceiver } from '../setup/receiver.ts';
import { buildDocument } from '../../src/edge/openapi/document.ts';
import { allRoutes } from '../../src/program/program.ts';
import { insertMembership } from '../../src/tenants/people/store.ts';
import { signedIn } from '../console/people.ts';
import type { ConsoleTeams } from './console.ts';
import { FormRoutes, formRoutesOf } from './form-routes.ts';
import { Outside } from './outside.ts';
import { operationsOf } from './requests.ts';
import { Session } from './session.ts';

const CALLS = Number(process.env.FUZZ_CALLS ?? 5_000);
/** A run of so many requests makes every operation succeed at least once. */
const REACHES_ALL = 50_000;
/** A run of so many requests sends every form with its token at least once. */
const REACHES_FORMS = 5_000;
const SEED = Number(process.env.FUZZ_SEED ?? 20_261_122);

const api = await startApi();
const receiver = await startReceiver();
const shop = await openLiveShop(api, ['mtn-momo', 'wave', 'pawapay']);
after(async () => {
  await shop.stop();
  await receiver.close();
  await api.stop();
});

test(`${CALLS} random requests: no 5xx but the documented ones, and every answer as the document says (seed ${SEED})`, async (t) => {
  const other = await api.newMerchant({ verification_level: 4 });
  const restricted = await api.newKey(shop.merchant.team, 'live', 'restricted', {
    scopes: ['payment.read', 'payment.write', 'refund.read'],
  });
  const sandbox = { key: shop.merchant.sandbox.secret, name: 'sandbox' };
  const live = { key: shop.merchant.live.secret, name: 'live' };
  const keys = [
    ...Array.from({ length: 8 }, () => [sandbox, live]).flat(),
    { ...sandbox, key: shop.merchant.sandbox.public },
    { ...live, key: shop.merchant.live.public },
    { ...live, key: restricted.key },
    { key: other.live.secret, name: 'other' },
    { ...live, key: null },
    { ...live, key: 'sk_live_wrong' },
  ];
  const outside = new Outside(api, shop.merchant.team.id, [
    { name: 'sandbox', environment: 'sandbox' },
    { name: 'live', environment: 'live' },
  ]);
  const callbacks = Object.values(shop.accounts).flatMap(({ id }) => [`/_callbacks/${id}`, `/_callbacks/${id}/x/y`]);
  const forms = new FormRoutes(await formRoutesOf(api.deps));
  const session = new Session(api, SEED, { keys, receiver, outside, callbacks, teams: await consoleTeams(), forms });
  session.learn('live', await sentInvoice());
  const { statuses, reached, defects } = await session.run(CALLS, (done) => report(t, `${done} of ${CALLS} requests`));
  const counts = [...statuses].sort(([a], [b]) => a - b).map(([status, count]) => `${status}: ${count}`);
  t.diagnostic(counts.join(', '));
  assert.deepEqual(defects, [], `FUZZ_SEED=${SEED} repeats the run`);
  const missed = operationsOf(buildDocument(allRoutes(api.deps), api.url))
    .map(({ path, method }) => `${method.toUpperCase()} ${path}`)
    .filter((name) => !reached.has(name));
  t.diagnostic(`operations that never succeeded: ${missed.join(', ') || 'none'}`);
  if (CALLS >= REACHES_ALL) assert.deepEqual(missed, [], 'every operation succeeds at least once in a long run');
  t.diagnostic(`posts past the check of the form: ${forms.lines.join(', ')}`);
  t.diagnostic(`forms that were never done: ${forms.neverAccepted.join(', ') || 'none'}`);
  if (CALLS >= REACHES_FORMS) assert.deepEqual(forms.neverPassed, [], 'the code behind every form runs');
  for (const status of [200, 201, 202, 303, 400, 401, 403, 404, 422]) {
    assert.ok(statuses.has(status), `no request was answered with ${status}: ${counts}`);
  }
  for (const environment of ['sandbox', 'live'] as const) {
    const differences: unknown[] = [];
    await verifyLedger(api.deps.stores[environment].db, (difference) => differences.push(difference));
    await checkBooks(api.deps.stores[environment].db, (difference) => differences.push(difference));
    assert.deepEqual(differences, []);
  }
});

/** The answer to an invoice that was sent: few of a run are, and only those have a page. */
async function sentInvoice(): Promise<unknown> {
  const body = {
    items: [{ name: 'A shirt', unit_price: 50_000 }],
    currency: 'XAF',
    customer: { email: 'awa@client.example', name: 'Awa Ngo' },
    allow_partial: true,
  };
  const made = await api.call('POST', '/invoices', { key: shop.key, body });
  const sent = await api.call('POST', `/invoices/${made.body.invoice.id}/send`, { key: shop.key });
  assert.equal(sent.status, 200);
  return sent.body;
}

/** The console of the shop, and of a team whose keys and people the run does not need. */
async function consoleTeams(): Promise<ConsoleTeams> {
  const { team } = shop.merchant;
  const own = (await api.newMerchant({ verification_level: 4 })).team;
  const signIn = async () => {
    const person = await signedIn(api, 'owner', team);
    await insertMembership(api.deps.stores.control, own.id, person.id, 'owner');
    const [[name, value] = ['', '']] = person.cookies;
    return { name, value };
  };
  return { shop: String(team.id), own: String(own.id), signIn };
}
