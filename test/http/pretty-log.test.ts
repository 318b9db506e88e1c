import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { after, test } from 'node:test';
import { newFolder, type Program, startProgram } from '../ops/program.ts';
import { until } from '../setup/api.ts';
import { cloneDatabases } from '../setup/databases.ts';

const dataDir = newFolder();
const databases = await cloneDatabases();
const program: Program = await startProgram({ dataDir, databases, env: { LOG_FORMAT: 'pretty' } });
// The line of the probe that found it ready is written after its answer.
await until(
  async () => program.log(),
  (log) => /\/health\/ready 200 .*\n$/.test(log),
);
after(async () => {
  await program.stop();
  await databases.drop();
  fs.rmSync(dataDir, { recursive: true });
});

/** Returns the log lines of a request, and those beside them until its own was written. */
async function linesOf(id: string, method: string, route: string, body?: unknown, key = program.keys.sandbox.secret) {
  const from = program.log().length;
  const response = await fetch(program.url + route, {
    method,
    headers: { authorization: key, 'x-request-id': id },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  await response.text();
  const text = await until(
    async () => program.log().slice(from),
    (log) => log.includes(id) && log.endsWith('\n'),
  );
  return text.trimEnd().split('\n');
}

const ORDER = { amount: 500, currency: 'XAF', phone: '+237650000000' };
const TIME = String.raw`\[\d\d:\d\d:\d\d\]`;

test('a request is one line: method, path, status, milliseconds, request id', async () => {
  const lines = await linesOf('req-one', 'POST', '/payments', ORDER);
  assert.equal(lines.length, 1, lines.join('\n'));
  assert.match(lines[0] as string, new RegExp(`^${TIME} INFO: POST /payments 201 [\\d.]+ ms req-one$`));
});

test('a rejected request shows the code of its error, if it has one', async () => {
  const [without] = await linesOf('req-two', 'PUT', '/payments');
  assert.match(without as string, / INFO: PUT \/payments 405 [\d.]+ ms req-two$/);
  const cards = await linesOf('req-three', 'POST', '/payments', { ...ORDER, metadata: { note: '4242424242424242' } });
  assert.equal(cards.length, 1, cards.join('\n'));
  assert.match(cards[0] as string, / INFO: POST \/payments 422 [\d.]+ ms raw_card_data_not_accepted req-three$/);
});

test('neither query values, keys, card numbers nor control sequences reach the line', async () => {
  const { secret } = program.keys.sandbox;
  const route = `/payments/%1b%5B2J%0aINFO:%20forged/${secret}/4242424242424242?search=canary&key=${secret}`;
  const lines = await linesOf('req-four', 'GET', route);
  assert.equal(lines.length, 1, lines.join('\n'));
  const line = lines[0] as string;
  assert.match(line, / INFO: GET \/payments\/.* 404 [\d.]+ ms req-four$/);
  for (const hidden of [secret, '4242424242424242', 'canary', '\u001b']) assert.ok(!line.includes(hidden), line);
  const page = await linesOf('req-five', 'GET', `/pay/${'t'.repeat(40)}?go=canary`);
  assert.match(page.at(-1) as string, / GET \/pay\/\[token\] 404 /);
});

test('what may be a person where an id belongs never reaches the line; ids and codes do', async () => {
  for (const [route, path] of [
    ['/customers/awa%40payer.example', '/customers/…'],
    ['/customers/%2B237650000067', '/customers/…'],
    ['/customers/awa-ngo', '/customers/…'],
    ['/custommers/awa@payer.example', '/custommers/…'],
    ['/custommers/237650000067/x', '/custommers/…/…'],
    ['/customer/650-44-33-11', '/customer/…'],
    ['/customers/awa-ngokobi/', '/customers/…/'],
    ['/payments/trx_test_01m8hcfamt1q1tzkrkfcs4by2h', '/payments/trx_test_01m8hcfamt1q1tzkrkfcs4by2h'],
    ['/channels/CM', '/channels/CM'],
  ] as const) {
    const line = (await linesOf(`req-person-${path.length}`, 'GET', route)).at(-1) as string;
    assert.ok(line.includes(` GET ${path} `), line);
  }
});

test('the secret in the address of a page never reaches the line, however the address is written', async () => {
  const secret = 'Zq7'.repeat(14);
  const { host } = new URL(program.url);
  for (const address of [
    `/pay/${secret}`,
    `/pay/${secret}/bogus`,
    `/%70ay/${secret}`,
    `/pay/${secret.replace('Z', '%5A')}/status`,
    `/pay/x%2F${secret}`,
    `http://${host}/pay/${secret}`,
    `/invoice/${secret}`,
    `/onboarding/${secret}`,
    `/onboarding/${secret}/bogus`,
    `/console/link/${secret}`,
    `/_callbacks/pac_1/att_1/${secret}`,
  ]) {
    const line = await lineOf(address);
    assert.match(line, / GET \/(pay|invoice|onboarding|console|_callbacks)\/.* 40[14] /, address);
    assert.ok(!line.includes('Zq7Zq7'), line);
  }
});

/** Returns the log line of a GET whose target is sent as it is given. */
async function lineOf(target: string): Promise<string> {
  const from = program.log().length;
  const id = `req-${from}`;
  const { hostname, port } = new URL(program.url);
  await new Promise((resolve, reject) => {
    const headers = { 'x-request-id': id };
    const sent = http.request({ hostname, port, path: target, headers, agent: false }, (response) => {
      response.resume().once('end', resolve);
    });
    sent.once('error', reject).end();
  });
  const lines = await until(
    async () => program.log().slice(from).split('\n'),
    (all) => all.slice(0, -1).some((line) => line.endsWith(` ${id}`)),
  );
  return lines.find((line) => line.endsWith(` ${id}`)) ?? '';
}

test('other messages are one line each', () => {
  assert.match(program.log(), new RegExp(`^${TIME} INFO: started \\{.*"role":"all".*\\}$`, 'm'));
});
