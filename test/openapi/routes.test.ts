import { after, before, test } from 'node:test';
import { buildDocument } from '../../src/edge/openapi/document.ts';
import { allRoutes } from '../../src/program/program.ts';
import { type Api, startApi } from '../setup/api.ts';
import { compareFile } from '../setup/golden.ts';

// In a file of its own: mutation testing runs it on the routes of the rooms of money (scripts/mutants/rooms.ts).
let api: Api;
before(async () => {
  api = await startApi({ workers: false });
});
after(() => api.stop());

test('docs/openapi.json matches the routes', () => {
  const document = buildDocument(allRoutes(api.deps), 'http://127.0.0.1:8080');
  compareFile('docs/openapi.json', `${JSON.stringify(document, null, 2)}\n`);
});
