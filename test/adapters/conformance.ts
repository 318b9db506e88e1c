import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, suite, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import type { Provider, RawCallback } from '../../src/providers/adapters/contract.ts';
import { CREATED, type Fault, FAULTS, PROVIDER_FAULTS, UNCREATED } from '../../simulators/kit/faults.ts';
import type { Simulator } from '../../simulators/kit/simulator.ts';
import { GARBAGE, Mailbox } from './mailbox.ts';
import type { Fixture, Stage, World } from './fixture.ts';
import {
  boundOf,
  callbacks,
  collectionOn,
  endOf,
  type Leg,
  legsOf,
  MAX_MS,
  numberOn,
  payOnPage,
  type Piece,
  type Said,
} from './pieces.ts';
import { checkOutcome } from './unions.ts';

/**
 * What every adapter is held to, the sandbox too. Run in front of a simulator, whose book is the truth that answers are
 * compared with; what a provider has no wire for, or lacks by its capabilities, is left out.
 */
export function runConformance(fixture: Fixture): void {
  suite(`${fixture.name} keeps the contract of providers`, () => {
    const mailbox = new Mailbox();
    let stage: Stage;

    before(async () => {
      callbacks.url = await mailbox.open();
      stage = await fixture.start(`${callbacks.url}/account`);
    });
    after(async () => {
      await stage?.stop();
      await mailbox.close();
    });

    const given = (name: string, run: (stage: Stage) => Promise<void>) => test(name, () => run(stage));
    const inTheWorld = (name: string, run: (stage: Stage, world: World) => Promise<void>) => {
      if (fixture.wire !== false) test(name, () => run(stage, stage.world ?? assert.fail('a wire needs a simulator')));
    };
    /** One test of each way money moves. */
    const everyLeg = (name: string, run: (leg: Leg, stage: Stage) => Promise<void>) =>
      given(name, async (stage) => {
        for (const leg of legsOf(fixture, stage)) await run(leg, stage);
      });

    given('its keys follow from our ids alone, and differ', async ({ provider }) => keysArePure(provider));
    everyLeg('what it takes comes to its end, with exactly our amount and currency', async (leg, stage) => isExact(leg, stage));
    given('the smallest and the largest amount that it offers are taken', async (stage) => takesItsBounds(fixture, stage));
    everyLeg('numbers end as the table says, in the words of the contract', async (leg) => endsAsTold(leg));
    given('a read also says where to pay on what was opened, because its process may have died', async (stage) =>
      saysWhereToPay(fixture, stage),
    );
    everyLeg('something submitted twice under one key moves money once', async (leg, stage) => isIdempotent(leg, stage));

    for (const [title, faults] of [
      ['nothing is created', UNCREATED],
      ['something is created', CREATED],
      ['the provider has its moods', PROVIDER_FAULTS],
    ] as const) {
      inTheWorld(
        `when ${title} and the answer tells or does not: no false word, and a read finds the truth`,
        async (stage, world) => {
          await survives(legsOf(fixture, stage), faults, world.simulator);
        },
      );
    }
    inTheWorld('after a storm all that it says is what the book says', async (stage, { simulator }) => {
      await weathersAStorm(fixture, stage, simulator);
    });
    inTheWorld('when reading fails, it says so and nothing else', async (stage, { simulator }) =>
      readsAreHonest(fixture, stage, simulator),
    );
    inTheWorld('where nobody listens nothing was created, and it says so', async (stage, { simulator }) => {
      await saysUnavailable(fixture, stage, simulator);
    });
    inTheWorld('wrong credentials create nothing, and show nowhere', async (stage, world) => strangers(fixture, stage, world));
    given('balance and lookup answer in their unions, whatever the other side does', async (stage) => asides(fixture, stage));

    inTheWorld('callbacks say what they prove and no more', async (stage, { simulator }) => {
      await callbacksProve(fixture, stage, simulator, mailbox);
    });
    given('garbage at the callback address is no news', async (stage) => garbageIsNoNews(stage));
  });
}

