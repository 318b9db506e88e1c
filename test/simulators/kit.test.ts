import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { Book, type Draft } from '../../simulators/kit/book.ts';
import { type Fault, Faults, type Profile } from '../../simulators/kit/faults.ts';
import { minorOf } from '../../simulators/kit/outcomes.ts';
import { startSimulator } from '../../simulators/kit/simulator.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { pawapaySimulator } from '../../simulators/pawapay/index.ts';

const DRAFT: Draft = {
  ...{ kind: 'collect', key: 'a', amount_minor: 500n, currency: 'XAF', msisdn: '237653111222' },
  ...{ of: null, callback_url: null, wire: {} },
};

function drawn(seed: number, profile: Profile): Fault[] {
  const faults = new Faults({ seed, profile });
  return Array.from({ length: 200 }, () => faults.next('create', []));
}

test('the same seed injects the same faults, another seed injects others', () => {
  assert.deepEqual(drawn(7, 'stormy'), drawn(7, 'stormy'));
  assert.notDeepEqual(drawn(7, 'stormy'), drawn(8, 'stormy'));
});

test('the calm profile injects no faults, the storm profile some, and an outage fails every call', () => {
  const share = (profile: Profile) => drawn(1, profile).filter((fault) => fault !== 'none').length / 200;
  assert.equal(share('calm'), 0);
  assert.ok(share('stormy') > 0.2 && share('stormy') < 0.6);
  assert.equal(share('down'), 1);
  assert.ok(
    drawn(1, 'down').every((fault) => !fault.endsWith('_created')),
    'what is down creates nothing',
  );
});

test('a scripted fault applies to the named call as often as specified, and does not affect other reads', () => {
  const faults = new Faults();
  faults.script({ fault: 'stuck', name: 'a', times: 2 });
  faults.script({ fault: 'throttled', doing: 'read' });
  assert.equal(faults.next('create', ['b']), 'none');
  assert.equal(faults.next('create', ['x', 'a']), 'stuck');
  assert.equal(faults.next('read', ['a']), 'throttled');
  assert.equal(faults.next('create', ['a']), 'stuck');
  assert.equal(faults.next('create', ['a']), 'none');
  assert.deepEqual(faults.unmet(), []);
});

test('the book records payments that were created twice and moved once', () => {
  const book = new Book();
  const [first, second] = [book.add(DRAFT), book.add(DRAFT)];
  book.settle(first, 'succeeded', null);
  book.settle(first, 'failed', 'LATE');
  book.settle(second, 'failed', 'REASON');
  assert.equal(book.created('a').length, 2);
  assert.deepEqual([first.state, first.word, second.word], ['succeeded', null, 'REASON']);
  assert.deepEqual(book.moved(), [{ kind: 'collect', currency: 'XAF', amount_minor: 500n, count: 1 }]);
});

test('amounts on the wire are plain decimal strings', () => {
  assert.deepEqual(['5', '5.5', '5.50', '0.05', '0'].map(minorOf), [500n, 550n, 550n, 5n, 0n]);
  assert.deepEqual(['05', '.5', '5.', '5.005', '-5', '1e3', 5, null, ''].map(minorOf), Array(9).fill(null));
});

for (const prefix of ['_simulator', '_twin']) {
  test(`another process controls a simulator over HTTP at /${prefix}/: faults, book, outage, recovery`, async () => {
    const simulator = await startSimulator(pawapaySimulator, { delay_ms: 5 });
    const call = async (path: string, body?: object) => {
      const init = body ? { method: 'POST', body: JSON.stringify(body) } : {};
      const answer = await fetch(`${simulator.url}/${prefix}/${path}`, init);
      // biome-ignore lint/suspicious/noExplicitAny: a control page answers in shapes of its own
      return { status: answer.status, body: (await answer.json()) as any };
    };
    try {
      assert.equal((await call('faults', { profile: 'stormy' })).body.profile, 'stormy');
      assert.equal((await call('faults', { profile: 'sunny' })).status, 422);
      assert.equal((await call('faults', { fault: 'nonsense' })).status, 422);
      assert.equal((await call('faults', { fault: 'stuck', name: 'a' })).status, 200);
      assert.equal(simulator.faults.unmet()[0]?.name, 'a');
      simulator.book.settle(simulator.book.add(DRAFT), 'succeeded', null);
      const book = (await call('book')).body;
      assert.deepEqual([book.entries[0].amount_minor, book.moved[0].amount_minor], ['500', '500']);
      assert.equal((await call('recover', {})).body.profile, 'calm');
      assert.deepEqual(simulator.faults.unmet(), []);
      assert.equal((await call('outage', { ms: 1_000 })).status, 200);
      await assert.rejects(async () => {
        for (let tries = 0; tries < 200; tries++) await sleep(5).then(() => call('faults'));
      });
      for (let tries = 0; tries < 200; tries++) if (await sleep(20).then(() => call('faults').catch(() => null))) break;
      assert.equal((await call('faults')).status, 200);
    } finally {
      await simulator.stop();
    }
  });
}

test('npm run twins starts every simulator, prints how to use it, and ends on Ctrl-C', async () => {
  const main = fileURLToPath(new URL('../../simulators/main.ts', import.meta.url));
  const child = spawn(process.execPath, [main, '--port-base', '0', '--profile', 'stormy'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exit = once(child, 'exit');
  const lines: string[] = [];
  for await (const line of createInterface(child.stdout)) {
    lines.push(line);
    if (line.startsWith('Weather')) break;
  }
  const urls = lines.flatMap((line) => /^[a-z-]+ {2}(http:\S+)$/.exec(line)?.[1] ?? []);
  assert.equal(urls.length, SIMULATORS.length);
  for (const url of urls)
    assert.equal(((await (await fetch(`${url}/_twin/faults`)).json()) as { profile: string }).profile, 'stormy');
  assert.equal(lines.filter((line) => line.includes('providers add')).length, SIMULATORS.length);
  child.kill('SIGINT');
  assert.deepEqual(await exit, [0, null]);
});

test('a stopped simulator leaves nothing that keeps the process alive', async () => {
  const kit = new URL('../../simulators/kit/simulator.ts', import.meta.url).href;
  const kind = new URL('../../simulators/pawapay/index.ts', import.meta.url).href;
  const code = `
    const { startSimulator } = await import('${kit}');
    const { pawapaySimulator } = await import('${kind}');
    const simulator = await startSimulator(pawapaySimulator, { delay_ms: 600_000, slow_ms: 600_000 });
    simulator.faults.script({ fault: 'slow_created' });
    fetch(simulator.url + '/v2/deposits', { method: 'POST' }).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 100));
    await simulator.stop();`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', code], { stdio: 'inherit' });
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
