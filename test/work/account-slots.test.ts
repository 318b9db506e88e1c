import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { test } from 'node:test';
import type { Log } from '../../src/kit/log.ts';
import { AccountSlots } from '../../src/platform/work/account-slots.ts';
import { callSweep } from '../../src/platform/work/call-sweep.ts';

const LEASE_MS = 60_000;

interface Row {
  id: number;
  account: string;
}

/** Due rows and the sweep that claims them; a claimed row's lease outlasts the test. */
function sweepOf(due: Row[], step: (row: Row) => Promise<void>) {
  const logged: unknown[] = [];
  const log = { error: (...line: unknown[]) => logged.push(line) } as unknown as Log;
  const sweep = callSweep<Row>(
    {
      name: 'calls',
      environment: 'live',
      idle_ms: 1_000,
      claim: async (limit, skip) => {
        const taken = due.filter(({ account }) => !skip.includes(account)).slice(0, limit);
        for (const row of taken) due.splice(due.indexOf(row), 1);
        return taken;
      },
      accountOf: ({ account }) => account,
      step,
      start_within_ms: LEASE_MS / 2,
      failure: 'a step failed',
    },
    { log },
  );
  return { sweep, logged };
}

const rows = (account: string, count: number): Row[] => Array.from({ length: count }, (_, id) => ({ id, account }));

test('all due rows of a healthy account are worked off without one of them waiting for its lease to end', async (t) => {
  // A machine that halts for five seconds would make the account a slow one.
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const due = rows('healthy', 5_000);
  const done = new Set<number>();
  const { sweep } = sweepOf(due, async ({ id }) => {
    await turn();
    done.add(id);
  });
  for (let round = 0; round < 20_000 && done.size < 5_000; round++) {
    await sweep.begin?.();
    await turn();
  }
  assert.equal(done.size, 5_000);
});

test('an account that does not answer is claimed no further than it can wait for, and the next one is reached', async () => {
  const due = [...rows('dead', 2_000), ...rows('healthy', 1)];
  const hung = Promise.withResolvers<void>();
  let reached = false;
  const { sweep } = sweepOf(due, async ({ account }) => {
    if (account === 'dead') return hung.promise;
    reached = true;
  });
  let rounds = 0;
  while ((await sweep.begin?.()) !== 0) rounds++;
  assert.ok(reached);
  assert.ok(due.length > 1_500, `${2_001 - due.length} rows claimed in ${rounds} rounds`);
  hung.resolve();
  await sweep.end?.();
});

test('accounts with long queues that keep all slots busy take turns with one that comes later', async () => {
  const slots = new AccountSlots();
  const busy: (() => void)[] = [];
  const begin = (account: string, began?: () => void) =>
    slots.add(account, LEASE_MS, () => {
      began?.();
      return new Promise<void>((resolve) => busy.push(resolve));
    });
  for (let account = 0; account < 16; account++) for (let n = 0; n < 100; n++) begin(`busy ${account}`);
  let reached = false;
  begin('late', () => {
    reached = true;
  });
  for (let ended = 0; ended < 20; ended++) {
    busy.shift()?.();
    await turn();
  }
  assert.ok(reached, 'twenty calls have ended, and none of the slots was given on');
  const stopped = slots.stop();
  for (const end of busy) end();
  await stopped;
});

test('calls of accounts that are silent leave slots to the others before they time out', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const slots = new AccountSlots();
  const hung = Promise.withResolvers<void>();
  for (let account = 0; account < 20; account++)
    for (let n = 0; n < 16; n++) slots.add(`dead ${account}`, LEASE_MS, () => hung.promise);
  let reached = false;
  slots.add('healthy', LEASE_MS, async () => {
    reached = true;
  });
  t.mock.timers.tick(5_000);
  await turn();
  assert.ok(reached);
  hung.resolve();
  await slots.stop();
});

test('a step that never ends gives its slot back, says so, and does not keep the sweep from ending', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const { sweep, logged } = sweepOf(rows('hanging', 300), () => new Promise(() => {}));
  await sweep.begin?.();
  for (let minute = 0; minute < 6; minute++) {
    t.mock.timers.tick(60_000);
    await turn();
  }
  assert.ok(logged.length >= 16, `${logged.length} lines`);
  const ended = sweep.end?.();
  for (let minute = 0; minute < 6; minute++) {
    t.mock.timers.tick(60_000);
    await turn();
  }
  await ended;
});

test('the rows of many accounts that are silent do not fill the room in which those of others wait', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const silent = Array.from({ length: 100 }, (_, account) => rows(`dead ${account}`, 200)).flat();
  const due = [...silent, ...rows('healthy', 1)];
  const hung = Promise.withResolvers<void>();
  let reached = false;
  const { sweep } = sweepOf(due, async ({ account }) => {
    if (account !== 'healthy') return hung.promise;
    reached = true;
  });
  for (let seconds = 0; seconds < 20; seconds += 5) {
    while ((await sweep.begin?.()) !== 0);
    t.mock.timers.tick(5_000);
    await turn();
  }
  assert.ok(reached);
  hung.resolve();
  await sweep.end?.();
});

test('an account stays slow when its slow call ends, until a quick one has ended', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const slots = new AccountSlots();
  const calls: (() => void)[] = [];
  const begin = () => slots.add('slow', LEASE_MS, () => new Promise<void>((resolve) => calls.push(resolve)));
  begin();
  t.mock.timers.tick(5_000);
  calls.shift()?.();
  await turn();
  for (let n = 0; n < 16; n++) begin();
  assert.equal(calls.length, 4, 'a slow account has four slots');
  calls.shift()?.();
  await turn();
  assert.ok(calls.length > 4, 'a quick call has ended');
  const stopped = slots.stop();
  for (const end of calls) end();
  await stopped;
});
