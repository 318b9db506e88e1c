import fs from 'node:fs';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildDocument, templateOf } from '../../src/edge/openapi/document.ts';
import type { Document, Method } from '../../src/edge/openapi/types.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import type { Deps } from '../../src/program/deps.ts';
import { allRoutes } from '../../src/program/program.ts';
import { systemClock } from '../../src/kit/clock.ts';

/** What docs/openapi.json says about the routes, without a service: it is quick, and needs no database. */
const known = JSON.parse(fs.readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as Document;
const routes = allRoutes({ clock: systemClock, config: readConfig({}) } as unknown as Deps);
const built = JSON.parse(JSON.stringify(buildDocument(routes, 'http://127.0.0.1:8080'))) as Document;

for (const { method, path } of routes) {
  test(`${method} ${path} is in docs/openapi.json, word for word`, () => {
    const place = ({ paths }: Document) => paths[templateOf(path)]?.[method.toLowerCase() as Method];
    assert.deepEqual(place(built), place(known));
  });
}
