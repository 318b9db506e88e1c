import fs from 'node:fs';
import path from 'node:path';
import type { DbPool } from '../../src/platform/db/pool.ts';
import { newId } from '../../src/kit/ids.ts';
import { sql } from '../../src/kit/sql.ts';
import { environmentOf, parsed } from '../cli/command.ts';
import { CommandServer } from '../cli/command-server.ts';
import { type Api, until } from '../setup/api.ts';
import { paid } from '../setup/pay.ts';

export const EVIDENCE = ['--evidence', 'statement of 21 November, line 3'];

/** A service beside which commands are run. */
export class Office {
  readonly api: Api;
  readonly env: Record<string, string>;
  readonly databases: Record<'control' | 'sandbox' | 'live', DbPool>;
  readonly team: string[];
  readonly #commands = new CommandServer();
  #names = 0;

  constructor(api: Api, env: Record<string, string>, databases: Office['databases']) {
    this.api = api;
    this.env = env;
    this.databases = databases;
    this.team = ['--team', String(api.team.id)];
  }

  run(...args: string[]) {
    return this.#commands.run({ args, env: environmentOf(this.env) });
  }

  close(): Promise<void> {
    return this.#commands.stop();
  }

  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  async json(...args: string[]): Promise<any> {
    return parsed(await this.run(...args, '--json'));
  }

  /** Does something to what was made just before. */
  to(make: () => Promise<string>, ...args: string[]): () => Promise<string> {
    return async () => {
      const id = await make();
      await this.json(...args, id);
      return id;
    };
  }

  async key(): Promise<string> {
    return (await this.json('keys', 'create', ...this.team, '--environment', 'sandbox', '--kind', 'secret')).id;
  }

  async rule(): Promise<string> {
    return (await this.json('rules', 'add', ...this.team, '--environment', 'sandbox', '--order', 'sandbox')).id;
  }

  /** Somebody who may sign in, without a team. */
  async user(): Promise<string> {
    return (await this.json('users', 'create', '--email', `aminata.${this.#next()}@shop.example`, '--name', 'Aminata')).id;
  }

  async provider(): Promise<string> {
    const kinds = await this.json('providers', 'kinds');
    const { credentials } = kinds.find(({ provider }: { provider: string }) => provider === 'pawapay');
    const set = credentials
      .filter(({ required }: { required: boolean }) => required)
      .flatMap(({ name }: { name: string }) => ['--set', `${name}=canary-of-a-token-0123456789`]);
    const args = [...this.team, '--environment', 'live', '--name', `account-${this.#next()}`];
    return (await this.json('providers', 'add', 'pawapay', ...args, ...set)).id;
  }

  async block(): Promise<string> {
    const email = `aminata.${this.#next()}@shop.example`;
    return (await this.json('blocks', 'add', ...this.team, '--email', email)).id;
  }

  async customer(): Promise<string> {
    const body = { email: `aminata.${this.#next()}@shop.example`, name: 'Aminata' };
    return (await this.api.call('POST', '/customers', { body })).body.customer.id;
  }

  async account(): Promise<string> {
    const body = { name: 'Aminata', email: 'a@shop.example' };
    return (await this.api.call('POST', '/accounts', { body })).body.account.id;
  }

  async dispute(payment: string): Promise<string> {
    return (await this.json('trigger', 'dispute.created', ...this.team, '--payment', payment)).id;
  }

  /** A payment whose one attempt nobody could tell the outcome of, decided. */
  async resolvedPayment(): Promise<string> {
    const at = Date.now() - 600_000;
    const [payment, attempt, now] = [newId('trx', 'live', at), newId('att', 'live', at), new Date(at)];
    const { id: team_id } = this.api.team;
    await this.databases.live.run(sql`
      insert into payments (team_id, id, amount_minor, fee_minor, currency, status, channel, event_count, key_id, request_id, created_at,
        updated_at, expires_at)
      values (${team_id}, ${payment}, 100000, 2000, 'XAF', 'processing', 'cm.mtn', 2, 'k', 'r', ${now}, ${now}, ${new Date(at + 86_400_000)})`);
    await this.databases.live.run(sql`
      insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, payer,
        provider_key, created_at)
      values (${team_id}, ${attempt}, ${payment}, 'pawapay', 'pa_1', 'cm.mtn', 'unknown', 100000, 'XAF', '+237670000000', 'k', ${now})`);
    await this.#resolve(attempt);
    return payment;
  }

