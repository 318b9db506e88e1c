import { balanceRoutes } from '../../../core/balance/routes.ts';
import type { Balance } from '../../../core/balance/schema.ts';
import { csvLine } from '../../../kit/csv.ts';
import { amountText } from '../format.ts';
import { fieldsOf } from '../list-options.ts';
import { type TeamOptions, withOperations } from '../operations.ts';
import { paint, print, table } from '../output.ts';

const MEANINGS: Record<Exclude<keyof Balance, 'currency'>, string> = {
  available: 'can be paid out now',
  pending: 'credited, still in retention',
  reserved: 'for transfers: amount and fee until submitted, the fee until they end',
  hold: 'of incomplete payments, or to be returned to payers',
  disputed: 'blocked by open disputes',
  'in.transit': 'amounts of transfers that were submitted and have not ended',
  credit: 'advanced by the platform, repaid first',
  total: 'all of these',
};

/** `pirogue balance` */
export async function balanceCommand(options: TeamOptions & { currency?: string; csv?: true; json?: true }): Promise<void> {
  const { body } = await withOperations(options.environment ?? 'sandbox', options, ({ deps, run }) =>
    run(balanceRoutes(deps), 'GET /balance', { query: fieldsOf(options, ['currency']) }),
  );
  const balance = body.balance as Balance;
  if (options.csv) {
    process.stdout.write(csvLine(Object.keys(balance)) + csvLine(Object.values(balance)));
    return;
  }
  print(options.json, balance, () => {
    const names = Object.keys(MEANINGS) as (keyof typeof MEANINGS)[];
    const rows = names.map((name) => [name, amountText(balance[name], balance.currency), MEANINGS[name]]);
    const styled = rows.map((row) => (row[0] === 'total' ? row.map((cell) => paint('bold', cell)) : row));
    return table(['BALANCE', { title: balance.currency, align: 'right' }, ''], styled);
  });
}
