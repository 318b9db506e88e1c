import type pg from 'pg';
import { type Callback, type Connecting, type Doorkeeper, loseConnection, verbOf, type Wish } from './driver.ts';
import { labelOf } from './labels.ts';
import { isDeadlock, type Locks } from './locks.ts';
import type { Owner, Scheduler } from './scheduler.ts';
import { type Server, Servers } from './servers.ts';
import { onMachine, realClearTimeout, realTimeout } from './virtual.ts';

/** A statement without an answer after this time may be waiting for a lock: only then the server is asked. */
const SLOW_MS = 4;
/** Deadline of a statement on virtual time, as src/platform/db/pool.ts sets it on the server. */
const STATEMENT_MS = 15_000;
/** Message of the driver for a statement after the end of its connection. */
const NOT_QUERYABLE = 'Client has encountered a connection error and is not queryable';

/** What the gate knows of a connection of a node. */
interface Session {
  owner: Owner;
  /** The statement that has been sent and not answered. */
  running: Statement | null;
  /** Statements that were given before that one had ended, in the order in which the server gets them. */
  next: Statement[];
  inTransaction: boolean;
  /** What serves it; null outside of a transaction. */
  server: Server | null;
  /** The server has ended it. */
  lost: boolean;
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
  readonly #servers = new Servers();
  readonly #sessions = new Map<pg.Client, Session>();
  #parked: Statement[] = [];
  /** Transactions, and statements outside of them. One alone waits for no lock. */
  #served = 0;
  /** Called after each commit, also that of a single statement. Returns whether the connection ends before the answer. */
  losesCommit: () => boolean = () => false;
  statements = 0;
  waits = 0;
  deadlocks = 0;

  constructor(scheduler: Scheduler, locks: Locks) {
    this.#scheduler = scheduler;
    this.#locks = locks;
  }

  connect({ client, on, answer }: Connecting): void {
    const resume = () => {
      this.#sessions.set(client, { owner: on.owner, running: null, next: [], inTransaction: false, server: null, lost: false });
      onMachine(on, answer);
    };
    this.#scheduler.add({ owner: on.owner, label: 'connects to a database', resume });
  }

