import assert from 'node:assert/strict';
import { fundSandbox } from '../../src/core/transfers/fund.ts';
import { sql } from '../../src/kit/sql.ts';
import { WORKER } from '../../src/tenants/audit/actor.ts';
import type { Api, Merchant } from '../setup/api.ts';
import { formToken, type Person, type Shown, signedIn } from './people.ts';

export const HEAD = 'recipient,channel,name,amount,currency,reference';

/** A team with money, and a person who uploads lists. */
export class Payer {
  readonly api: Api;
  readonly merchant: Merchant;
  readonly person: Person;
  readonly path: string;

  private constructor(api: Api, merchant: Merchant, person: Person) {
    this.api = api;
    this.merchant = merchant;
    this.person = person;
    this.path = `/console/${merchant.team.id}/sandbox/payouts/bulk`;
  }

  static async open(api: Api, amount: number): Promise<Payer> {
    const merchant = await api.newMerchant();
    const { id } = merchant.team;
    await fundSandbox(api.deps, api.deps.stores.sandbox.of(id), id, 'XAF', BigInt(amount) * 100n, WORKER);
    return new Payer(api, merchant, await signedIn(api, 'finance', merchant.team));
  }

  /** Uploads a list. @returns the path of its page */
  async upload(csv: string): Promise<string> {
    const { status, to } = await this.person.submit(this.path, this.path, { csv });
    assert.equal(status, 303);
    return to as string;
  }

  /** Presses the button of a list's page once. */
  async press(list: string, values: Record<string, string> = {}, action = 'run'): Promise<Shown> {
    const { text } = await this.person.get(list);
    return this.person.post(`${list}/${action}`, { ...formToken(text), ...values });
  }

  /** Presses it until the list is done. */
  async finish(list: string): Promise<number> {
    for (let pressed = 0; ; pressed++) {
      if (!(await this.person.get(list)).text.includes('/run?')) return pressed;
      assert.ok(pressed < 40, 'the list comes to an end');
      await this.press(list);
    }
  }

  async transfers(): Promise<{ id: string; amount: number; reference: string | null }[]> {
    const { id } = this.merchant.team;
    const rows = await this.api.deps.stores.sandbox.db.all<{ id: string; amount_minor: bigint; reference: string | null }>(
      sql`select id, amount_minor, reference from transfers where team_id = ${id} order by id`,
    );
    return rows.map((row) => ({ id: row.id, amount: Number(row.amount_minor) / 100, reference: row.reference }));
  }

  async references(): Promise<(string | null)[]> {
    return (await this.transfers()).map(({ reference }) => reference).sort();
  }
}

/** The page as people read it. */
export function read(text: string): string {
  return text
    .replace(/^.*<main[^>]*>/s, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[\s ]+/g, ' ');
}

export const line = (n: number, amount = 1_000 + n) => `+23765${String(n).padStart(7, '0')},cm.mtn,,${amount},XAF,L-${n}`;
export const numbers = (count: number) => Array.from({ length: count }, (_, i) => i + 1);

/** Lines of a list as they are stored. */
export function storedLines(api: Api, list: string) {
  return api.deps.stores.sandbox.db.all<{ line: number; status: string; body: object | null; recipient: string | null }>(
    sql`select line, status, body, recipient from payout_batch_lines where batch_id = ${list.split('/').at(-1)} order by line`,
  );
}

/** Gives a team its first threshold: payouts above it, with their fee, need a second person. */
export async function withThreshold({ api, merchant }: Payer, above_minor: bigint): Promise<void> {
  await api.control.run(
    sql`insert into approval_thresholds (team_id, currency, above_minor) values (${merchant.team.id}, 'XAF', ${above_minor})`,
  );
}

/** Stores that the list was confirmed. */
export async function started(api: Api, list: string): Promise<void> {
  await api.deps.stores.sandbox.db.run(
    sql`update payout_batches set started_at = created_at where id = ${list.split('/').at(-1)}`,
  );
}
