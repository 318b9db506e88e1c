import assert from 'node:assert/strict';
import { sql } from '../../src/kit/sql.ts';
import { decide } from '../../src/tenants/approvals/service.ts';
import type { Team } from '../../src/tenants/teams/schema.ts';
import type { Api } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

/** A team with a threshold, and people of it. */
export interface Shop {
  api: Api;
  team: Team;
  key: string;
  base: string;
  owner: Person;
  /** Asks. */
  maker: Person;
  /** Decides. */
  checker: Person;
}

/** Opens a shop in which refunds above 10,000 XAF need a second person. */
export async function openShop(api: Api, above_minor: bigint | null = 1_000_000n): Promise<Shop> {
  const { team, sandbox } = await api.newMerchant();
  const [owner, maker, checker] = await Promise.all([
    signedIn(api, 'owner', team, 'Awa Owner'),
    signedIn(api, 'finance', team, 'Mado Maker'),
    signedIn(api, 'finance', team, 'Chris Checker'),
  ]);
  if (above_minor !== null) {
    await api.control.run(sql`
      insert into approval_thresholds (team_id, currency, above_minor) values (${team.id}, 'XAF', ${above_minor})`);
  }
  return { api, team, key: sandbox.secret, base: `/console/${team.id}/sandbox`, owner, maker, checker };
}

/** A payment of 25,000 XAF that can be refunded. */
export function sale({ api, key }: Shop): Promise<string> {
  return paid(api, { key });
}

/** Fills in the form of a refund, as it is shown; returns what is submitted. */
export async function refundForm({ base }: Shop, person: Person, payment: string, amount: string) {
  const path = `${base}/payments/${payment}/refund`;
  const { text } = await person.get(path);
  const all = /name="all" value="([^"]*)"/.exec(text)?.[1] ?? '';
  return { path, values: { ...formToken(text), all, amount, reason: 'duplicate' } };
}

/** Asks for a refund above the threshold. @returns the path of the approval */
export async function askRefund(shop: Shop, payment: string, amount = '20000', person = shop.maker): Promise<string> {
  const { path, values } = await refundForm(shop, person, payment, amount);
  return approvalPath(await person.post(path, values));
}

/** The path of the approval to which an answer leads. */
export function approvalPath({ status, to, text }: Shown): string {
  assert.equal(status, 303, text);
  assert.match(to ?? '', /^\/console\/\d+\/(?:sandbox|live)\/approvals\/apv_(?:test_)?[0-9a-z]{26}$/);
  return to as string;
}

/** Presses a button of an approval. */
export function press(person: Person, path: string, name: 'approve' | 'reject' | 'withdraw' | 'run' | 'key'): Promise<Shown> {
  // The list of payments has a form for everybody: the language.
  return person.submit(path.replace(/approvals\/.*/, 'payments'), `${path}/${name}?from=${path}`);
}

/** Amounts and reasons of the refunds of a payment. */
export async function refunds({ api, key }: Shop, payment: string): Promise<[number, string][]> {
  const { body } = await api.call('GET', `/payments/${payment}/refunds`, { key });
  return body.items.map(({ amount, reason }: { amount: number; reason: string }) => [amount, reason]);
}

/** Decision and outcome of an approval, as stored. */
export async function stored({ api }: Shop, path: string) {
  const row = await api.control.maybe<Record<'decision' | 'decided_by' | 'outcome' | 'message' | 'result', string | null>>(
    sql`select decision, decided_by, outcome, message, result from approvals where id = ${path.split('/').at(-1)}`,
  );
  assert.ok(row);
  return row;
}

export async function countApprovals({ api, team }: Shop): Promise<number> {
  const rows = await api.control.all(sql`select id from approvals where team_id = ${team.id}`);
  return rows.length;
}

/** Entries of the audit trail of control about an object: action and user. */
export async function trail({ api }: Shop, id: string): Promise<string[]> {
  const rows = await api.control.all<{ action: string; actor_id: string }>(
    sql`select action, actor_id from audit_entries where resource_id = ${id} order by id`,
  );
  return rows.map(({ action, actor_id }) => `${action} ${actor_id.split(':')[0]}`);
}

/** Decides as the console does, and stops there: a crash before the operation, or before it was noted. */
export async function decidedOnly({ api, team, checker }: Shop, path: string): Promise<void> {
  const by = { kind: 'user', id: `${checker.id}:ses_x`, request_id: 'req_x', address: null } as const;
  const who = { team, environment: 'sandbox', user_id: checker.id, session_id: 'ses_x', by, at: Date.now() } as const;
  const { stores, secrets } = api.deps;
  await stores.control.transaction((tx) => decide(tx, secrets, who, path.split('/').at(-1) ?? '', 'approved'));
}
