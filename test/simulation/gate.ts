import type pg from 'pg';
import { type Callback, type Connecting, connectionOf, type Doorkeeper, SET_TIME, type Wish } from './driver.ts';
import { isDeadlock, type Locks } from './locks.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { onMachine, outside, realClearTimeout, realTimeout } from './virtual.ts';

/** A statement without an answer after this time may be waiting for a lock: only then the server is asked. */
const SLOW_MS = 4;
/** Deadline of a statement on virtual time, as src/platform/db/pool.ts sets it on the server. */
const STATEMENT_MS = 15_000;

/** What the gate knows of a connection. */
interface Session {
  pid: number;
  owner: Owner;
  /** A statement has been sent and not answered. */
  busy: boolean;
  inTransaction: boolean;
  /** Virtual time that the session has. */
  time: number | null;
}

interface Statement extends Wish {
  session: Session;
  outcome: { error: Error | null; result: pg.QueryResult | undefined } | null;
  finished: Promise<void>;
  /** Takes back its deadline. */
  relax: () => void;
  failAs: { code: string; message: string } | null;
}

/**
 * Makes each statement of a node a point of the scheduler. One statement runs at a time; one that waits for a lock is put aside
 * until the locks of another transaction are gone.
 */
export class Gate implements Doorkeeper {
  readonly #scheduler: Scheduler;
  readonly #locks: Locks;
  readonly #sessions = new Map<pg.Client, Session>();
  #parked: Statement[] = [];
  /** Called after each commit, also that of a single statement. Returns whether the connection ends before the answer. */
  losesCommit: () => boolean = () => false;
  statements = 0;
  waits = 0;
  deadlocks = 0;

  constructor(scheduler: Scheduler, locks: Locks) {
    this.#scheduler = scheduler;
    this.#locks = locks;
  }

  connect({ client, on, send, answer }: Connecting): void {
    let failure: Error | undefined;
    const run = async () => {
      try {
        await new Promise<void>((resolve, reject) => send((error) => (error ? reject(error) : resolve())));
        await outside(() => client.query('set statement_timeout = 0; set idle_in_transaction_session_timeout = 0'));
        const text = `select set_config('simulation.now', $1, false)`;
        await outside(() => client.query({ name: SET_TIME, text, values: [secondsOf(this.#scheduler.now)] }));
        const { processID } = client as unknown as { processID: number };
        const session = { pid: processID, owner: on.owner, busy: false, inTransaction: false, time: this.#scheduler.now };
        this.#sessions.set(client, session);
        client.once('end', () => this.#sessions.delete(client));
      } catch (error) {
        failure = error as Error;
      }
    };
    const resume = () => onMachine(on, () => answer(failure));
    this.#scheduler.add({ owner: on.owner, label: 'connects to a database', run, resume });
  }

  statement(wish: Wish): void {
    const { client, on, answer } = wish;
    const session = this.#sessions.get(client);
    if (!session) {
      const gone = () => onMachine(on, () => answer(new Error('Connection terminated unexpectedly')));
      this.#scheduler.add({ owner: on.owner, label: 'has no connection', resume: gone });
      return;
    }
    const made: Statement = { ...wish, session, outcome: null, finished: Promise.resolve(), relax: () => {}, failAs: null };
    this.#scheduler.add({
      owner: on.owner,
      label: labelOf(wish),
      ready: () => !session.busy,
      run: () => this.#run(made),
      resume: () => this.#answer(made),
    });
  }

  /** Ends the connections of a node without notifying it. Statements that waited for its locks continue. */
  async crash(owner: Owner): Promise<void> {
    const dead = [...this.#sessions].filter(([, session]) => session.owner === owner);
    this.#parked = this.#parked.filter(({ session }) => session.owner !== owner);
    for (const [client] of dead) {
      client.removeAllListeners();
      client.on('error', () => {});
      connectionOf(client).stream.destroy();
      this.#sessions.delete(client);
    }
    await this.#locks.terminate(dead.map(([, { pid }]) => pid));
    await this.#lookAgain();
  }

  /** Cuts connections of a node that lives on. @param which those to cut */
  async cut(owner: Owner, which: 'one' | 'in transaction'): Promise<number> {
    const own = [...this.#sessions].filter(([, { owner: of, busy }]) => of === owner && !busy);
    const open = own.filter(([, { inTransaction }]) => inTransaction);
    const chosen = which === 'one' && open.length === 0 ? own.slice(0, 1) : open;
    // One after the other: the ends of several would be noticed in any order.
    for (const [client, { pid }] of chosen) await this.#end(client, pid);
    await this.#lookAgain();
    return chosen.length;
  }

  async #run(statement: Statement): Promise<void> {
    const { session, client } = statement;
    this.statements++;
    if (session.time !== this.#scheduler.now) connectionOf(client).time = secondsOf(this.#scheduler.now);
    session.time = this.#scheduler.now;
    session.busy = true;
    statement.finished = new Promise((resolve) => {
      const done: Callback = (error, result) => {
        statement.outcome = { error, result };
        resolve();
      };
      statement.send(done);
    });
    await this.#untilDoneOrWaiting(statement);
    if (statement.outcome) {
      await this.#loseCommit(statement);
      await this.#ended(statement);
    } else await this.#park(statement);
  }

  /** What was committed stays, although its node hears only that the connection is gone. */
  async #loseCommit(statement: Statement): Promise<void> {
    const { text, outcome, client, session } = statement;
    const verb = text.slice(0, 8).toLowerCase();
    // A statement outside a transaction commits by itself.
    const commits = verb.startsWith('commit') || !(session.inTransaction || verb.startsWith('begin'));
    if (!commits || outcome?.error || !this.losesCommit()) return;
    await this.#end(client, session.pid);
    statement.outcome = { error: new Error('Connection terminated unexpectedly'), result: undefined };
  }

  /** Ends a connection. Resolves when its node has noticed. */
  async #end(client: pg.Client, pid: number): Promise<void> {
    const ended = new Promise((resolve) => client.once('end', resolve));
    await this.#locks.terminate([pid]);
    await ended;
  }

  async #untilDoneOrWaiting(statement: Statement): Promise<void> {
    for (;;) {
      let timer: NodeJS.Timeout | undefined;
      const slow = new Promise<void>((resolve) => {
        timer = realTimeout(resolve, SLOW_MS);
      });
      await Promise.race([statement.finished, slow]);
      realClearTimeout(timer);
      if (statement.outcome) return;
      if ((await this.#locks.waiting([statement.session.pid])).size > 0) return;
    }
  }

  /** Books that a statement has ended. Whoever waited for its locks may go on. */
  async #ended(statement: Statement): Promise<void> {
    const { session, text } = statement;
    session.busy = false;
    statement.relax();
    const { error } = statement.outcome as NonNullable<Statement['outcome']>;
    const verb = text.slice(0, 8).toLowerCase();
    if (error || verb === 'rollback') session.time = null;
    if (!error && verb.startsWith('begin')) session.inTransaction = true;
    if (verb === 'rollback' || verb.startsWith('commit')) session.inTransaction = false;
    if (!session.inTransaction) await this.#lookAgain();
  }

  async #park(statement: Statement): Promise<void> {
    this.waits++;
    this.#scheduler.note(`${statement.on.owner.name} waits for a lock`);
    this.#parked.push(statement);
    this.#locks.stop(statement.session.pid);
    const deadline = this.#scheduler.now + STATEMENT_MS;
    statement.relax = this.#scheduler.at(deadline, null, () => {
      const fail = { code: '57014', message: 'canceling statement due to statement timeout' };
      this.#scheduler.add({
        owner: null,
        label: 'a statement times out',
        run: () => this.#cancel(statement, fail),
        resume: () => {},
      });
    });
    const waiting = await this.#locks.waiting(this.#parked.map(({ session }) => session.pid));
    if (!isDeadlock(statement.session.pid, waiting)) return;
    this.deadlocks++;
    await this.#cancel(statement, { code: '40P01', message: 'deadlock detected' });
  }

