import assert from 'node:assert/strict';
import fs from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { openPool } from '../../src/platform/db/pool.ts';
import { createLog } from '../../src/kit/log.ts';
import { sql } from '../../src/kit/sql.ts';
import { cloneDatabases } from '../setup/databases.ts';

const root = path.join(import.meta.dirname, '..', '..');

/** What reads another clock than pirogue_now(), as SQL names it. */
const SQL_CLOCKS =
  /(?<![\w.#])(now\(\)(?!\s*[:{])|(clock|statement|transaction)_timestamp\(\)|current_(timestamp|date|time)\b|localtime(stamp)?\b|timeofday\(\))|'(now|today|tomorrow|yesterday)'::|(date|timestamp|timestamptz) '(now|today)/i;
/** What reads the machine's own clock, as JavaScript names it. */
const OWN_CLOCK = /\bDate\.now\b|new Date\(\)|\bDate\(\)|performance\.timeOrigin|\bsystemClock\b/;

/** Files that may, each for a reason that stands there. */
const MAY_READ_SQL_CLOCKS = [
  'src/platform/db/clock.ts',
  'src/program/cli/store.ts',
  // How old a transaction is that PostgreSQL has given a start.
  'src/platform/db/migration-waits.ts',
];
const MAY_READ_OWN_CLOCK = [
  'src/kit/clock.ts',
  // Compare it with the database's.
  'src/platform/db/clock.ts',
  'src/program/cli/doctor/databases.ts',
  // Until a command is connected.
  'src/program/cli/command-clock.ts',
  // Spans, the start of the process and the name of a folder tell people when; nothing decides by them.
  'src/platform/telemetry/tracer.ts',
  'src/edge/metrics/process.ts',
  'src/program/cli/backup/backup.ts',
  'src/program/cli/backup/store.ts',
];
/** Functions of JavaScript that happen to be called so. */
const NO_CLOCKS = ['src/edge/pages/theme/colour.ts'];

/** What runs in a browser or at a receiver has no other clock. */
const ELSEWHERE = /\/assets\/|^src\/edge\/openapi\/page\//;

function files(folder: string, ending: RegExp): string[] {
  return fs
    .readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => path.posix.join(folder, name))
    .filter((name) => ending.test(name) && !ELSEWHERE.test(name));
}

function places(names: readonly string[], pattern: RegExp): string[] {
  return names.flatMap((name) =>
    fs
      .readFileSync(path.join(root, name), 'utf8')
      .split('\n')
      .flatMap((line, i) =>
        pattern.test(line) && !/^\s*(\/?\*|\/\/|--)/.test(line) ? [`${name}:${i + 1}: ${line.trim()}`] : [],
      ),
  );
}

test('SQL of the program reads the time only through pirogue_now()', () => {
  const others = [...MAY_READ_SQL_CLOCKS, ...NO_CLOCKS, 'src/platform/telemetry/tracer.ts'];
  const sources = files('src', /\.ts$/).filter((name) => !others.includes(name));
  assert.deepEqual(places(sources, SQL_CLOCKS), []);
});

test('the program reads the clock of the machine only to compare it, and makes no decision by it', () => {
  const sources = files('src', /\.ts$/).filter((name) => !MAY_READ_OWN_CLOCK.includes(name));
  assert.deepEqual(places(sources, OWN_CLOCK), []);
});

test('migrations written after pirogue_now() use no other clock', () => {
  const since = (folder: string, first: string) => files(folder, /\.sql$/).filter((name) => path.basename(name) > first);
  const later = [...since('migrations/store', '0058_clock.sql'), ...since('migrations/control', '0008_clock.sql')];
  assert.deepEqual(places(later, SQL_CLOCKS), []);
});

test('no default, function, trigger, view or policy of a migrated database uses another clock', async () => {
  const databases = await cloneDatabases();
  const log = createLog({ level: 'silent', format: 'json' });
  const pools = [databases.control, databases.live].map((url) => openPool({ url, size: 1, log }));
  try {
    for (const pool of pools) {
      const texts = await pool.all<{ place: string; text: string }>(sql`
        select 'default of ' || adrelid::regclass || '.' || attname as place, pg_get_expr(adbin, adrelid) as text
        from pg_attrdef join pg_attribute on attrelid = adrelid and attnum = adnum
        union all select 'check ' || conname, pg_get_constraintdef(oid) from pg_constraint where contype = 'c'
        union all select 'function ' || proname, prosrc from pg_proc
        where pronamespace = 'public'::regnamespace and proname <> 'pirogue_now'
          and prolang in (select oid from pg_language where lanname in ('sql', 'plpgsql'))
        union all select 'view ' || viewname, definition from pg_views where schemaname = 'public'
        union all select 'policy ' || policyname, coalesce(qual, '') || coalesce(with_check, '') from pg_policies`);
      assert.ok(texts.some(({ text }) => text.includes('pirogue_now()')));
      const wrong = texts.filter(({ text, place }) => SQL_CLOCKS.test(text) && !place.includes('schema_migrations'));
      assert.deepEqual(wrong, []);
    }
  } finally {
    await Promise.all(pools.map((pool) => pool.close()));
    await databases.drop();
  }
});
