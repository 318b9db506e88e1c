import type { Db, Queryable, Sql, Tx } from '../../src/kit/sql.ts';
import type { WholeStore } from '../../src/platform/db/stores.ts';
import { takenBack } from '../setup/taken-back.ts';

/** What looks at the statements of a store before they run. */
export interface Walk {
  wants(statement: Sql): boolean;
  /** Whatever it does in the transaction is rolled back. */
  look(tx: Tx, statement: Sql): Promise<void>;
}

/**
 * A store whose statements are looked at in the state in which they run: a statement that is explained after its round finds the row that it
 * changes already changed, and the row that it inserts already there.
 */
export function walkedStore(store: WholeStore, walk: Walk): WholeStore {
  const whole: WholeStore = {
    environment: store.environment,
    db: walkedDb(store.db, walk),
    get whole() {
      return whole;
    },
    of: (team_id) => ({ environment: store.environment, db: walkedDb(store.of(team_id).db, walk), whole }),
  };
  return whole;
}

/** Sends a statement after the look at it. */
type First = <Answer>(statement: Sql, send: () => Promise<Answer>) => Promise<Answer>;

function walkedDb(db: Db, walk: Walk): Db {
  const first: First = async (statement, send) => {
    if (walk.wants(statement)) await takenBack(db, (tx) => walk.look(tx, statement));
    return send();
  };
  return {
    ...walked(db, first),
    transaction: (work, manner) => db.transaction((tx) => work(walkedTx(tx, walk)), manner),
  };
}

function walkedTx(tx: Tx, walk: Walk): Tx {
  // Statements that are sent without waiting for each other would run between a savepoint and the return to it.
  let last: Promise<unknown> = Promise.resolve();
  const first: First = (statement, send) => {
    const answer = last.then(async () => {
      if (walk.wants(statement)) {
        await tx.run({ text: 'savepoint looked', values: [] });
        await walk.look(tx, statement);
        await tx.run({ text: 'rollback to savepoint looked', values: [] });
      }
      return send();
    });
    last = answer.catch(() => {});
    return answer;
  };
  return { ...walked(tx, first), inTransaction: true };
}

function walked(inner: Queryable, first: First): Queryable {
  return {
    all: <Row>(statement: Sql) => first(statement, () => inner.all<Row>(statement)),
    maybe: <Row>(statement: Sql) => first(statement, () => inner.maybe<Row>(statement)),
    run: (statement) => first(statement, () => inner.run(statement)),
  };
}
