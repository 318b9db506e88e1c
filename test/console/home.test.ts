import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { findTeam } from '../../src/tenants/teams/store.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import { count } from '../figures/recount.ts';
import { openOwner } from '../archive/fixture.ts';
import { Market, type Shop } from '../setup/market.ts';
import { SimulatedProvider } from '../setup/simulated-provider.ts';
import { fillFigures } from './figures.ts';
import { signedIn } from './people.ts';

const DAY_MS = 86_400_000;

let market: Market;

before(async () => {
  market = await Market.open();
  // No test is in two days.
  const left_ms = DAY_MS - (market.clock.now() % DAY_MS);
  if (left_ms < DAY_MS / 8) market.clock.advance(left_ms);
});
after(() => market.api.stop());

async function teamOf({ team_id }: Shop): Promise<Team> {
  return (await findTeam(market.api.deps.stores.control, team_id)) as Team;
}

/** The text of a page as people read it. */
function read(text: string): string {
  return text
    .replace(/<title>.*?<\/title>/g, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[\s ]+/g, ' ');
}

test('the home page shows what was collected, the success rate and the time to confirm, and the balance', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated', { collect: ['at_once', 'refused', 'at_once'] }));
  const reader = await signedIn(market.api, 'read_only', await teamOf(own));
  const page = `/console/${own.team_id}/live`;
  const empty = await reader.get(page);
  assert.equal(empty.status, 200);
  assert.match(read(empty.text), /Collected today FCFA 0 0 payments/);
  assert.match(read(empty.text), /Nothing in this period yet/);
  for (let i = 0; i < 3; i++) {
    await own.charge(await own.order({ amount: 5_000 }));
    await own.pass(2_000);
  }
  await count(market);
  // The balance is read again every three minutes.
  market.clock.advance(200_000);
  const shown = read((await reader.get(page)).text);
  assert.match(shown, /Collected today FCFA 10,000 2 payments/);
  assert.match(shown, /Collected · 30 days FCFA 10,000 2 payments/);
  assert.match(shown, /Success rate · 30 days 66\.7%/);
  assert.match(shown, /MTN Mobile Money \(CM\) 3 66\.7%/);
  assert.match(shown, /Balance · XAF Total FCFA [1-9]/);
  assert.doesNotMatch(shown, /Needs attention/);
});

test('period and currency are in the address, and what is not offered is the usual', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const reader = await signedIn(market.api, 'read_only', await teamOf(own));
  await own.paid({ amount: 5_000 });
  await own.paid({ amount: 900, currency: 'NGN' });
  await count(market);
  const page = `/console/${own.team_id}/live`;
  const week = (await reader.get(`${page}?days=7&currency=NGN`)).text;
  assert.match(read(week), /Collected · 7 days NGN 900\.00 1 payment/);
  assert.equal(week.match(/<rect class="bar" x/g)?.length, 7);
  assert.match(week, /<a href="[^"]*\?days=7&amp;currency=NGN" aria-current="true">7 days<\/a>/);
  const wrong = (await reader.get(`${page}?days=5000&currency=<b>`)).text;
  assert.match(read(wrong), /Collected · 30 days FCFA 5,000 1 payment/);
  assert.ok(!wrong.includes('<b>'));
});

test('nothing of another team or of the other environment is counted', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const other = await market.shop('live', new SimulatedProvider('simulated'));
  await other.paid({ amount: 7_777 });
  await count(market);
  const owner = await signedIn(market.api, 'owner', await teamOf(own));
  assert.doesNotMatch((await owner.get(`/console/${own.team_id}/live`)).text, /7,777/);
  const theirs = await signedIn(market.api, 'owner', await teamOf(other));
  assert.match((await theirs.get(`/console/${other.team_id}/live`)).text, /7,777/);
  assert.doesNotMatch((await theirs.get(`/console/${other.team_id}/sandbox`)).text, /7,777/);
});

