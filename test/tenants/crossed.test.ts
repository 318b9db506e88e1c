import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { exampleId } from '../../src/edge/openapi/examples/ids.ts';
import type { Example, Operation, Schema } from '../../src/edge/openapi/types.ts';
import type { Environment } from '../../src/kit/environment.ts';
import { newId } from '../../src/kit/ids.ts';
import type { Route } from '../../src/tenants/api/route.ts';
import { allRoutes } from '../../src/program/program.ts';
import { contractOf } from '../openapi/contract.ts';
import { type Answer, type Api, startApi } from '../setup/api.ts';
import { type Estate, type Ids, makeEstate, ownedBy } from './estate.ts';

/**
 * Every operation is called with ids of another team, and with ids of the same team's other environment, wherever a request
 * can hold an id. What comes back is, to the letter, what an id that never existed gets: 404, or an empty list for a filter.
 */
let api: Api;
let mine: Estate;
let theirs: Estate;
before(async () => {
  api = await startApi();
  [mine, theirs] = [await makeEstate(api), await makeEstate(api)];
});
after(() => api.stop());

/** Whose id stands behind the first word of a path; null: reference data, the same for everyone. */
const OF_PATH: Record<string, string | null> = {
  payments: 'trx',
  refunds: 'rfd',
  disputes: 'dsp',
  transfers: 'po',
  beneficiaries: 'ben',
  customers: 'cus',
  accounts: 'acct',
  subaccounts: 'acct',
  webhooks: 'wh',
  events: 'evt',
  invoices: 'inv',
  links: 'lnk',
  channels: null,
};

/** Whose id a field of a query or body takes, when it takes a text. */
const OF_FIELD: Record<string, string> = {
  payment: 'trx',
  customer: 'cus',
  customer_id: 'cus',
  beneficiary: 'ben',
  recipient: 'ben',
};

/** Fields that sound like ids and are not. */
const NO_ID = new Set([
  'settlement.account_number',
  'data.account_number',
  'account_number',
  'beneficiary.account_number',
  // Types of events.
  'events',
]);

const SOUNDS_LIKE_ID =
  /(^|[._])(id|ids|payment|transaction|refund|transfer|beneficiary|recipient|customer|account|subaccount|webhook|endpoint|event|invoice|link|dispute|method|attempt|delivery|team)s?(_|$)/;

/** Filters: they find nothing instead of saying that there is nothing. */
const isFilter = (place: Place) => place.in === 'query';

interface Place {
  in: 'path' | 'query' | 'body' | 'header';
  name: string;
  prefix: string;
}

function placesOf(route: Route): Place[] {
  const [, first = ''] = route.path.split('/');
  const names = [...route.path.matchAll(/:(\w+)/g)].map(([, name]) => name as string);
  const prefix = OF_PATH[first];
  if (names.length > 0) assert.ok(prefix !== undefined, `${route.path}: say in OF_PATH which ids these are`);
  const path = names.flatMap((name): Place[] => {
    assert.ok(name === 'id' || name === 'method', `${route.path}: whose id is ${name}?`);
    return prefix ? [{ in: 'path', name, prefix: name === 'method' ? 'pm' : prefix }] : [];
  });
  const header: Place[] = route.sync ? [{ in: 'header', name: 'x-sync', prefix: 'acct' }] : [];
  return [...path, ...fieldsOf(route, 'query'), ...fieldsOf(route, 'body'), ...header];
}

function fieldsOf(route: Route, where: 'query' | 'body'): Place[] {
  return textsOf(route[where] as Schema | undefined).flatMap((name): Place[] => {
    const prefix = OF_FIELD[name];
    if (prefix !== undefined) return [{ in: where, name, prefix }];
    const said = NO_ID.has(name) || !SOUNDS_LIKE_ID.test(name);
    assert.ok(said, `${route.method} ${route.path}: ${where} field ${name}: put it into OF_FIELD or NO_ID`);
    return [];
  });
}

/** The dotted names of all fields that can be a text, or a list of texts. */
function textsOf(schema: Schema | undefined, within = ''): string[] {
  if (!schema) return [];
  const choices = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])];
  const own =
    within !== '' && (schema.type === 'string' || schema.type === undefined) && choices.length === 0 && !schema.properties;
  return [
    ...new Set([
      ...(own ? [within] : []),
      ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
        textsOf(field, within === '' ? name : `${within}.${name}`),
      ),
      ...choices.flatMap((choice) => textsOf(choice, within)),
      ...textsOf(schema.items, within),
    ]),
  ];
}

function operationOf(route: Route): Operation {
  const found = contractOf().document.paths[route.path.replace(/:(\w+)/g, '{$1}')];
  return found?.[route.method.toLowerCase() as keyof typeof found] as Operation;
}

