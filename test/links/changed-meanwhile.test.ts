import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { openPool } from '../../src/platform/db/pool.ts';
import { FakeClock, startApi } from '../setup/api.ts';
import { untilLocked } from '../setup/locks.ts';
import { LinkBrowser, newLink } from './browser.ts';

/** Forms of a link that are submitted after the link or its team was changed. */
const clock = new FakeClock();
const api = await startApi({ clock });
after(() => api.stop());

const merchant = await api.newMerchant({ verification_level: 1 });
const key = merchant.live.secret;

const linkOf = async (id: string) => (await api.call('GET', `/links/${id}`, { key })).body.link;

for (const [what, column, minor] of [
  ['maximum', 'max_amount_minor', 100_000],
  ['minimum', 'min_amount_minor', 300_000],
] as const)
  test(`409 when the ${what} is changed while a form is submitted, and nothing is created`, async () => {
    const { id, url } = await newLink(api, key, { amount: null, min_amount: 500, max_amount: 5_000 });
    const browser = new LinkBrowser(url);
    await browser.open();
    const owner = openPool({ url: api.databases.live, size: 1, log: api.deps.log });
    const submitted = await owner.transaction(async (tx) => {
      await tx.run({ text: `update links set ${column} = ${minor} where id = $1`, values: [id] });
      const page = browser.submit({ amount: '2000', phone: '670100000' });
      await untilLocked(api.databases.live, 'from links');
      return { page };
    });
    await owner.close();
    assert.deepEqual([(await submitted.page).status, (await linkOf(id)).payments], [409, 0]);
  });

test('402 for a form that was open when the team lost its verification; nothing is created', async () => {
  const { team, live } = await api.newMerchant({ verification_level: 1 });
  const { id, url } = await newLink(api, live.secret);
  const browser = new LinkBrowser(url);
  await browser.open();
  await api.setTeam(team, { verification_level: 0 });
  const { status, text } = await browser.submit({ phone: '670100000' });
  assert.equal(status, 402);
  assert.match(text, /cannot take payments yet/);
  clock.advance(1_000);
  assert.equal((await api.call('GET', `/links/${id}/payments`, { key: live.secret })).body.meta.total, 0);
});
