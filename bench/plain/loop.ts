import { takeJobs } from '../child/jobs.ts';
import { MARK, nextSerial } from '../child/serial.ts';
import { type Counted, Tally, type Windowed } from '../child/tally.ts';
import { newUuid } from './ids.ts';
import { newPayment, type Team } from './payment.ts';
import { Prepared, type Varying } from './prepared.ts';
import { CREATE } from './statements.ts';
import type { Body } from './validate.ts';

export interface LoopJob extends Windowed {
  url: string;
  connections: number;
  /** Payments, or one row of one integer: what this machine commits at most. */
  what: 'payments' | 'one_row';
  team: Team;
  body: Body;
}

/** Places of the key, the payment's id and the event's id among the values of CREATE. */
const VARYING = [1, 3, 18];
const HASH_LENGTH = 32;
const ONE_ROW = 'insert into one_row (value) values ($1)';

/** The plain insert loop: the statement of the plain service over connections that each send the next one. */
takeJobs<LoopJob, Counted>(async ({ url, connections, what, team, body, ...windows }, started) => {
  const { values } = newPayment(team, MARK, Buffer.alloc(HASH_LENGTH, 1), body, Date.now());
  const template = values.map((value, i) => (VARYING.includes(i) ? varying(value) : value));
  const [text, parameters] = what === 'payments' ? [CREATE, template] : [ONE_ROW, ['1']];
  const prepared = await Promise.all(Array.from({ length: connections }, () => Prepared.on(url, text, parameters)));
  const fresh = (now: number) => (what === 'payments' ? [nextSerial(), newUuid(now), newUuid(now)] : []);
  try {
    const tally = new Tally(windows, started);
    await Promise.all(
      prepared.map(async (statement) => {
        while (!tally.over) {
          const since = performance.now();
          await statement.run(fresh(Date.now()));
          tally.add(since);
        }
      }),
    );
    return tally.result();
  } finally {
    await Promise.all(prepared.map((statement) => statement.close()));
  }
});

function varying(value: string | null): Varying {
  return { length: value?.length ?? 0 };
}
