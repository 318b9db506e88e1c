import type { DisputeRow } from '../../../core/disputes/schema.ts';
import { changeDispute, openDispute } from '../../../core/disputes/service.ts';
import type { DisputeTrigger } from '../../../core/disputes/states.ts';
import { endUncoveredRefunds } from '../../../core/refunds/waiting.ts';
import { refundsUnderWay } from '../../../core/refunds/store.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { commandClock } from '../command-clock.ts';
import { moneyText } from '../format.ts';
import { environmentOfId } from '../ids.ts';
import { inStore, readAmount } from '../in-store.ts';
import { operator } from '../operator.ts';
import { details, print } from '../output.ts';

const deps = { clock: commandClock, refundsUnderWay, endUncoveredRefunds };

interface Options {
  evidence: string;
  author?: string;
  team?: bigint;
  json?: true;
}

/** Opens a dispute of a payment after the provider's notice. */
export async function openCommand(payment_id: string, options: Options & { reason: string; amount?: string }): Promise<void> {
  const { amount, reason } = options;
  const sum = amount === undefined ? {} : { amount_minor: readAmount(amount) };
  const note = noteOf('opened', options);
  const environment = environmentOfId('trx', payment_id, 'a payment', 'It begins with trx_.');
  const row = await inStore(environment, options, (store, team_id) =>
    openDispute(deps, store, { team_id, payment_id, reason, note, ...sum }, operator()),
  );
  show(row, options);
}

const TRIGGERS = {
  won: 'provider_decided_won',
  lost: 'provider_decided_lost',
  withdrawn: 'withdrawn',
} satisfies Record<string, DisputeTrigger>;

/** Records the provider's decision about a dispute, or that the payer withdrew it. */
export async function decideCommand(id: string, options: Options & { as: keyof typeof TRIGGERS }): Promise<void> {
  const note = noteOf(options.as, options);
  const row = await inStore(environmentOfId('dsp', id, 'a dispute', 'It begins with dsp_.'), options, (store, team_id) =>
    changeDispute(deps, store, { team_id, id }, TRIGGERS[options.as], { note }, operator()),
  );
  show(row, options);
}

function noteOf(what: string, { evidence, author = operator().id }: Options): string {
  return `${what} by ${author}: ${evidence}`;
}

function show({ id, payment_id, amount_minor, currency, status, reason, note, due_at }: DisputeRow, { json }: Options): void {
  const due = due_at?.toISOString() ?? null;
  const shown = { id, payment: payment_id, amount: wireFromMinor(amount_minor), currency, status, reason, note, due_at: due };
  print(json, shown, () =>
    details({ dispute: id, payment: payment_id, amount: moneyText(amount_minor, currency), status, reason, note: note ?? '' }),
  );
}
