import { setVerification } from '../../accounts/service.ts';
import { presentAccount } from '../../accounts/present.ts';
import { readConfig } from '../../config.ts';
import type { Store } from '../../db/stores.ts';
import { presentDispute } from '../../disputes/present.ts';
import { changeDispute, openDispute, openOrLostDispute } from '../../disputes/service.ts';
import { systemClock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import { Problem } from '../../kit/errors.ts';
import { isMovable, type Minor, minorFromWire } from '../../kit/money.ts';
import { fundSandbox } from '../../transfers/fund.ts';
import { withDatabases, withPool } from '../databases.ts';
import { Failure } from '../failure.ts';
import { demoTeamId } from '../demo-team.ts';
import { details, print } from '../output.ts';

interface Output {
  json?: true;
  team?: bigint;
}

const deps = { clock: systemClock };

export async function fundCommand(options: Output & { currency: string; amount: string }): Promise<void> {
  const { currency, amount } = options;
  const amount_minor = readAmount(amount);
  if (!isMovable(amount_minor, currency)) throw new Failure(`${currency} has no decimals`, 'Give a whole amount.');
  await inStore('sandbox', options, (store, team_id) => fundSandbox(deps, store, team_id, currency, amount_minor));
  print(
    options.json,
    { currency, amount: Number(amount) },
    () => `${amount} ${currency} are available now (GET /balance may be three minutes behind)`,
  );
}

export async function triggerCommand(event: string, options: Output & { payment: string; amount?: string }): Promise<void> {
  const dispute = await inStore('sandbox', options, async (store, team_id) => {
    const { payment } = options;
    if (event === 'dispute.created') {
      const amount = options.amount === undefined ? {} : { amount_minor: readAmount(options.amount) };
      return presentDispute(
        'sandbox',
        await openDispute(deps, store, { team_id, payment_id: payment, reason: 'fraudulent', ...amount }),
      );
    }
    const id = await openOrLostDispute(store.db, team_id, payment);
    if (!id) throw new Failure(`${payment} has no open dispute`, 'Open one with "pirogue trigger dispute.created".');
    const trigger = event === 'dispute.won' ? 'provider_decided_won' : 'provider_decided_lost';
    return presentDispute('sandbox', await changeDispute(deps, store, { team_id, id }, trigger));
  });
  print(options.json, dispute, () =>
    details({
      dispute: dispute.id,
      payment: dispute.payment,
      amount: `${dispute.amount} ${dispute.currency}`,
      status: dispute.status,
    }),
  );
}

export async function verifyAccountCommand(
  id: string,
  options: Output & { status: 'pending' | 'verified' | 'rejected' },
): Promise<void> {
  const environment: Environment = id.startsWith('acct_test_') ? 'sandbox' : 'live';
  const account = await inStore(environment, options, (store, team_id) =>
    setVerification(deps, store, { team_id, id }, options.status),
  );
  print(options.json, presentAccount(environment, account), () =>
    details({ account: account.id, verification: account.verification }),
  );
}

/** Lends a store and the team it is about; what the service would answer with a status is one clear line here. */
async function inStore<T>(
  environment: Environment,
  options: Output,
  work: (store: Store, team_id: bigint) => Promise<T>,
): Promise<T> {
  const config = readConfig(process.env);
  const team_id = options.team ?? demoTeamId(config);
  try {
    return await withDatabases(config, (urls) => withPool(urls[environment], (db) => work({ environment, db }, team_id)));
  } catch (error) {
    if (error instanceof Problem) throw new Failure(error.message, 'Check the id and the team (--team).', { cause: error });
    throw error;
  }
}

function readAmount(text: string): Minor {
  const amount = /^\d+(\.\d{1,2})?$/.test(text) ? minorFromWire(Number(text)) : null;
  if (!amount) throw new Failure(`${text} is not an amount`, 'Give major units with at most two decimals, such as 50000.');
  return amount;
}
