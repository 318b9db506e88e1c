import { setVerification } from '../../../core/accounts/service.ts';
import { presentAccount } from '../../../core/accounts/present.ts';
import { readBalance } from '../../../core/balance/service.ts';
import { commandClock } from '../command-clock.ts';
import { isMovable } from '../../../kit/money.ts';
import { fundSandbox } from '../../../core/transfers/fund.ts';
import { UsageFailure } from '../failure.ts';
import { environmentOfId } from '../ids.ts';
import { operator } from '../operator.ts';
import { moneyText } from '../format.ts';
import { details, print } from '../output.ts';
import { inStore, readAmount } from '../in-store.ts';

interface Output {
  json?: true;
  team?: bigint;
}

const deps = { clock: commandClock };

/** Runs `pirogue sandbox fund`. */
export async function fundCommand(options: Output & { currency: string; amount: string }): Promise<void> {
  const { currency, amount } = options;
  const amount_minor = readAmount(amount);
  if (!isMovable(amount_minor, currency)) throw new UsageFailure(`${currency} has no decimals`, 'Give a whole amount.');
  const balance = await inStore('sandbox', options, async (store, team_id) => {
    await fundSandbox(deps, store, team_id, currency, amount_minor, operator());
    return readBalance(store.db, team_id, currency, null);
  });
  const { available, credit } = balance;
  print(options.json, { currency, amount: Number(amount), balance }, () =>
    details({
      added: moneyText(amount_minor, currency),
      available: `${moneyText(available, currency)} now (GET /balance may be up to three minutes old)`,
      ...(credit === 0 ? {} : { credit: `${moneyText(credit, currency)}, repaid first` }),
    }),
  );
}

/** Runs `pirogue accounts verify`. */
export async function verifyAccountCommand(
  id: string,
  options: Output & { status: 'pending' | 'verified' | 'rejected' },
): Promise<void> {
  const environment = environmentOfId('acct', id, 'an account', 'It begins with acct_.');
  const account = await inStore(environment, options, (store, team_id) =>
    setVerification(deps, store, { team_id, id }, options.status, operator()),
  );
  print(options.json, presentAccount(environment, account), () =>
    details({ account: account.id, verification: account.verification }),
  );
}
