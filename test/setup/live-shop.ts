import { Secrets } from '../../src/kit/crypto.ts';
import type { AccountRow } from '../../src/providers/provider-accounts/schema.ts';
import { addAccount } from '../../src/providers/provider-accounts/service.ts';
import { connectorOf } from '../../src/providers/adapters/catalogue.ts';
import { must } from '../../src/kit/errors.ts';
import { startSimulator, type Simulator } from '../../simulators/kit/simulator.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import type { Api, Merchant } from './api.ts';

/** A verified team in live with accounts at simulators, in the order given. */
export interface LiveShop {
  merchant: Merchant;
  /** The live secret key. */
  key: string;
  simulators: Record<string, Simulator>;
  accounts: Record<string, AccountRow>;
  stop(): Promise<void>;
}

/** @param names kinds of provider; the first added is tried first */
export async function openLiveShop(api: Api, names: readonly string[]): Promise<LiveShop> {
  const merchant = await api.newMerchant({ verification_level: 4 });
  const simulators: Record<string, Simulator> = {};
  const accounts: Record<string, AccountRow> = {};
  for (const [i, name] of names.entries()) {
    const kind = must(
      SIMULATORS.find((one) => one.name === name),
      `${name} has a simulator`,
    );
    const simulator = await startSimulator(kind, { delay_ms: 20, slow_ms: 100, lag_ms: 500 });
    const connector = must(connectorOf(name), `${name} has a connector`);
    const row = must(
      await addAccount(
        api.control,
        new Secrets(Buffer.alloc(32, 7)),
        { team_id: merchant.team.id, environment: 'live', connector, name, credentials: simulator.credentials, costs: null },
        new Date(Date.now() + i),
      ),
      'the name is free',
    );
    simulator.settings.set('callback_url', `${api.url}/_callbacks/${row.id}`);
    simulators[name] = simulator;
    accounts[name] = row;
  }
  return {
    ...{ merchant, key: merchant.live.secret, simulators, accounts },
    stop: async () => {
      await Promise.all(Object.values(simulators).map((simulator) => simulator.stop()));
    },
  };
}
