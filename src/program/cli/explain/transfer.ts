import type { Environment } from '../../../kit/environment.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { Failure } from '../failure.ts';
import { moneyText } from '../format.ts';
import { print, shortMoment } from '../output.ts';
import { inStore, whyLines } from './shared.ts';
import { type ExplainedTransfer, findTransferAnywhere } from './store.ts';

/** Explains which provider accounts a transfer was routed to, and why. */
export async function explainTransfer(id: string, environment: Environment, options: { json?: true }): Promise<void> {
  const transfer = await inStore(environment, (db) => findTransferAnywhere(db, id));
  if (!transfer) throw new Failure(`there is no transfer ${id} in ${environment}`, 'Check the id.');
  const { team_id, amount_minor, decision, ...rest } = transfer;
  const why = whyLines(decision?.explanation);
  const document = { ...rest, team_id: String(team_id), environment, amount: wireFromMinor(amount_minor), decision, why };
  print(options.json, document, () => textOf(transfer, environment, why));
}

function textOf(transfer: ExplainedTransfer, environment: Environment, why: readonly string[]): string {
  const { id, team_id, status, reason, amount_minor, currency, channel, decision } = transfer;
  const amount = `${moneyText(amount_minor, currency)} on ${channel}`;
  const tried = decision?.tried ?? [];
  return [
    `${id} of team ${team_id}, ${environment}: ${amount}, ${status}${reason ? ` (${reason})` : ''}`,
    ...why,
    ...(tried.length > 0 ? [`${tried.join(', ')} provably did not accept it.`] : []),
    ...(decision?.resent ? ['It was submitted a second time under the same key, because the provider did not have it.'] : []),
    `→ ${outcomeOf(transfer)}`,
  ].join('\n');
}

function outcomeOf({ provider_account, dispatched_at, completed_at, message, decision }: ExplainedTransfer): string {
  const words = message ?? decision?.note;
  const said = words ? `: ${words}` : '';
  if (completed_at) return `Final since ${shortMoment(completed_at)}${provider_account ? ` by ${provider_account}` : ''}${said}.`;
  if (dispatched_at) return `${provider_account} has it, or may have it, since ${shortMoment(dispatched_at)}${said}.`;
  return `Not submitted yet${said}.`;
}
