import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DatabaseUnavailable } from '../../src/kit/database-unavailable.ts';
import { createLog } from '../../src/kit/log.ts';
import { Circuit, CircuitOpen } from '../../src/platform/db/circuit.ts';
import { until } from '../setup/api.ts';

const log = createLog({ level: 'silent', format: 'json' });
const down = () => Promise.reject(new DatabaseUnavailable(new Error('down')));
const unused = () => assert.fail('nothing came late');

function run<T>(circuit: Circuit, connect: () => Promise<T>, unused: (late: T) => void): Promise<T> {
  return new Promise((resolve, reject) =>
    circuit.run(
      (done) => connect().then((made) => done(undefined, made), done),
      unused,
      (error, made) => (error ? reject(error) : resolve(made as T)),
    ),
  );
}

/** A circuit that five failures have opened. */
async function opened(trial: () => Promise<void>): Promise<Circuit> {
  const circuit = new Circuit('test', trial, log);
  for (let i = 0; i < 5; i++) {
    assert.equal(circuit.state, 'closed');
    await assert.rejects(run(circuit, down, unused), /down/);
  }
  assert.notEqual(circuit.state, 'closed');
  return circuit;
}

test('five failures in a row open the circuit, and callers are then rejected without a try', async () => {
  const circuit = await opened(down);
  await assert.rejects(
    run(circuit, () => assert.fail('it is not tried'), unused),
    CircuitOpen,
  );
  circuit.close();
});

test('a success in between starts the count again, and errors that are no unavailability do not count', async () => {
  const circuit = new Circuit('test', down, log);
  for (let i = 0; i < 20; i++) {
    await assert.rejects(run(circuit, down, unused));
    if (i % 4 === 3) assert.equal(await run(circuit, async () => 1, unused), 1);
    await assert.rejects(run(circuit, () => Promise.reject(new Error('wrong password')), unused));
  }
  assert.equal(circuit.state, 'closed');
  circuit.close();
});

test('those that wait when it opens are rejected at once, and a connection that comes later is given back', async () => {
  const circuit = new Circuit('test', down, log);
  const late = Promise.withResolvers<string>();
  const back: string[] = [];
  const waiting = run(
    circuit,
    () => late.promise,
    (made) => back.push(made),
  );
  const rejected = assert.rejects(waiting, CircuitOpen);
  for (let i = 0; i < 5; i++) await assert.rejects(run(circuit, down, unused));
  await rejected;
  late.resolve('connection');
  await until(
    async () => back,
    (given) => given.length === 1,
  );
  circuit.close();
});

test('it makes one trial at a time, lets nobody pass meanwhile, and closes with the first that succeeds', async () => {
  let [running, most, trials] = [0, 0, 0];
  const circuit = await opened(async () => {
    most = Math.max(most, ++running);
    trials += 1;
    assert.equal(circuit.state, 'half-open');
    await assert.rejects(
      run(circuit, async () => 1, unused),
      CircuitOpen,
    );
    running -= 1;
    if (trials < 3) await down();
  });
  await until(
    async () => circuit.state,
    (state) => state === 'closed',
  );
  assert.deepEqual([most, trials], [1, 3]);
  assert.equal(await run(circuit, async () => 1, unused), 1);
  circuit.close();
});
