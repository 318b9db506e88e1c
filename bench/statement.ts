import type { IdPrefix } from '../src/kit/ids.ts';
import { must } from '../src/kit/errors.ts';
import type { Db, Sql } from '../src/kit/sql.ts';
import { PaymentCreator } from '../src/core/payments/create.ts';
import type { CreatePaymentBody } from '../src/core/payments/schema.ts';
import type { Team } from '../src/tenants/teams/schema.ts';
import { MARK } from './child/serial.ts';

/** The statement of POST /payments and its one parameter, cut where each request differs. */
export interface Statement {
  text: string;
  pieces: string[];
  /** What goes between two pieces: an index into `ids`, or null for the serial. */
  holes: (number | null)[];
  ids: IdPrefix[];
  /** Whose payments it makes. */
  team_id: string;
}

/** What a shop sends: about 500 bytes. */
export const BODY: CreatePaymentBody = {
  amount: 25_000,
  currency: 'XAF',
  phone: '+237650000000',
  email: 'payer@shop.example',
  name: 'Awa Ndiaye',
  description: 'Two baskets and delivery to Bonapriso',
  reference: `order-${MARK}`,
  callback: 'https://shop.example/orders/thanks',
  metadata: { order: `A-${MARK}`, cart: [1, 2, 3], channel: 'web' },
};

/**
 * Asks the service's own code for the statement it would send for {@link BODY}, with the values it would send: the
 * baseline cannot drift away from what it is a baseline for.
 */
export async function createStatement(team: Team): Promise<Statement> {
  const sent: Sql[] = [];
  const refuse = () => Promise.reject(new Error('creating a payment was expected to be one statement'));
  const db: Db = {
    all: async <Row>(statement: Sql) => {
      sent.push(statement);
      return JSON.parse(String(statement.values[0])).map(({ id }: { id: string }) => ({ id })) as Row[];
    },
    maybe: refuse,
    run: refuse,
    transaction: refuse,
  };
  const store = { environment: 'sandbox' as const, db, of: () => store };
  const creator = new PaymentCreator(store, false);
  const order = () =>
    creator.create({
      caller: { team, store, key_id: 'key_of_the_benchmark', kind: 'secret', scopes: [] },
      params: {},
      query: {},
      body: BODY,
      idempotency_key: `key-${MARK}`,
      sync: null,
      ip: '127.0.0.1',
      at: Date.now(),
      request_id: 'req_00000000000000000000000000',
      trace_id: '0'.repeat(32),
    });
  // The first order of a payer makes the customer too; what is measured is the second, of a payer who is known.
  await order();
  await order();
  const statement = must(sent[1], 'each order is a statement');
  if (sent.length !== 2 || statement.values.length !== 1)
    throw new Error('creating a payment was expected to be one statement with one value');
  return { ...cut(statement.text, String(statement.values[0])), team_id: String(team.id) };
}

function cut(text: string, value: string): Omit<Statement, 'team_id'> {
  const varying = new RegExp(`${MARK}|[a-z]+_test_[0-9a-z]{26}`, 'g');
  const found = value.match(varying) ?? [];
  const distinct = [...new Set(found)].filter((one) => one !== MARK);
  return {
    text,
    pieces: value.split(varying),
    holes: found.map((one) => (one === MARK ? null : distinct.indexOf(one))),
    ids: distinct.map((id) => id.slice(0, id.indexOf('_')) as IdPrefix),
  };
}

/** One event body as it is stored. */
export function eventBody(statement: Statement): Buffer {
  const value = statement.pieces.reduce((text, piece, i) => text + hole(statement, i - 1) + piece);
  const [{ packed, filled }] = JSON.parse(value) as [{ packed: string; filled: string }];
  return Buffer.concat([Buffer.from(`${packed[0]}|100${filled}\n`), Buffer.from(packed.slice(1), 'base64')]);
}

function hole({ holes, ids }: Statement, i: number): string {
  const index = holes[i];
  return index === null || index === undefined ? MARK : `${ids[index]}_test_${'0'.repeat(26)}`;
}