function keysArePure(provider: Provider): void {
  const ids = (['att', 'po', 'rfd'] as const).map((prefix) => newId(prefix, 'live', Date.now()));
  const keys = ids.map((id) => provider.keyOf(id));
  assert.deepEqual(
    ids.map((id) => provider.keyOf(id)),
    keys,
  );
  assert.equal(new Set(keys).size, ids.length);
  for (const key of keys) assert.ok(key.length > 0 && key.length <= 64);
}

async function isExact(leg: Leg, { provider, world }: Stage): Promise<void> {
  const piece = await leg.make();
  const said = await piece.submit();
  assert.ok(['accepted', 'succeeded', 'pending'].includes(said.kind), `${leg.kind}: the submission was ${told(said)}`);
  assert.deepEqual(await endOf(piece, said), { kind: 'succeeded', reason: null });
  const last = await piece.read();
  if (leg.kind !== 'refund') {
    assert.ok(last.kind === 'succeeded' && 'amount_minor' in last);
    assert.deepEqual([last.amount_minor, last.currency], [piece.amount_minor, piece.currency]);
  }
  if (!world) return;
  const entry = world.simulator.book.find(piece.key) ?? assert.fail(`${provider.name} knows the ${leg.kind} by another key`);
  assert.deepEqual([entry.amount_minor, entry.currency, entry.moved], [piece.amount_minor, piece.currency, true]);
  assert.equal(entry.msisdn, digitsOf(piece.number));
}

/** As the core does after a process that died before it could submit: the stored page or account is read. */
async function saysWhereToPay(fixture: Fixture, { provider }: Stage): Promise<void> {
  for (const line of fixture.collect) {
    const collection = collectionOn(provider, line);
    const prepared = await provider.prepare?.(collection);
    if (!prepared) return;
    assert.ok(prepared.kind === 'ready', `${line.channel.id} was ${prepared.kind}`);
    if (prepared.handle === null) continue;
    collection.handle = prepared.handle;
    const reading = await provider.read(collection);
    const said = await provider.submit(collection);
    assert.ok(said.kind === 'accepted', `${line.channel.id}: ${told(said)}`);
    // A prompt only begins with its submission.
    if (said.next.kind === 'confirm') continue;
    assert.ok(reading.kind === 'pending', `${line.channel.id}: ${told(reading)}`);
    assert.deepEqual(reading.next, said.next);
  }
}

async function takesItsBounds(fixture: Fixture, stage: Stage): Promise<void> {
  const bound = (operation: 'collect' | 'payout', edge: 'min_minor' | 'max_minor') =>
    fixture[operation].map((line) => ({ ...line, amount_minor: boundOf(stage.provider, operation, line, edge) }));
  for (const edge of ['min_minor', 'max_minor'] as const) {
    const lines = { collect: bound('collect', edge), payout: bound('payout', edge) };
    for (const leg of legsOf({ ...fixture, ...lines }, stage)) {
      if (leg.kind === 'refund') continue;
      const said = await (await leg.make()).submit();
      const what = `${leg.kind} of ${leg.line.amount_minor} on ${leg.line.channel.id}`;
      assert.ok(['accepted', 'succeeded', 'pending'].includes(said.kind), `${what}: ${told(said)}`);
    }
  }
}

async function endsAsTold(leg: Leg): Promise<void> {
  for (const [digits, end] of Object.entries(leg.ends)) {
    // A whole number belongs to the lines of its country.
    if (digits.startsWith('+') && !leg.line.stem.startsWith(digits.slice(0, 4))) continue;
    const piece = await leg.make(digits);
    assert.deepEqual(await endOf(piece, await piece.submit()), end, `a ${leg.kind} with …${digits}`);
  }
}

