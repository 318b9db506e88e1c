import { must } from '../../../../kit/errors.ts';
import type { Html } from '../../../../kit/html.ts';
import type { Queryable, Tx } from '../../../../kit/sql.ts';
import { record } from '../../../../tenants/audit/record.ts';
import { countEntries } from '../../../../tenants/audit/store.ts';
import { findTeam, lockTeam, type TeamRow } from '../../../../tenants/teams/store.ts';
import { actorOf } from '../../actor.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { type Answer, redirect, type TeamVisit } from '../../page.ts';
import { type Fault, faultOf } from '../../parts/fault.ts';
import { refuseStale, seenField } from '../../parts/seen.ts';

/** A form that changes settings of the team. */
interface SettingForm<Values extends object> {
  /** Path of its page below the team's base. */
  path: string;
  typed: Values;
  /** Returns the values of the form as a team has them. */
  storedIn(visit: { team: TeamRow }): Values;
  /** What the form sets. */
  wanted: Partial<TeamRow>;
  write(tx: Tx): Promise<void>;
  /** Shows the form again. */
  show(visit: TeamVisit, fault: Fault): Promise<Answer>;
}

/** Returns how often settings of the team were changed, in any of the forms or by the operator. */
function countChanges(db: Queryable, { team }: TeamVisit): Promise<number> {
  return countEntries(db, team.id, String(team.id), ['team.update']);
}

/**
 * Renders the hidden fields of a form that is submitted to {@link saveTeam}. They differ after each change of settings, also after one that
 * restores the values of the form.
 * @param stored the values of the form as the team has them
 */
export async function teamSeenField(visit: TeamVisit, stored: object, fault?: Fault): Promise<Html> {
  return seenField(visit, stored, fault, await countChanges(visit.approvals.control, visit));
}

/**
 * Saves settings of the team with the audit entry of the person. They are compared with what the person saw under the lock of the team, so
 * that no change by somebody else comes between. Settings that are stored already, as after a first submit, are not saved again.
 */
export async function saveTeam<Values extends object>(
  { stores: { control } }: ConsoleDeps,
  visit: TeamVisit,
  { path, typed, storedIn, wanted, write, show }: SettingForm<Values>,
): Promise<Answer> {
  const { id } = visit.team;
  try {
    await control.transaction(async (tx) => {
      const team = must(await lockTeam(tx, id), 'a membership refers to a team');
      if (isAs(team, wanted)) return;
      refuseStale(visit, storedIn({ team }), typed, await countChanges(tx, visit));
      await write(tx);
      await record(tx, actorOf(visit), { team_id: id, action: 'team.update', resource_id: String(id), at: visit.at });
    });
  } catch (error) {
    const fault = faultOf(visit, error);
    const team = must(await findTeam(control, id), 'a membership refers to a team');
    return show({ ...visit, team }, fault);
  }
  return redirect(`${visit.base}${path}?done=save`);
}

function isAs(team: TeamRow, wanted: Partial<TeamRow>): boolean {
  return Object.entries(wanted).every(([name, value]) => team[name as keyof TeamRow] === value);
}
