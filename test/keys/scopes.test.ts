import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { after, test } from 'node:test';
import { SCOPES, type Scope } from '../../src/tenants/keys/scopes.ts';
import { allRoutes } from '../../src/program/program.ts';
import { startApi } from '../setup/api.ts';
import { isUpdatingGolden } from '../setup/golden.ts';

const api = await startApi({ workers: false });
after(() => api.stop());

const routes = allRoutes(api.deps);

async function keysFor(scopesOf: (scope: Scope) => Scope[]): Promise<Map<Scope, string>> {
  const made = SCOPES.map(async (scope) => {
    const { key } = await api.newKey(api.team, 'sandbox', 'restricted', { scopes: scopesOf(scope) });
    return [scope, key] as const;
  });
  return new Map(await Promise.all(made));
}

const having = await keysFor((scope) => [scope]);
const lacking = await keysFor((scope) => SCOPES.filter((other) => other !== scope));

for (const { method, path: pattern, scope, access, liveOnly } of routes) {
  const url = pattern.replace(/:\w+/g, 'x');
  const call = (key: string | undefined) =>
    api.call(method, url, { key: key as string, ...(['POST', 'PUT', 'PATCH'].includes(method) ? { body: {} } : {}) });

  test(`403 scope_missing ${method} ${pattern} with every scope but ${scope}`, async () => {
    const { status, body } = await call(lacking.get(scope));
    assert.deepEqual([status, body.status, body.error_code], [403, 'Forbidden', 'scope_missing']);
  });

  test(`${method} ${pattern} is allowed with exactly ${scope}`, async () => {
    const { status, body } = await call(having.get(scope));
    if (liveOnly) assert.deepEqual([status, body.error_code], [403, 'live_only_feature']);
    else assert.ok(![401, 403, 405, 406, 500].includes(status), `${status} ${JSON.stringify(body)}`);
  });

  test(`${access === 'private' ? '406' : 'not 406'} ${method} ${pattern} with a public key`, async () => {
    const { status, body } = await call(api.keys.sandbox.public);
    if (access === 'private') assert.deepEqual([status, body.message], [406, 'Private Key Required']);
    else assert.notEqual(status, 406);
  });
}

test('public keys are accepted on payments, accounts and reference data only', () => {
  const first = routes.filter(({ access }) => access === 'public').map(({ path: pattern }) => pattern.split('/')[1]);
  const allowed = ['accounts', 'banks', 'channels', 'countries', 'currencies', 'payments', 'subaccounts'];
  assert.deepEqual([...new Set(first)].sort(), allowed);
});

test('read-only routes require a read scope', () => {
  const wrong = routes.filter(({ method, scope }) => method === 'GET' && !scope.endsWith('.read'));
  assert.deepEqual(wrong, []);
});

test('a key keeps the scopes it was created with: fifteen resources, read and write each', () => {
  assert.equal(SCOPES.length, 30);
  assert.equal(new Set(SCOPES).size, 30);
});

/** The last cells of a route: in which environment it exists, if only in one. */
function only({ liveOnly, sandboxOnly }: (typeof routes)[number]): string {
  if (liveOnly) return ' live only |';
  return sandboxOnly ? ' sandbox only |' : ' |';
}

const BEGIN = '<!-- routes -->\n';
const END = '<!-- /routes -->';

test('docs/keys.md lists every route with its scope', () => {
  const file = path.join(import.meta.dirname, '..', '..', 'docs', 'keys.md');
  const text = fs.readFileSync(file, 'utf8');
  const [before, rest] = text.split(BEGIN) as [string, string];
  const [shown, behind] = rest.split(END) as [string, string];
  const rows = routes.map((route) => {
    const keys = route.access === 'public' ? 'any' : 'secret, restricted';
    return `| ${route.method} | ${route.path.replace(/:(\w+)/g, '{$1}')} | ${keys} | \`${route.scope}\` |${only(route)}`;
  });
  const table = ['| method | path | keys | scope of a restricted key | |', '|---|---|---|---|---|', ...rows, ''].join('\n');
  if (isUpdatingGolden()) fs.writeFileSync(file, `${before}${BEGIN}${table}${END}${behind}`);
  else assert.equal(shown, table, 'docs/keys.md is not what the routes say (UPDATE_GOLDEN=1 writes it anew)');
});
