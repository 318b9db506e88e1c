import { listThresholds, removeThresholds } from '../../../tenants/approvals/threshold-store.ts';
import { record } from '../../../tenants/audit/record.ts';
import { administer } from '../administer.ts';
import { commandClock } from '../command-clock.ts';
import { print } from '../output.ts';
import { checkTeam } from '../unknown.ts';

/** Removes all thresholds of a team. Open approvals still need a second person. */
export async function approvalsOffCommand({ team: team_id, json }: { team: bigint; json?: true }): Promise<void> {
  const removed = await administer(async (tx, by) => {
    await checkTeam(tx, team_id);
    const thresholds = await listThresholds(tx, team_id);
    await removeThresholds(tx, team_id);
    const act = { team_id, action: 'approval.off', resource_id: String(team_id), at: commandClock.now() } as const;
    await record(tx, by, act);
    return thresholds;
  });
  const currencies = removed.map(({ currency }) => currency);
  print(json, { team: String(team_id), removed: currencies }, () =>
    currencies.length === 0
      ? `Team ${team_id} had no threshold.`
      : `Removed the thresholds of team ${team_id}: ${currencies.join(', ')}. Nothing new needs a second person.`,
  );
}
