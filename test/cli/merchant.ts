import fs from 'node:fs';
import path from 'node:path';
import { Secrets } from '../../src/kit/crypto.ts';
import { sealedPlace } from '../../src/kit/sealing.ts';
import { insertRoot } from '../../src/program/start/secrets-store.ts';
import { type Api, type Merchant, startApi } from '../setup/api.ts';
import { type Ended, makeFolder, parsed, pirogue } from './command.ts';

/** A service, a merchant, and the command line on the machine of the service. */
export interface MerchantLine {
  api: Api;
  merchant: Merchant;
  env: Record<string, string>;
  /** Runs a command for a merchant; the one of this line unless another is given. */
  run(args: string[], env?: Record<string, string>, merchant?: Merchant): Promise<Ended>;
  /** Runs it with --json and returns the document. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  json(...args: string[]): Promise<any>;
  /** Returns the body of the API's answer. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  get(path: string, key?: string): Promise<any>;
  /** Creates a payment and returns its id. */
  create(body: object, key?: string): Promise<string>;
  close(): Promise<void>;
}

/** Starts a service, and a command line that shares its databases and secrets, as on one machine. */
export async function openMerchantLine(): Promise<MerchantLine> {
  const api = await startApi();
  const folder = makeFolder();
  const root = Buffer.alloc(32, 7);
  fs.writeFileSync(path.join(folder, 'secrets.key'), `${root.toString('base64')}\n`, { mode: 0o600 });
  const place = sealedPlace('installation_secrets.value_sealed', 0n, 'root');
  await insertRoot(api.control, new Secrets(root).seal(root.toString('base64'), place), new Date());
  const merchant = await api.newMerchant({ verification_level: 4 });
  const env = {
    DATA_DIR: folder,
    CONTROL_DATABASE_URL: api.databases.control,
    SANDBOX_DATABASE_URL: api.databases.sandbox,
    LIVE_DATABASE_URL: api.databases.live,
  };
  const run: MerchantLine['run'] = (args, more = {}, { team } = merchant) =>
    pirogue([...args, '--team', String(team.id)], { ...env, ...more });
  return {
    ...{ api, merchant, env, run },
    json: async (...args) => parsed(await run([...args, '--json'])),
    get: async (at, key = merchant.sandbox.secret) => (await api.call('GET', at, { key })).body,
    create: async (body, key = merchant.sandbox.secret) => {
      const answer = await api.call('POST', '/payments', { key, body });
      if (answer.status !== 201) throw new Error(JSON.stringify(answer.body));
      return answer.body.transaction.id;
    },
    close: async () => {
      await api.stop();
      fs.rmSync(folder, { recursive: true });
    },
  };
}

export const idsOf = ({ items }: { items: { id: string }[] }) => items.map(({ id }) => id);