  /** A transfer that its provider has and says nothing of, decided. */
  async resolvedTransfer(): Promise<string> {
    await this.json('sandbox', 'fund', ...this.team, '--currency', 'XAF', '--amount', '5000');
    const body = { amount: 100, currency: 'XAF', beneficiary: { name: 'Aminata', channel: 'cm.mtn', phone: '650000003' } };
    const { id } = (await this.api.call('POST', '/transfers', { body })).body.transfer;
    await until(
      () => this.databases.sandbox.maybe<{ stage: string }>(sql`select stage from transfers where id = ${id}`),
      (row) => row?.stage === 'dispatched',
    );
    return this.#resolve(id);
  }

  /** A refund whose provider has not answered, decided. */
  async resolvedRefund(): Promise<string> {
    const body = { payment: await paid(this.api), amount: 100, reason: 'duplicate' };
    const { id } = (await this.api.call('POST', '/refunds', { body })).body.refund;
    await this.databases.sandbox.transaction(async (tx) => {
      // Without the trigger that lets a refund end only once.
      await tx.run(sql`set local session_replication_role = replica`);
      await tx.run(sql`
        update refunds set status = 'processing', completed_at = null, legs = replace(legs::text, 'succeeded', 'sent')::json where id = ${id}`);
    });
    return this.#resolve(id);
  }

  /** A return that waits for a person: a payment that failed, and was paid after all. @returns its id */
  async waitingReturn(): Promise<string> {
    const at = Date.now() - 600_000;
    const [payment, attempt, id] = [newId('trx', 'live', at), newId('att', 'live', at), newId('rtn', 'live', at)];
    const now = new Date(at);
    const { id: team_id } = this.api.team;
    await this.databases.live.run(sql`
      insert into payments (team_id, id, amount_minor, fee_minor, captured_minor, currency, status, channel, event_count, key_id, request_id,
        created_at, updated_at, expires_at)
      values (${team_id}, ${payment}, 100000, 2000, 100000, 'XAF', 'failed', 'cm.orange', 2, 'k', 'r', ${now}, ${now}, ${now})`);
    await this.databases.live.run(sql`
      insert into attempts (team_id, id, payment_id, provider, provider_account, channel, status, amount_minor, currency, provider_key,
        must_return, created_at, closed_at)
      values (${team_id}, ${attempt}, ${payment}, 'orange-money', 'pa_1', 'cm.orange', 'succeeded', 100000, 'XAF', 'k', true, ${now}, ${now})`);
    await this.databases.live.run(sql`
      insert into returns (team_id, id, payment_id, attempt_id, amount_minor, currency, state, note, waiting_since, announced_at, created_at,
        updated_at)
      values (${team_id}, ${id}, ${payment}, ${attempt}, 100000, 'XAF', 'waiting', 'no account pays out', ${now}, ${now}, ${now}, ${now})`);
    return id;
  }

  /** A payment of two years ago, moved to compressed storage. */
  async archived(): Promise<string> {
    const at = Date.now() - 730 * 86_400_000;
    const [id, then] = [newId('trx', 'live', at), new Date(at)];
    await this.databases.live.run(sql`
      insert into payments (team_id, id, amount_minor, currency, status, key_id, request_id, created_at, updated_at, expires_at)
      values (${this.api.team.id}, ${id}, 100000, 'XAF', 'expired', 'k', 'r', ${then}, ${then}, ${then})`);
    await this.json('archive', '--older-than', '400d', ...this.team);
    return id;
  }

  /** A statement of a new account, with one line that the books know nothing of, compared with them. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever shape they expect and fail when it is not there
  async reconciled(): Promise<any> {
    const folder = this.env.DATA_DIR as string;
    const file = path.join(folder, 'statement.csv');
    const line = 'collect,stray,,10,XAF,0,2026-03-10T12:00:00Z,succeeded';
    fs.writeFileSync(file, `type,key,reference,amount,currency,fee,at,status\n${line}\n`);
    const account = ['--provider', 'pawapay', '--account', await this.provider()];
    const { stdout } = await this.run(
      'reconcile',
      ...account,
      '--file',
      file,
      ...this.team,
      '--report',
      folder,
      '--apply',
      '--json',
    );
    return JSON.parse(stdout);
  }

  async #resolve(id: string): Promise<string> {
    await this.json('resolve', id, ...this.team, '--as', 'succeeded', ...EVIDENCE);
    return id;
  }

  #next(): number {
    this.#names += 1;
    return this.#names;
  }
}