async function isIdempotent(leg: Leg, { world }: Stage): Promise<void> {
  const piece = await leg.make();
  if (piece.idempotency === 'none') return;
  await Promise.all([piece.submit(), piece.submit()]);
  await endOf(piece);
  const again = await piece.submit();
  assert.ok(['accepted', 'succeeded', 'pending', 'duplicate', 'unknown'].includes(again.kind), `again: ${told(again)}`);
  assert.equal((await endOf(piece)).kind, 'succeeded');
  if (world) assert.equal(world.simulator.book.created(piece.key).length, 1);
}

/** Submits one piece for each leg and fault, all at once, and compares what was said with the book. */
async function survives(legs: readonly Leg[], faults: readonly Fault[], simulator: Simulator): Promise<void> {
  const tried = await Promise.all(
    legs.flatMap((leg) =>
      faults.map(async (fault) => {
        const piece = await leg.make();
        simulator.faults.script({ fault, name: piece.key });
        const unfunded = fault === 'float_exhausted' && leg.kind !== 'collect';
        return { where: `${leg.kind} on ${leg.line.channel.id}, ${fault}`, piece, unfunded, said: await piece.submit() };
      }),
    ),
  );
  await simulator.idle();
  assert.deepEqual(simulator.faults.unmet(), [], 'every fault has to have happened');
  for (const { where, piece, said } of tried) saysNothingFalse(where, piece, said, simulator);
  simulator.recover();
  await simulator.idle();
  for (const { where, piece, said, unfunded } of tried) {
    await findsTheTruth(where, piece, said, simulator);
    // A failure would end for good what has to be sent again once the float is filled.
    if (unfunded && simulator.book.find(piece.key)?.state === 'failed')
      assert.equal((await piece.read()).kind, 'unfunded', where);
    // It is sent again with the same key. A key that can never be used again is `unfunded`, and the next one is used.
    if (unfunded && said.kind === 'unavailable' && piece.idempotency !== 'none')
      assert.notEqual((await piece.submit()).kind, 'unavailable', `${where}: the float was filled`);
  }
}

/** Only "unavailable" may be believed to have created nothing, and a refusal moves nothing. */
function saysNothingFalse(where: string, piece: Piece, said: Said, simulator: Simulator): void {
  const created = simulator.book.created(piece.key);
  assert.ok(created.length <= 1, `${where}: created ${created.length} times`);
  if (said.kind === 'unavailable') assert.equal(created.length, 0, `${where}: said unavailable, yet it exists (${told(said)})`);
  if (said.kind === 'refused' || said.kind === 'failed' || said.kind === 'cancelled' || said.kind === 'unfunded') {
    assert.ok(
      created.every((entry) => entry.state === 'failed'),
      `${where}: said ${said.kind}, yet it lives (${told(said)})`,
    );
  }
  if (said.kind === 'accepted' || said.kind === 'pending' || said.kind === 'succeeded') {
    assert.equal(created.length, 1, `${where}: said ${said.kind}, yet there is nothing`);
  }
}

/** By our key, or by the number that the answer told. */
function isFindable({ readable_by }: Piece, said: Said): boolean {
  return readable_by === 'ours' || ('provider_ref' in said && said.provider_ref !== null);
}

async function findsTheTruth(where: string, piece: Piece, said: Said, simulator: Simulator): Promise<void> {
  const entry = simulator.book.find(piece.key);
  const read = await piece.read();
  // What failed for want of our own float failed all the same.
  const truth = read.kind === 'unfunded' ? read.kind : entry ? entry.state : 'not_found';
  if (read.kind === 'unfunded') assert.equal(entry?.state, 'failed', where);
  // What cannot be asked for must not look as if it were not there: it would be sent again.
  const honest = isFindable(piece, said) ? [truth] : [truth, ...SILENT];
  assert.ok(honest.includes(read.kind), `${where}: submission ${told(said)}, then ${told(read)}, in truth ${truth}`);
  if (read.kind === 'succeeded' && 'amount_minor' in read) assert.equal(read.amount_minor, piece.amount_minor, where);
  if (piece.idempotency === 'none') return;
  await piece.submit();
  await simulator.idle();
  assert.ok(simulator.book.created(piece.key).length <= 1, `${where}: a second submission created a second one`);
}

