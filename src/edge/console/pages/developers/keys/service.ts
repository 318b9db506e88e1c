import { notFound, Problem } from '../../../../../kit/errors.ts';
import { isId } from '../../../../../kit/ids.ts';
import { type Html, html } from '../../../../../kit/html.ts';
import type { Db, Queryable, Tx } from '../../../../../kit/sql.ts';
import type { Action } from '../../../../../tenants/audit/actions.ts';
import { record } from '../../../../../tenants/audit/record.ts';
import type { KeyKind } from '../../../../../tenants/keys/caller.ts';
import type { Scope } from '../../../../../tenants/keys/scopes.ts';
import { checkNotEnded, createKeyOnce, type KeyOptions, keyState, rightsOf } from '../../../../../tenants/keys/service.ts';
import { expireKey, findTeamKey, type KeyRow, lockTeamKey, revokeKey, switchKey } from '../../../../../tenants/keys/store.ts';
import { actorOf } from '../../../actor.ts';
import { type Change, changeOrAsk, type HeldAction, movesMoneyOut } from '../../../approvals/held.ts';
import { countKeyChanges } from '../../../approvals/replaced.ts';
import type { Answer, TeamVisit } from '../../../page.ts';
import type { Fault } from '../../../parts/fault.ts';
import { refuseUnseen, seenField } from '../../../parts/seen.ts';

/** Fields of the form. */
export type WantedKey = Omit<KeyOptions, 'team_id' | 'environment'>;

/** A key with its text, for the only page that shows it. Null: the form was submitted before. */
export type MadeKey = Awaited<ReturnType<typeof createKeyOnce>>;

/** Returns whether the person's role permits everything that such a key may do, so that a key never has more rights than its maker. */
export function mayMake(visit: TeamVisit, kind: KeyKind, scopes: readonly string[]): boolean {
  return rightsOf(kind, scopes).every((scope: Scope) => visit.can(scope));
}

/**
 * Returns a key of the team in this environment.
 * @throws Problem 404
 */
export async function keyOf(control: Db, visit: TeamVisit): Promise<KeyRow> {
  return present(await findTeamKey(control, refOf(visit)));
}

/**
 * Makes a key, once for each displayed form.
 * @throws Problem 403 when the role permits less than the key; 409 when its last day is over
 */
export async function makeKeyIn(tx: Tx, visit: TeamVisit, wanted: WantedKey): Promise<MadeKey> {
  checkRights(visit, wanted.kind, wanted.scopes);
  return insert(tx, visit, wanted);
}

/** Options of a replacement: how long the old key stays valid, and when the new one expires. */
export interface Rolling {
  overlap_ms: number;
  expires_at: Date | null;
}

/**
 * Makes a key with the rights of another, which ends after the overlap.
 * @throws Problem 404; 403 when the role permits less than the key; 409 when the key is not active, or the last day of the new one is over
 */
export async function rollKeyIn(tx: Tx, visit: TeamVisit, { overlap_ms, expires_at }: Rolling): Promise<MadeKey> {
  const old = present(await lockTeamKey(tx, refOf(visit)));
  const { kind, allowed_ips } = old;
  checkRights(visit, kind, old.scopes);
  const scopes = kind === 'restricted' ? [...rightsOf(kind, old.scopes)] : [];
  const made = await insert(tx, visit, { kind, scopes, allowed_ips, expires_at });
  if (made === null) return null;
  checkActive(old, visit);
  await expireKey(tx, old.id, new Date(visit.at + overlap_ms));
  await note(tx, visit, 'key.roll', old.id);
  return made;
}

/** Checks that a key can be replaced. @throws Problem 409 when it is not active */
export function checkActive(key: KeyRow, { at }: TeamVisit): void {
  if (keyState(key, at) !== 'active') throw new Problem(409, 'The key is not active: create a new one.');
}

