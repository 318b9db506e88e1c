import { Secrets } from '../../src/kit/crypto.ts';
import type { AccountRow } from '../../src/providers/provider-accounts/schema.ts';
import { addAccount } from '../../src/providers/provider-accounts/service.ts';
import { connectorOf } from '../../src/providers/adapters/catalogue.ts';
import { must } from '../../src/kit/errors.ts';
import { startTwin, type Twin } from '../../twins/kit/twin.ts';
import { TWINS } from '../../twins/catalogue.ts';
import type { Api, Merchant } from './api.ts';

/** A verified team in live with accounts at twins, in the order given. */
export interface LiveShop {
  merchant: Merchant;
  /** The live secret key. */
  key: string;
  twins: Record<string, Twin>;
  accounts: Record<string, AccountRow>;
  stop(): Promise<void>;
}

/** @param names kinds of provider; the first added is tried first */
export async function openLiveShop(api: Api, names: readonly string[]): Promise<LiveShop> {
  const merchant = await api.newMerchant({ verification_level: 4 });
  const twins: Record<string, Twin> = {};
  const accounts: Record<string, AccountRow> = {};
  for (const [i, name] of names.entries()) {
    const kind = must(
      TWINS.find((one) => one.name === name),
      `${name} has a twin`,
    );
    const twin = await startTwin(kind, { delay_ms: 20, slow_ms: 100, lag_ms: 500 });
    const connector = must(connectorOf(name), `${name} has a connector`);
    const row = must(
      await addAccount(
        api.control,
        new Secrets(Buffer.alloc(32, 7)),
        { team_id: merchant.team.id, environment: 'live', connector, name, credentials: twin.credentials, costs: null },
        new Date(Date.now() + i),
      ),
      'the name is free',
    );
    twin.settings.set('callback_url', `${api.url}/_callbacks/${row.id}`);
    twins[name] = twin;
    accounts[name] = row;
  }
  return {
    ...{ merchant, key: merchant.live.secret, twins, accounts },
    stop: async () => {
      await Promise.all(Object.values(twins).map((twin) => twin.stop()));
    },
  };
}
