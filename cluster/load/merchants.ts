import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import type { State } from '../state.ts';

/** A merchant of the load: keys to sign in with, and the secret of its webhooks. */
export interface Merchant {
  team_id: string;
  keys: string[];
  secret: string;
}

/** A payment is created, charged and sometimes repeated; a team may send 300 such requests a minute on the largest plan. The rest is for repetitions. */
const REQUESTS_PER_PAYMENT = 2.4;
const TEAM_PER_MINUTE = 120;
/** A key may send 100 requests a minute. */
const KEYS = 4;
/** The first reports by callback; the second, without a callback address, is polled. */
const PROVIDERS = ['mtn-momo', 'pawapay'];

export function merchantsFor(rate: number): number {
  return Math.ceil((rate * 60 * REQUESTS_PER_PAYMENT) / TEAM_PER_MINUTE);
}

/**
 * Makes verified teams with keys and provider accounts, as the command line does, but in one process. The sources are those of
 * the running program, which may be an earlier release.
 */
export async function makeMerchants(state: State, count: number): Promise<Omit<Merchant, 'secret'>[]> {
  const load = (file: string) => import(pathToFileURL(path.join(state.source, 'src', file)).href);
  const [teams, keys, accounts, adapters, crypto]: [
    typeof import('../../src/tenants/teams/service.ts'),
    typeof import('../../src/tenants/keys/service.ts'),
    typeof import('../../src/providers/provider-accounts/service.ts'),
    typeof import('../../src/providers/adapters/catalogue.ts'),
    typeof import('../../src/kit/crypto.ts'),
  ] = await Promise.all([
    load('tenants/teams/service.ts'),
    load('tenants/keys/service.ts'),
    load('providers/provider-accounts/service.ts'),
    load('providers/adapters/catalogue.ts'),
    load('kit/crypto.ts'),
  ]);
  const { openPool }: typeof import('../../src/platform/db/pool.ts') = await load('platform/db/pool.ts');
  const { createLog }: typeof import('../../src/kit/log.ts') = await load('kit/log.ts');
  const control = openPool({ url: state.owner_urls.control, size: 1, log: createLog({ level: 'warn', format: 'json' }) });
  const secrets = new crypto.Secrets(Buffer.from(state.choices.secrets_key, 'base64'));
  try {
    const made: Omit<Merchant, 'secret'>[] = [];
    for (let number = 1; number <= count; number++) {
      const team = await teams.createTeam(control, {
        name: `Shop ${number}`,
        email: `owner${number}@shop.example`,
        plan: 'unlimited',
      });
      for (const name of PROVIDERS) {
        const connector = adapters.connectorOf(name);
        const { credentials } = state.simulators.find((one) => one.name === name) ?? {};
        if (!connector || !credentials) throw new Error(`${name} has no simulator`);
        const account = { team_id: team.id, environment: 'live', connector, name, credentials, costs: null } as const;
        await accounts.addAccount(control, secrets, account, new Date());
      }
      const own = Array.from({ length: KEYS }, () => keys.newKey('secret', 'live'));
      const options = {
        team_id: team.id,
        environment: 'live',
        kind: 'secret',
        scopes: [],
        allowed_ips: [],
        expires_at: null,
      } as const;
      for (const key of own) await keys.storeKey(control, key, { ...options, scopes: [], allowed_ips: [] }, new Date());
      made.push({ team_id: String(team.id), keys: own });
    }
    await verifyTeams(
      state.owner_urls.control,
      made.map(({ team_id }) => team_id),
    );
    return made;
  } finally {
    await control.close();
  }
}

async function verifyTeams(url: string, ids: readonly string[]): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('update teams set verification_level = 4 where id = any($1::bigint[])', [ids]);
  await client.end();
}