  leave(client: pg.Client): void {
    if (this.#sessions.get(client)?.server) throw new Error('impossible: a connection is closed in a transaction');
    this.#sessions.delete(client);
  }

  /** Closes all connections to the server, when no node is left. */
  close(): Promise<void> {
    return this.#servers.close();
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
    session.next.push(made);
    this.#scheduler.add({
      owner: on.owner,
      label: labelOf(wish),
      ready: () => session.running === null && session.next[0] === made,
      run: () => this.#run(made),
      resume: () => this.#answer(made),
    });
  }

  /** Ends the connections of a node without notifying it. Statements that waited for its locks continue. */
  async crash(owner: Owner): Promise<void> {
    const dead = [...this.#sessions].filter(([, session]) => session.owner === owner);
    for (const [client, session] of dead) {
      client.removeAllListeners();
      this.#sessions.delete(client);
      await this.#abandon(session);
    }
    await this.#lookAgain();
  }

  /** Cuts connections of a node that lives on. @param which those to cut */
  async cut(owner: Owner, which: 'one' | 'in transaction'): Promise<number> {
    const own = [...this.#sessions].filter(([, { owner: of, running }]) => of === owner && running === null);
    const open = own.filter(([, { inTransaction }]) => inTransaction);
    const chosen = which === 'one' && open.length === 0 ? own.slice(0, 1) : open;
    for (const [client, session] of chosen) await this.#lose(client, session);
    await this.#lookAgain();
    return chosen.length;
  }

  /** Ends a connection. Its node notices. */
  async #lose(client: pg.Client, session: Session): Promise<void> {
    this.#sessions.delete(client);
    session.lost = true;
    await this.#abandon(session);
    loseConnection(client);
  }

  /** Does what the server does when a connection is gone: its statement and its transaction end, and their locks are free. */
  async #abandon(session: Session): Promise<void> {
    const { server, running } = session;
    if (!server) return;
    if (running && !running.outcome) {
      this.#parked = this.#parked.filter((statement) => statement !== running);
      running.relax();
      this.#locks.cancel(server.pid);
      await running.finished;
    }
    await server.reset();
    this.#free(session);
  }

  async #serve(session: Session, client: pg.Client): Promise<Server> {
    if (session.server) return session.server;
    this.#served++;
    session.server = await this.#servers.take(client);
    return session.server;
  }

  #free(session: Session): void {
    if (!session.server) return;
    this.#served--;
    this.#servers.give(session.server);
    session.server = null;
  }

  async #run(statement: Statement): Promise<void> {
    const { session, client } = statement;
    session.next.shift();
    if (session.lost) {
      statement.outcome = { error: new Error(NOT_QUERYABLE), result: undefined };
      return;
    }
    this.statements++;
    const server = await this.#serve(session, client);
    session.running = statement;
    server.precede(statement.text, this.#scheduler.now);
    // Also when the statement fails: the service then ends the transaction.
    if (statement.begins) session.inTransaction = true;
    statement.finished = new Promise((resolve) => {
      const done: Callback = (error, result) => {
        statement.outcome = { error, result };
        resolve();
      };
      statement.send(server.client, done);
    });
    await this.#untilDoneOrWaiting(statement, server);
    if (statement.outcome) {
      await this.#loseCommit(statement);
      await this.#ended(statement);
    } else await this.#park(statement, server);
  }

  /** What was committed stays, although its node hears only that the connection is gone. */
  async #loseCommit(statement: Statement): Promise<void> {
    const { text, outcome, client, session } = statement;
    // A statement outside a transaction commits by itself.
    const commits = verbOf(text) === 'commit' || !session.inTransaction;
    if (!commits || outcome?.error || !this.losesCommit()) return;
    await this.#lose(client, session);
    statement.outcome = { error: new Error('Connection terminated unexpectedly'), result: undefined };
  }

  async #untilDoneOrWaiting(statement: Statement, { pid }: Server): Promise<void> {
    if (this.#served === 1) return statement.finished;
    // On a busy machine a statement may take long without waiting for a lock: it is asked for less and less often.
    for (let ms = SLOW_MS; ; ms *= 2) {
      let timer: NodeJS.Timeout | undefined;
      const slow = new Promise<void>((resolve) => {
        timer = realTimeout(resolve, ms);
      });
      await Promise.race([statement.finished, slow]);
      realClearTimeout(timer);
      if (statement.outcome) return;
      if ((await this.#locks.waiting([pid])).size > 0) return;
    }
  }

  /** Books that a statement has ended. Whoever waited for its locks may go on. */
  async #ended(statement: Statement): Promise<void> {
    const { session, text } = statement;
    session.running = null;
    statement.relax();
    const { error } = statement.outcome as NonNullable<Statement['outcome']>;
    const verb = verbOf(text);
    if (error || verb === 'rollback') session.server?.forgetTime();
    if (verb === 'rollback' || verb === 'commit') session.inTransaction = false;
    if (session.inTransaction) return;
    this.#free(session);
    await this.#lookAgain();
  }

  async #park(statement: Statement, { pid }: Server): Promise<void> {
    this.waits++;
    this.#scheduler.note(`${statement.on.owner.name} waits for a lock`);
    this.#parked.push(statement);
    this.#locks.stop(pid);
    statement.relax = this.#scheduler.at(this.#scheduler.now + STATEMENT_MS, null, () => {
      const fail = { code: '57014', message: 'canceling statement due to statement timeout' };
      this.#scheduler.add({
        owner: null,
        label: 'a statement times out',
        run: () => this.#cancel(statement, fail),
        resume: () => {},
      });
    });
    if (!isDeadlock(pid, await this.#locks.waiting(this.#parked.map(pidOf)))) return;
    this.deadlocks++;
    await this.#cancel(statement, { code: '40P01', message: 'deadlock detected' });
  }

  async #cancel(statement: Statement, failAs: NonNullable<Statement['failAs']>): Promise<void> {
    if (!this.#parked.includes(statement)) return;
    this.#parked.splice(this.#parked.indexOf(statement), 1);
    this.#locks.cancel(pidOf(statement));
    await statement.finished;
    if (statement.outcome?.error) statement.failAs = failAs;
    await this.#ended(statement);
    this.#answer(statement);
  }

  /** Finds those among the waiting that wait no more, and lets one after the other go on until it has ended or waits again. */
  async #lookAgain(): Promise<void> {
    while (this.#parked.length > 0) {
      const waiting = await this.#locks.waiting(this.#parked.map(pidOf));
      const freed = this.#parked.filter((statement) => !waiting.has(pidOf(statement)));
      if (freed.length === 0) return;
      this.#parked = this.#parked.filter((statement) => !freed.includes(statement));
      for (const statement of freed) {
        const server = serverOf(statement);
        this.#locks.goOn(server.pid);
        await this.#untilDoneOrWaiting(statement, server);
        if (statement.outcome) continue;
        this.#parked.push(statement);
        this.#locks.stop(server.pid);
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

/** A statement that was sent and has not ended has a server. */
function serverOf({ session }: Statement): Server {
  if (!session.server) throw new Error('impossible: a statement waits without a server');
  return session.server;
}

function pidOf(statement: Statement): number {
  return serverOf(statement).pid;
}