test('what needs attention comes first: payments that take long, endpoints that fail, keys that expire, as far as the role may see', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated', { collect: ['lost'] }));
  const team = await teamOf(own);
  const developer = await signedIn(market.api, 'developer', team);
  const support = await signedIn(market.api, 'support', team);
  await own.call('POST', '/webhooks', { url: 'https://shop.example/failing', events: ['*'] });
  await own.store.db.run(sql`update webhook_endpoints set failing_since = pirogue_now() where team_id = ${team.id}`);
  await own.call('POST', '/webhooks', { url: 'https://shop.example/full', events: ['*'] });
  await own.store.db.run(sql`
    update webhook_endpoints set backlog_full_since = pirogue_now() where team_id = ${team.id} and url like '%/full'`);
  const soon = new Date(market.clock.now() + 3 * 86_400_000);
  const { key } = await market.api.newKey(team, 'live', 'secret', { expires_at: soon });
  await market.api.newKey(team, 'live', 'secret', { expires_at: new Date(market.clock.now() + 60 * 86_400_000) });
  const id = await own.order({ amount: 5_000 });
  await own.charge(id);
  const page = `/console/${team.id}/live`;
  assert.doesNotMatch(read((await developer.get(page)).text), /processing for more/);
  market.clock.advance(16 * 60_000);
  assert.equal((await own.shown(id)).status, 'processing');
  const fresh = await own.order({ amount: 5_000 });
  await own.charge(fresh);
  const { text } = await developer.get(page);
  assert.match(read(text), /Home .* Needs attention Payments processing for more than 15 minutes: 1 /);
  const [, path = ''] = new RegExp(`<a href="(${page}/payments\\?status=processing&amp;cursor=[^"]+)">`).exec(text) ?? [];
  const counted = await developer.get(path.replaceAll('&amp;', '&'));
  assert.deepEqual([counted.text.includes(id), counted.text.includes(fresh)], [true, false], 'the list is of what is counted');
  assert.match(text, /A webhook endpoint keeps failing: https:\/\/shop\.example\/failing/);
  assert.match(text, /its backlog is full: https:\/\/shop\.example\/full/);
  for (const [, path] of text.matchAll(/<li><a href="([^"]+)">(?:Payments processing|A webhook|Too many|The API key)/g)) {
    assert.equal((await developer.get(String(path).replaceAll('&amp;', '&'))).status, 200, String(path));
  }
  assert.equal(text.match(/The API key that ends in/g)?.length, 1);
  assert.ok(text.includes(`ends in ${key.slice(-4)} expires on`));
  assert.doesNotMatch((await support.get(page)).text, /The API key that ends in/);
});

test('payouts and refunds that a provider has not ended within a day need attention, and the link leads to what is counted', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const { team_id, store } = own;
  const reader = await signedIn(market.api, 'read_only', await teamOf(own));
  const page = `/console/${team_id}/live`;
  const now = market.clock.now();
  for (const [status, hours] of [
    ['processing', 25],
    ['processing', 23],
    ['failed', 26],
  ] as const) {
    const at = now - hours * 3_600_000;
    const created = new Date(at);
    await store.db.run(sql`
      insert into transfers (team_id, id, amount_minor, fee_minor, currency, status, recipient, channel, provider_key, stage, key_id,
        request_id, created_at, updated_at)
      values (${team_id}, ${newId('po', 'live', at)}, 100, 0, 'XAF', ${status}, '{"phone":"+237650000000"}', 'cm.mtn', '', 'dispatched', 'k',
        'r', ${created}, ${created})`);
    await store.db.run(sql`
      insert into refunds (team_id, id, payment_id, kind, legs, amount_minor, currency, status, reason, created_at, updated_at)
      values (${team_id}, ${newId('rfd', 'live', at)}, 'trx_none', 'merchant', '[]', 100, 'XAF', ${status}, 'other', ${created}, ${created})`);
  }
  const { text } = await reader.get(page);
  assert.match(
    read(text),
    /Needs attention Payouts processing for more than a day: 1 Refunds requested more than a day ago and still processing: 1 /,
  );
  const [, path = ''] = new RegExp(`<a href="(${page}/payouts\\?status=processing&amp;cursor=[^"]+)">`).exec(text) ?? [];
  const list = await reader.get(path.replaceAll('&amp;', '&'));
  const counted = newId('po', 'live', now - 25 * 3_600_000).slice(0, 'po_'.length + 8);
  assert.equal(list.status, 200);
  assert.equal(new Set(list.text.match(/\/payouts\/po_[0-9a-z]+/g)).size, 1);
  assert.ok(list.text.includes(counted), 'the list is of what is counted');
});

test('ninety full days are one small page in either language', async () => {
  const own = await market.shop('live', new SimulatedProvider('simulated'));
  const owner = openOwner(market.api.databases.live);
  await fillFigures(owner, own.team_id, market.clock.now());
  await owner.close();
  const reader = await signedIn(market.api, 'read_only', await teamOf(own));
  const page = `/console/${own.team_id}/live?days=90`;
  const english = await reader.get(page);
  assert.ok(gzipSync(english.text).length < 40_000);
  assert.equal(english.text.match(/<rect class="bar" x/g)?.length, 90);
  reader.setCookie('pirogue_console_lang', 'fr');
  const french = (await reader.get(page)).text;
  assert.match(read(french), /Encaissé aujourd’hui .* Taux de réussite par jour/);
});
