import { readConfig } from '../../../platform/config/config.ts';
import type { Store } from '../../../platform/db/stores.ts';
import { commandClock } from '../command-clock.ts';
import type { Environment } from '../../../kit/environment.ts';
import { paymentListeners } from '../../listeners.ts';
import { resolveAttempt, type ManualResolution } from '../../../core/charge/resolve.ts';
import { type PartRef, resolveRefund } from '../../../core/refunds/resolve.ts';
import { resolveTransfer } from '../../../core/transfers/resolve.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { operator } from '../operator.ts';
import { UsageFailure } from '../failure.ts';
import { details, print } from '../output.ts';
import { refuse } from '../refuse.ts';

interface Options {
  as: ManualResolution['as'];
  evidence: string;
  author?: string;
  part?: number;
  team?: bigint;
  json?: true;
}

interface Outcome {
  id: string;
  /** Id of the payment or transfer that the attempt, transfer or refund belongs to. */
  of: string;
  status: string;
}

/** Resolves an attempt, transfer or refund manually. The decision is final, and is printed with what it changed. */
export async function resolveCommand(id: string, options: Options): Promise<void> {
  const kind = /^(att|po|rfd)_(test_)?[0-9a-z]{26}$/.exec(id);
  if (!kind) throw new UsageFailure(`${id} is not the id of an attempt, a transfer or a refund`, 'Use att_…, po_… or rfd_….');
  const environment: Environment = kind[2] ? 'sandbox' : 'live';
  const config = readConfig(process.env);
  const ref = { team_id: options.team ?? demoTeamId(config), id, part: options.part === undefined ? null : options.part - 1 };
  const verdict = { as: options.as, evidence: options.evidence, author: options.author ?? operator().id };
  const deps = { clock: commandClock, config, listeners: paymentListeners(null) };
  const outcome = await withDatabases(config, (urls) =>
    withPool(urls[environment], (db) => decide(kind[1] as string, deps, { environment, db }, ref, verdict)),
  ).catch((error: unknown) => refuse(error, { otherwise: 'Nothing was changed.' }));
  print(options.json, { ...outcome, ...verdict }, () =>
    details({ resolved: id, as: verdict.as, by: verdict.author, of: outcome.of, status: outcome.status }),
  );
}

async function decide(
  kind: string,
  deps: Parameters<typeof resolveAttempt>[0],
  store: Store,
  ref: PartRef,
  verdict: ManualResolution,
): Promise<Outcome> {
  const { id } = ref;
  const by = operator();
  if (kind === 'att') {
    const { payment } = await resolveAttempt(deps, store, ref, verdict, by);
    return { id, of: payment.id, status: payment.status };
  }
  if (kind === 'po') {
    const { transfer } = await resolveTransfer(deps, store, { team_id: ref.team_id, id }, verdict, by);
    return { id, of: transfer.id, status: transfer.status };
  }
  const refund = await resolveRefund(deps, store, ref, verdict, by);
  return { id, of: refund.payment_id, status: refund.status };
}