/** A body that the route takes, with these ids in it. */
function bodyOf(route: Route, own: Ids, places: readonly Place[], ids: Ids): Record<string, unknown> | undefined {
  if (!route.body) return undefined;
  const examples = Object.values(operationOf(route).requestBody?.content['application/json'].examples ?? {}) as Example[];
  const wanted = places.filter((place) => place.in === 'body').map(({ name }) => name);
  const values = examples.map(({ value }) => value as Record<string, unknown>);
  const example = values.find((value) => wanted.every((name) => typeof value[name] === 'string')) ?? values[0] ?? {};
  let text = JSON.stringify(example);
  for (const [prefix, id] of Object.entries(own)) text = text.replaceAll(exampleId(prefix), id);
  const body = JSON.parse(text);
  for (const { name, prefix } of places.filter((place) => place.in === 'body')) body[name] = ids[prefix];
  if (wanted.includes('beneficiary')) delete body.recipient;
  if (wanted.includes('recipient')) delete body.beneficiary;
  if (wanted.includes('customer_id')) delete body.customer;
  return body;
}

/** Calls the route with `own` ids, but with `ids` at the places. */
async function send(route: Route, key: string, own: Ids, places: readonly Place[], ids: Ids): Promise<Answer> {
  const at = (where: Place['in'], name: string) => places.find((place) => place.in === where && place.name === name);
  const path = route.path.replace(/:(\w+)/g, (_, name) => {
    const place = placesOf(route).find((found) => found.in === 'path' && found.name === name);
    const prefix = place?.prefix ?? '';
    return encodeURIComponent((at('path', name) ? ids[prefix] : own[prefix]) ?? 'none');
  });
  const asked = places.filter((place) => place.in === 'query');
  const query = new URLSearchParams(asked.map(({ name, prefix }) => [name, ids[prefix] as string])).toString();
  const sync = places.find((place) => place.in === 'header');
  const body = bodyOf(route, own, places, ids);
  return api.call(route.method, query ? `${path}?${query}` : path, {
    key,
    headers: sync ? { 'x-sync': ids[sync.prefix] as string } : {},
    ...(body ? { body } : {}),
  });
}

/** What there never was. */
function nothing(environment: Environment): Ids {
  const prefixes = Object.keys(mine.ids[environment]) as Parameters<typeof newId>[0][];
  return Object.fromEntries(prefixes.map((prefix) => [prefix, newId(prefix, environment, Date.now())]));
}

/** @param of the environment that the ids name: an id that names the other one is answered with a hint, whether it exists or not */
async function refused(route: Route, environment: Environment, place: Place, ids: Ids, of: Environment, whose: string) {
  const key = mine.merchant[environment].secret;
  const own = mine.ids[environment];
  const name = `${environment} ${route.method} ${route.path}, ${place.in} ${place.name} of ${whose}`;
  const answer = await send(route, key, own, [place], ids);
  if (isFilter(place)) {
    assert.deepEqual([answer.status, answer.body.items, answer.body.meta?.total ?? 0], [200, [], 0], name);
    return;
  }
  assert.equal(answer.status, 404, `${name}: ${JSON.stringify(answer.body)}`);
  const never = await send(route, key, own, [place], nothing(of));
  assert.deepEqual(answer.body, never.body, name);
}

test('no operation finds a resource by an id of another team or of the other environment', async (t) => {
  const before = await Promise.all((['sandbox', 'live'] as const).map((one) => ownedBy(api, one, theirs.merchant.team.id)));
  let crossed = 0;
  for (const route of allRoutes(api.deps)) {
    const places = placesOf(route);
    if (places.length === 0) continue;
    await t.test(`404 ${route.method} ${route.path}`, async () => {
      for (const environment of ['sandbox', 'live'] as const) {
        if (environment === 'sandbox' && route.liveOnly) continue;
        const other = environment === 'sandbox' ? 'live' : 'sandbox';
        for (const place of places) {
          await refused(route, environment, place, theirs.ids[environment], environment, 'another team');
          if (mine.ids[other][place.prefix]) {
            await refused(route, environment, place, mine.ids[other], other, 'the other environment');
          }
          crossed++;
        }
      }
    });
  }
  assert.ok(crossed > 100, `only ${crossed} places were looked at`);
  await t.test('the resources of the other team are unchanged', async () => {
    const now = await Promise.all((['sandbox', 'live'] as const).map((one) => ownedBy(api, one, theirs.merchant.team.id)));
    assert.deepEqual(now, before);
  });
});

test('the owner finds every resource: the crossed ids do exist', async () => {
  for (const route of allRoutes(api.deps).filter(({ method }) => method === 'GET')) {
    const places = placesOf(route).filter((place) => place.in !== 'header');
    for (const environment of ['sandbox', 'live'] as const) {
      if (places.length === 0 || (environment === 'sandbox' && route.liveOnly)) continue;
      const { status, body } = await send(route, theirs.merchant[environment].secret, theirs.ids[environment], [], {});
      assert.equal(status, 200, `${environment} ${route.path}: ${JSON.stringify(body)}`);
    }
  }
});

test('no list of one team contains an id of the other', async () => {
  for (const route of allRoutes(api.deps).filter(({ method, path }) => method === 'GET' && !path.includes(':'))) {
    for (const environment of ['sandbox', 'live'] as const) {
      const { body } = await send(route, mine.merchant[environment].secret, mine.ids[environment], [], {});
      const text = JSON.stringify(body);
      for (const id of Object.values(theirs.ids[environment]))
        assert.ok(!text.includes(id), `${environment} ${route.path} shows ${id}`);
    }
  }
});