/** Renders the hidden fields of the form that activates or deactivates a key. */
export async function switchFields(control: Db, visit: TeamVisit, id: string, fault?: Fault): Promise<Html> {
  return html`${visit.formFields()}${seenField(visit, await changesOf(control, visit, id), fault)}`;
}

/** Returns what differs after each change of a key, also after one that restores its state. */
async function changesOf(db: Queryable, visit: TeamVisit, id: string): Promise<{ changes: number }> {
  return { changes: await countKeyChanges(db, visit, id) };
}

/**
 * Activates or deactivates a key.
 * @throws Problem 404; 403 when the role permits less than the key that is to be activated; 409 when the key is revoked or has expired, or
 * was changed after the person saw it
 */
export async function setActive(tx: Tx, visit: TeamVisit, active: boolean): Promise<void> {
  const key = present(await lockTeamKey(tx, refOf(visit)));
  if (active) checkRights(visit, key.kind, key.scopes);
  checkNotEnded(key, visit.at);
  refuseUnseen(visit, await changesOf(tx, visit, key.id));
  await switchKey(tx, key.id, active);
  await note(tx, visit, active ? 'key.activate' : 'key.deactivate', key.id);
}

/**
 * Revokes a key permanently.
 * @throws Problem 404
 */
export function revokePermanently(control: Db, visit: TeamVisit): Promise<void> {
  return control.transaction(async (tx) => {
    const key = present(await lockTeamKey(tx, refOf(visit)));
    if (key.revoked_at) return;
    await revokeKey(tx, key.id, new Date(visit.at));
    await note(tx, visit, 'key.revoke', key.id);
  });
}

/**
 * Makes a change of a key. In a team with a threshold, the approval is requested if the key moves money.
 * @throws Problem of the change
 */
export async function changeKey<T>(
  visit: TeamVisit,
  action: HeldAction,
  { kind, scopes }: { kind: KeyKind; scopes: readonly string[] },
  { change, madeBefore }: Pick<Change<T>, 'change' | 'madeBefore'>,
): Promise<{ made: T } | { answer: Answer }> {
  if (!movesMoneyOut(kind, scopes)) return { made: await visit.approvals.control.transaction(change) };
  return changeOrAsk(visit, action, { change, madeBefore, rehearsed: false });
}

/** Returns a change of keys as a request for approval. */
export function heldKey(
  operation: 'key.create' | 'key.roll' | 'key.activate',
  body: HeldAction['body'],
  seen: HeldAction['seen'] = {},
): HeldAction {
  return { kind: 'key', operation, permission: 'key.write', body, seen };
}

/** Stores the key. @throws Problem 409 when its last day passed while it waited for approval: it would replace a valid key */
async function insert(tx: Tx, visit: TeamVisit, wanted: WantedKey): Promise<MadeKey> {
  const { team, environment, at, formKey } = visit;
  if (wanted.expires_at !== null && wanted.expires_at.getTime() <= at) {
    throw new Problem(409, 'The key would already have expired: request a new one.');
  }
  const made = await createKeyOnce(tx, { team_id: team.id, environment, ...wanted }, formKey, new Date(at));
  if (made) await note(tx, visit, 'key.create', made.id);
  return made;
}

function note(tx: Tx, visit: TeamVisit, action: Action, resource_id: string): Promise<void> {
  return record(tx, actorOf(visit), { team_id: visit.team.id, action, resource_id, at: visit.at });
}

/** Checks {@link mayMake}. @throws Problem 403 when the role permits less than the key */
export function checkRights(visit: TeamVisit, kind: KeyKind, scopes: readonly string[]): void {
  if (!mayMake(visit, kind, scopes)) throw new Problem(403, 'This key may do more than your role permits.');
}

function refOf({ team, environment, params }: TeamVisit) {
  const { id = '' } = params;
  if (!isId('key', environment, id)) throw notFound();
  return { team_id: team.id, environment, id };
}

function present(key: KeyRow | undefined): KeyRow {
  if (!key) throw notFound();
  return key;
}
