import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { registerHooks } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileMailer } from '../../src/edge/mail/files.ts';
import { createSender } from '../../src/kit/fetch.ts';
import { loadPackages } from '../../src/program/start/packages.ts';
import { parsePhone } from '../../src/providers/reference/phones.ts';

const MAIL = { id: 'mail', to: 'awa@shop.example', date: new Date(0), subject: 'Votre clé', text: 'Bonjour Awa,\n' };
const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-packages-'));
const server = http.createServer((_, response) => response.end('ok'));
const sender = createSender();
after(async () => {
  fs.rmSync(folder, { recursive: true });
  await sender.close();
  server.close();
});

test('a service that has started opens no file of a package: an upgrade may be replacing them', async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await loadPackages();
  const opened: string[] = [];
  const hooks = registerHooks({
    load(url, context, next) {
      if (url.startsWith('file:')) opened.push(url);
      return next(url, context);
    },
  });
  assert.equal(parsePhone('650000000', 'CM')?.e164, '+237650000000');
  const request = { method: 'GET', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers: {} } as const;
  const { kind } = await sender.send({ ...request, guard: 'none', timeout_ms: 60_000, max_bytes: 100 });
  assert.equal(kind, 'answered');
  assert.deepEqual(await fileMailer(folder, 'Pirogue <pirogue@localhost>').send(MAIL), { kind: 'sent' });
  hooks.deregister();
  assert.deepEqual(opened, []);
});
