import { complianceRecords, recordCompliance } from '../../../core/customers/compliance.ts';
import type { ComplianceRow, ComplianceStatus } from '../../../core/customers/schema.ts';
import { commandClock } from '../command-clock.ts';
import type { Environment } from '../../../kit/environment.ts';
import { environmentOfId } from '../ids.ts';
import { inStore } from '../in-store.ts';
import { operator } from '../operator.ts';
import { details, firstOf, print, shortMoment, table } from '../output.ts';

interface Output {
  json?: true;
  team?: bigint;
}

/** Records the KYC decision about a customer. */
export async function recordCommand(
  status: ComplianceStatus,
  id: string,
  options: Output & { author?: string; note?: string },
): Promise<void> {
  const environment = environmentOfId('cus', id, 'a customer', 'Use cus_…, as GET /customers shows it.');
  const { author = operator().id, note = null } = options;
  const row = await inStore(environment, options, (store, team_id) =>
    recordCompliance({ clock: commandClock }, store, { team_id, id }, { status, author, note }, operator()),
  );
  print(options.json, presented(row), () =>
    details({ customer: row.customer_id, status: row.status, by: row.author, ...(row.note === null ? {} : { note: row.note }) }),
  );
}

/** Runs `pirogue compliance list`. */
export async function listCommand(options: Output & { environment: Environment; limit: number }): Promise<void> {
  const { environment, limit } = options;
  const rows = await inStore(environment, options, ({ db }, team_id) => complianceRecords(db, team_id, limit + 1));
  const shown = firstOf(rows, limit);
  print(options.json, shown.map(presented), () =>
    table(
      ['CUSTOMER', 'STATUS', 'BY', 'CHANGED'],
      shown.map((row) => [row.customer_id, row.status, row.author, shortMoment(row.updated_at)]),
    ),
  );
}

function presented({ team_id, ...row }: ComplianceRow) {
  return { ...row, team_id: String(team_id) };
}
