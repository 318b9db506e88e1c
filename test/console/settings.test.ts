import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findTeam } from '../../src/tenants/teams/store.ts';
import { type Api, startApi } from '../setup/api.ts';
import { formToken, signedIn } from './people.ts';

let api: Api;
let page: string;

before(async () => {
  api = await startApi();
  page = `/console/${api.team.id}/live/settings`;
});
after(() => api.stop());

const GOOD = {
  name: ' Maison Awa ',
  email: 'compta@shop.example',
  default_currency: 'XOF',
  public_keys: 'pay-only',
  unique_references: 'yes',
  hosted_retry: 'yes',
  address: ' Rue Joffre 12 \r\n\r\n Douala ',
  tax_id: ' M0123456789 ',
};

test('an owner changes the settings, and nothing beside them; the audit trail names the person', async () => {
  const owner = await signedIn(api, 'owner');
  const before = await findTeam(api.control, api.team.id);
  // Fields of the team that belong to the operator are not fields of the form.
  const more = { plan: 'unlimited', verification_level: '4', api_version: '1999-01-01', id: '1' };
  const { status, to } = await owner.submit(page, page, { ...GOOD, ...more });
  assert.deepEqual([status, to], [303, `${page}?done=save`]);
  assert.deepEqual(await findTeam(api.control, api.team.id), {
    ...before,
    ...{
      name: 'Maison Awa',
      email: 'compta@shop.example',
      default_currency: 'XOF',
      unique_references: true,
      hosted_retry: true,
      public_keys: 'pay-only',
      address: 'Rue Joffre 12\nDouala',
      tax_id: 'M0123456789',
    },
  });
  const entries = await api.control.all({
    text: `select team_id::text, actor, split_part(actor_id, ':', 1) as actor_id, resource_id from audit_entries where action = 'team.update'`,
    values: [],
  });
  const id = String(api.team.id);
  assert.deepEqual(entries, [{ team_id: id, actor: 'user', actor_id: owner.id, resource_id: id }]);
  assert.match((await owner.get(`${page}?done=save`)).text, /class="alert good"/);
  const { status: refused } = await api.call('GET', '/payments', { key: api.keys.live.public });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  assert.ok(refused === 200 || refused === 406);
  assert.equal((await api.call('GET', '/payments', { key: api.keys.live.public })).status, 406);
});

test('what is not valid changes nothing and is shown beside its field', async () => {
  const admin = await signedIn(api, 'admin');
  const before = await findTeam(api.control, api.team.id);
  const wrong: [string, string][] = [
    ['name', ''],
    ['name', 'x'.repeat(201)],
    ['name', 'Chez\u0007Awa'],
    ['email', 'awa at shop'],
    ['default_currency', 'BTC'],
    ['public_keys', 'everything'],
    ['address', 'x'.repeat(501)],
    ['address', 'a\nb\nc\nd\ne\nf\ng\nh\ni'],
    ['address', 'Rue\u0007'],
    ['tax_id', 'x'.repeat(65)],
  ];
  for (const [name, value] of wrong) {
    const { status, text } = await admin.submit(page, page, { ...GOOD, [name]: value });
    assert.equal(status, 422, `${name}: ${value}`);
    assert.ok(text.includes(`id="f-${name}-error"`), name);
  }
  assert.deepEqual(await findTeam(api.control, api.team.id), before);
});

test('everyone in the team reads the settings; only those who may change them have the form', async () => {
  const reader = await signedIn(api, 'read_only');
  const { status, text } = await reader.get(page);
  assert.equal(status, 200);
  assert.ok(text.includes('compta@shop.example') && text.includes('M0123456789') && !text.includes('name="public_keys"'));
  assert.equal((await reader.post(page, { ...formToken(text), ...GOOD })).status, 403);
});