  async #cancel(statement: Statement, failAs: NonNullable<Statement['failAs']>): Promise<void> {
    if (!this.#parked.includes(statement)) return;
    this.#parked.splice(this.#parked.indexOf(statement), 1);
    this.#locks.cancel(statement.session.pid);
    await statement.finished;
    if (statement.outcome?.error) statement.failAs = failAs;
    await this.#ended(statement);
    this.#answer(statement);
  }

  /** Finds those among the waiting that wait no more, and lets one after the other go on until it has ended or waits again. */
  async #lookAgain(): Promise<void> {
    while (this.#parked.length > 0) {
      const waiting = await this.#locks.waiting(this.#parked.map(({ session }) => session.pid));
      const freed = this.#parked.filter(({ session }) => !waiting.has(session.pid));
      if (freed.length === 0) return;
      this.#parked = this.#parked.filter((statement) => !freed.includes(statement));
      for (const statement of freed) {
        this.#locks.goOn(statement.session.pid);
        await this.#untilDoneOrWaiting(statement);
        if (statement.outcome) continue;
        this.#parked.push(statement);
        this.#locks.stop(statement.session.pid);
      }
      for (const statement of freed.filter(({ outcome }) => outcome)) {
        await this.#ended(statement);
        this.#answer(statement);
      }
    }
  }

  #answer(statement: Statement): void {
    const { outcome, on, answer, failAs, session } = statement;
    if (!outcome || !session.owner.alive) return;
    const error = outcome.error && failAs ? Object.assign(outcome.error, failAs) : outcome.error;
    this.#scheduler.note(
      `${on.owner.name} gets ${error ? ((error as { code?: string }).code ?? 'an error') : (outcome.result?.rowCount ?? 'all')}`,
    );
    onMachine(on, () => answer(error, outcome.result));
  }
}

function secondsOf(ms: number): string {
  return (ms / 1000).toFixed(3);
}

/** Rows of seals name transactions of the server, whose numbers differ from run to run. */
const OF_THE_SERVER = /_seals/;

/** Beginnings of the statements of the service by text: they are few, and each occurs thousands of times. */
const beginnings = new Map<string, string>();

function beginningOf(text: string): string {
  const known = beginnings.get(text) ?? text.replace(/\s+/g, ' ').trim().slice(0, 160);
  beginnings.set(text, known);
  return known;
}

function labelOf({ text, values }: Wish): string {
  const short = beginningOf(text);
  return OF_THE_SERVER.test(text) ? short : `${short} ${values.map(shown).join(' ')}`;
}

function shown(value: unknown): string {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  if (typeof value === 'object' && value !== null) {
    return JSON.stringify(value, (_, inner) => (typeof inner === 'bigint' ? String(inner) : inner));
  }
  return String(value);
}