/** Pieces of each leg that go through a storm. */
const IN_THE_STORM = 12;

/** The weather decides, the same for the same seed; everyone submits again and reads as if nobody had told them. */
async function weathersAStorm(fixture: Fixture, stage: Stage, simulator: Simulator): Promise<void> {
  const makes = legsOf(fixture, stage).flatMap((leg) => Array.from({ length: IN_THE_STORM }, () => leg.make()));
  const pieces = await Promise.all(makes);
  simulator.faults.setProfile('stormy');
  const refs = await Promise.all(
    pieces.map(async (piece) => {
      const said = await piece.submit();
      if (piece.idempotency !== 'none') await piece.submit();
      await piece.read();
      return said;
    }),
  );
  simulator.recover();
  await simulator.idle();
  for (const [at, piece] of pieces.entries()) {
    const entries = simulator.book.created(piece.key);
    assert.ok(entries.length <= 1, `created ${entries.length} times`);
    if (!isFindable(piece, refs[at] as Said)) continue;
    const { kind } = await piece.read();
    assert.equal(kind === 'unfunded' ? 'failed' : kind, entries[0]?.state ?? 'not_found');
  }
}

const READ_FAULTS: readonly Fault[] = FAULTS.filter(
  (fault) => !['closed', 'float_exhausted', 'lagging', 'stuck'].includes(fault),
);

async function readsAreHonest(fixture: Fixture, stage: Stage, simulator: Simulator): Promise<void> {
  const cases = legsOf(fixture, stage).flatMap((leg) => READ_FAULTS.map((fault) => ({ leg, fault })));
  const pieces = await Promise.all(
    cases.map(async ({ leg }) => {
      const piece = await leg.make();
      await endOf(piece, await piece.submit());
      return piece;
    }),
  );
  // A read that was given up on may still be under way, and would meet the fault instead.
  await simulator.idle();
  await Promise.all(
    cases.map(async ({ leg, fault }, at) => {
      const piece = pieces[at] as Piece;
      simulator.faults.script({ fault, name: piece.key, doing: 'read' });
      const said = await piece.read();
      // A token that has run out may be renewed on the way, and a late answer may come before a busy process gives up.
      const tells = ['token_expired', 'slow_created', 'late_created'].includes(fault);
      const honest = tells ? [...SILENT, 'succeeded'] : SILENT;
      assert.ok(honest.includes(said.kind), `a read of a ${leg.kind} under ${fault} was ${told(said)}`);
      assert.equal((await endOf(piece)).kind, 'succeeded');
    }),
  );
  await simulator.idle();
  assert.deepEqual(simulator.faults.unmet(), [], 'every fault has to have happened');
}

/** What a reading is that tells nothing. */
const SILENT = ['unreadable', 'unknown', 'unavailable'];

/** A collection that never got its handle has not happened: that need not be asked for. */
function silentOf({ prepare }: Provider, { kind }: Leg): string[] {
  return prepare && kind === 'collect' ? [...SILENT, 'not_found'] : SILENT;
}

async function saysUnavailable(fixture: Fixture, stage: Stage, simulator: Simulator): Promise<void> {
  const pieces = await Promise.all(legsOf(fixture, stage).map(async (leg) => ({ leg, piece: await leg.make() })));
  await simulator.closePort();
  try {
    for (const { leg, piece } of pieces) {
      const said = await piece.submit();
      // A socket that was open before may still take the request: then nobody can tell.
      assert.ok(['unavailable', 'unknown'].includes(said.kind), `${leg.kind}: ${told(said)}`);
      assert.equal((await piece.submit()).kind, 'unavailable', `${leg.kind}: nobody listens`);
      assert.ok(silentOf(stage.provider, leg).includes((await piece.read()).kind));
    }
  } finally {
    await simulator.openPort();
  }
}

async function strangers(fixture: Fixture, stage: Stage, { simulator, stranger }: World): Promise<void> {
  for (const leg of legsOf(fixture, stage)) {
    const piece = await leg.make();
    assert.equal((await piece.submit(stranger)).kind, 'unavailable', `${leg.kind} with wrong credentials`);
    assert.deepEqual(simulator.book.created(piece.key), []);
    assert.ok(silentOf(stranger, leg).includes((await piece.read(stranger)).kind));
  }
}

async function asides(fixture: Fixture, stage: Stage): Promise<void> {
  const line = fixture.collect[0] ?? assert.fail('a fixture needs a line to collect on');
  const ask = async (provider: Provider) => {
    const held = await provider.balance?.();
    if (held) checkOutcome('balance', held, stage.secrets);
    const found = await provider.lookup?.(line.channel.id, numberOn(line));
    if (found) checkOutcome('lookup', found, stage.secrets);
    return [held?.kind, found?.kind];
  };
  const { provider, world } = stage;
  assert.deepEqual(await ask(provider), [provider.balance && 'held', provider.lookup && 'found']);
  if (!world) return;
  await ask(world.stranger);
  for (const fault of [...UNCREATED, 'cut_created'] as const) {
    world.simulator.faults.script({ fault, doing: 'other', times: 2 });
    await ask(provider);
    world.simulator.recover();
  }
}

async function callbacksProve(fixture: Fixture, stage: Stage, simulator: Simulator, mailbox: Mailbox): Promise<void> {
  if (fixture.callbacks === 'none') return;
  const { provider } = stage;
  const verify = provider.verifyCallback ?? assert.fail('the fixture says that there are callbacks');
  const judge = (raw: RawCallback) => checkOutcome('callback', verify(raw), stage.secrets);
  const [line] = fixture.collect;
  assert.ok(line);
  const received = async (manner: 'once' | 'wrong_signature' | 'other_amount') => {
    const collection = collectionOn(provider, line);
    simulator.faults.announce(manner, collection.provider_key);
    const prepared = await provider.prepare?.(collection);
    if (prepared?.kind === 'ready') collection.handle = prepared.handle;
    await payOnPage(await provider.submit(collection), collection);
    return { collection, raw: await mailbox.next(collection.provider_key, collection.attempt_id) };
  };

  const right = await received('once');
  // Public keys are fetched when the first signature asks for them: until then it is a wake-up like any other.
  const until = Date.now() + MAX_MS;
  while (fixture.callbacks === 'signed' && judge(right.raw).kind !== 'signed' && Date.now() < until) await sleep(20);
  const callback = judge(right.raw);
  assert.equal(callback.kind, fixture.callbacks === 'signed' ? 'signed' : 'hint');
  if (callback.kind === 'signed') {
    assert.deepEqual(callback.subject, { by: 'provider_key', value: right.collection.provider_key });
    assert.ok(callback.update?.kind === 'succeeded');
    assert.deepEqual([callback.update.amount_minor, callback.update.currency], [line.amount_minor, line.currency]);
    const changed = { ...right.raw, body: Buffer.concat([right.raw.body, Buffer.from(' ')]) };
    assert.equal(judge(changed).kind, 'forged', 'a body that was changed on the way');

    const other = judge((await received('other_amount')).raw);
    assert.ok(other.kind === 'signed' && other.update?.kind === 'succeeded');
    assert.equal(other.update.amount_minor, line.amount_minor + 100n, 'the amount is told as it stands, for the core to judge');
  }
  const wrong = judge((await received('wrong_signature')).raw);
  assert.equal(wrong.kind, fixture.callbacks === 'hint' ? 'hint' : 'forged');
}

async function garbageIsNoNews({ provider, secrets }: Stage): Promise<void> {
  for (const raw of GARBAGE) {
    const callback = provider.verifyCallback?.(raw);
    if (callback) assert.notEqual(checkOutcome('callback', callback, secrets).kind, 'signed', raw.body.toString());
  }
}

function told(said: Said): string {
  return 'message' in said ? `${said.kind} (${said.message})` : said.kind;
}

function digitsOf(number: string): string {
  return number.replace(/\D/g, '');
}
