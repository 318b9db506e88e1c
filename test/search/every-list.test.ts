import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId } from '../../src/kit/ids.ts';
import { createLog } from '../../src/kit/log.ts';
import { fixed, part, sql } from '../../src/kit/sql.ts';
import { type DbPool, openPool } from '../../src/platform/db/pool.ts';
import { searchSweep } from '../../src/platform/search/sweep.ts';
import { SEARCHABLES } from '../../src/program/searchables.ts';
import { type Api, startApi } from '../setup/api.ts';
import { OPTIONS } from './fixture.ts';
import { type Kind, kindsOf, type Row, type Texts } from './kinds.ts';
import { Killed, killedAt } from './killed.ts';
import { Random } from './random.ts';

/*
 * Customers, invoices, links, beneficiaries and transfers are searched exactly while their index is built, also by workers that are
 * killed, and while rows are inserted, changed and deleted. SEARCH_SEED repeats a run, SEARCH_STEPS makes it longer.
 */
const SEED = Number(process.env.SEARCH_SEED ?? Math.floor(Math.random() * 1e9));
const STEPS = Number(process.env.SEARCH_STEPS ?? 24);
const DAY_MS = 86_400_000;
const BUILD_LIMIT_MS = 120_000;

let api: Api;
let owner: DbPool;
let team: bigint;
let kinds: readonly Kind[];
const random = new Random(SEED);
before(async () => {
  api = await startApi({ workers: false });
  owner = openPool({ url: api.databases.live, size: 2, log: createLog({ level: 'silent', format: 'json' }) });
  team = api.team.id;
  kinds = kindsOf(owner, team);
});
after(async () => {
  await owner.close();
  await api.stop();
});

const kindOf = (name: string) => kinds.find(({ kind }) => kind === name) as Kind;

class World {
  readonly kind: Kind;
  rows: Row[] = [];
  #at = Date.now() - DAY_MS;

  constructor(kind: Kind) {
    this.kind = kind;
  }

  get #store() {
    return api.deps.stores.live;
  }

  #later(): number {
    this.#at += random.int(40);
    return this.#at;
  }

  #texts(): Texts {
    return Object.fromEntries(this.kind.texts.map((column) => [column, random.text()]));
  }

  #row(at: number): Row {
    return {
      id: newId(this.kind.prefix, 'live', at),
      texts: this.#texts(),
      filtered: random.pick(this.kind.filter?.values ?? ['']),
    };
  }

  async change(): Promise<void> {
    const { db } = this.#store.of(team);
    const choice = random.int(8);
    if (choice < 4 || this.rows.length < 100) {
      // Some are inserted late: between others.
      const late = choice === 3 ? random.int(20_000) : 0;
      const rows = Array.from({ length: 1 + random.int(60) }, () => this.#row(this.#later() - late));
      await this.kind.insert(db, rows);
      this.rows.push(...rows);
    } else if (choice < 7) {
      for (const row of new Set(Array.from({ length: 1 + random.int(4) }, () => random.pick(this.rows)))) {
        const changed = { ...row, texts: this.#texts() };
        if (this.kind.kind === 'customers') Object.assign(changed.texts, { email: row.texts.email, phone: row.texts.phone });
        await this.kind.update(db, changed);
        row.texts = changed.texts;
      }
    } else {
      const row = random.pick(this.rows);
      await this.kind.remove(row);
      this.rows.splice(this.rows.indexOf(row), 1);
    }
  }

  /** A step of a worker, which is killed now and then, after the lease of those before has ended. */
  async round({ kills = true, settled_ms = OPTIONS.settled_ms } = {}): Promise<void> {
    const { kind } = this.kind;
    await owner.run(sql`
      insert into search_builds (team_id, kind, due_at) values (${team}, ${kind}, now())
      on conflict (team_id, kind) do update set due_at = now() - interval '1 minute', leased_until = null`);
    const store = kills && random.int(3) === 0 ? killedAt(this.#store, random.int(30)) : this.#store;
    const searchables = SEARCHABLES.filter((one) => one.kind === kind);
    await searchSweep(store, searchables, { ...OPTIONS, settled_ms })
      .round()
      .catch((error: unknown) => {
        if (!(error instanceof Killed)) throw error;
      });
  }

  /** Builds until nothing is left to build. */
  async build(settled_ms = OPTIONS.settled_ms): Promise<void> {
    const deadline = performance.now() + BUILD_LIMIT_MS;
    const { kind } = this.kind;
    const listed = kind === 'customers' ? part`archived_at is null` : part`true`;
    for (;;) {
      const left = await owner.all(sql`
        select 1 from search_changed where team_id = ${team} and kind = ${kind}
        union all
        (select 1 from ${fixed(kind)} where team_id = ${team} and ${listed} and id > coalesce((
          select max(last_id) from search_segments where team_id = ${team} and kind = ${kind}), '') offset ${OPTIONS.segment_rows - 1} limit 1)`);
      if (left.length === 0) return;
      if (performance.now() > deadline) throw new Error(`not built: ${kind}, seed ${SEED}`);
      await this.round({ kills: false, settled_ms });
    }
  }

  #query(): string {
    const row = this.rows.length > 0 && random.int(4) > 0 ? random.pick(this.rows) : undefined;
    return random.partOf(row ? [row.id, ...Object.values(row.texts).filter((one) => one !== null)] : []);
  }

  async check(): Promise<void> {
    const { kind, filter } = this.kind;
    const search = this.#query();
    const value = filter && random.int(3) === 0 ? random.pick(filter.values) : undefined;
    const condition = value === undefined ? part`true` : part`${fixed(filter?.column ?? '')} = ${value}`;
    const per_page = random.pick([1, 3, 25, 100]);
    const filters = value === undefined ? {} : { [filter?.name ?? '']: String(value) };
    const said = `seed ${SEED}: ${kind} ${JSON.stringify({ search, per_page, ...filters })}`;
    const wanted = await this.kind.expected(this.rows, search, condition);
    const pages = Math.max(1, Math.ceil(wanted.length / per_page));
    for (const page of new Set([1, 1 + random.int(pages), pages + 1])) {
      const { ids, meta } = await this.#page({ search, per_page: String(per_page), ...filters, page: String(page) });
      assert.deepEqual(ids, wanted.slice((page - 1) * per_page, page * per_page), `page ${page}, ${said}`);
      assert.equal(meta.total, wanted.length, `total, ${said}`);
    }
    let cursor = '';
    for (let at = 0; at < Math.min(wanted.length, per_page * 4); at += per_page) {
      const { ids, meta } = await this.#page({ search, per_page: String(per_page), ...filters, cursor });
      assert.deepEqual(ids, wanted.slice(at, at + per_page), `cursor page from ${at}, ${said}`);
      cursor = meta.next_cursor;
    }
  }

  async #page(query: Record<string, string>) {
    const { status, body } = await api.call('GET', `/${this.kind.kind}?${new URLSearchParams(query)}`, {
      key: api.keys.live.secret,
    });
    assert.equal(status, 200, `${JSON.stringify(query)}: ${JSON.stringify(body)}`);
    return { ids: body.items.map(({ id }: { id: string }) => id), meta: body.meta };
  }
}

for (const name of ['beneficiaries', 'customers', 'invoices', 'links', 'transfers']) {
  test(`searches of ${name} are exact while rows and their index change (seed ${SEED})`, async () => {
    const world = new World(kindOf(name));
    for (let step = 0; step < STEPS; step++) {
      const rounds = () => Array.from({ length: random.int(4) }, () => world.round());
      await Promise.all([...rounds(), world.change()]);
      await Promise.all([...rounds(), world.check(), world.check()]);
      await world.check();
      if (random.int(8) === 0) await world.build();
    }
    await world.build();
    // Few segments can have become one.
    const [built] = await owner.all<{ rows: number }>(sql`
      select sum(row_count)::integer as rows from search_segments where team_id = ${team} and kind = ${name}`);
    assert.ok((built?.rows ?? 0) >= OPTIONS.segment_rows, `rows were indexed: ${JSON.stringify(built)}, seed ${SEED}`);
    for (let i = 0; i < 20; i++) await world.check();
  });
}

test('after the erasure of a customer the index has no list that only their name explains', async () => {
  const customers = kindOf('customers');
  const world = new World(customers);
  const key = api.keys.live.secret;
  const made = await api.call('POST', '/customers', { key, body: { name: 'Guy-Xavier Bop', email: 'guy@shop.example' } });
  const { id } = made.body.customer;
  const later = Array.from({ length: OPTIONS.segment_rows }, (_, i) => ({
    ...{ id: newId('cus', 'live', Date.now() + 10 + i), texts: { name: 'Awa' }, filtered: false },
  }));
  await customers.insert(api.deps.stores.live.of(team).db, later);
  await world.build(0);
  const lists = () =>
    owner.all(sql`
      select 1 from search_postings where team_id = ${team} and kind = 'customers' and bucket = 'y-' and strpos(thirds, 'x') > 0`);
  const search = async () => (await api.call('GET', '/customers?search=guy-xav', { key })).body.items.length;
  assert.deepEqual([(await lists()).length, await search()], [1, 1]);
  assert.equal((await api.call('DELETE', `/customers/${id}`, { key })).status, 200);
  assert.equal(await search(), 0);
  await world.build(0);
  assert.deepEqual([(await lists()).length, await search()], [0, 0]);
});

test('a search for an accent alone finds every customer, as accents are ignored', async () => {
  await new World(kindOf('customers')).build(0);
  const total = async (search: string) =>
    (await api.call('GET', `/customers?${new URLSearchParams({ search })}`, { key: api.keys.live.secret })).body.meta.total;
  assert.ok((await total('')) > OPTIONS.segment_rows);
  assert.equal(await total('\u0301'), await total(''));
});

test('a segment that changes all the time keeps neither new rows nor other segments waiting', async () => {
  const links = kindOf('links');
  const world = new World(links);
  const { db } = api.deps.stores.live.of(team);
  await world.build();
  const first = await owner.maybe<{ id: string }>(sql`select id from links where team_id = ${team} order by id limit 1`);
  const before = await owner.maybe<{ last_id: string }>(sql`
    select max(last_id) as last_id from search_segments where team_id = ${team} and kind = 'links'`);
  const last = await owner.maybe<{ id: string }>(sql`
    select max(id) as id from links where team_id = ${team} and id <= ${before?.last_id}`);
  const change = (id: string | undefined) =>
    db.run(sql`update links set title = title || '.' where team_id = ${team} and id = ${id}`);
  await change(last?.id);
  const rows = Array.from({ length: OPTIONS.segment_rows }, (_, i) => ({
    ...{ id: newId('lnk', 'live', Date.now() - 3_600_000 + i), texts: { title: 'new' }, filtered: 'active' },
  }));
  await links.insert(db, rows);
  const deadline = performance.now() + BUILD_LIMIT_MS;
  for (;;) {
    await change(first?.id);
    await world.round({ kills: false });
    const now = await owner.maybe<{ last_id: string; changed: string[] }>(sql`
      select max(last_id) as last_id, array(select id from search_changed where team_id = ${team} and kind = 'links') as changed
      from search_segments where team_id = ${team} and kind = 'links'`);
    if (now && now.last_id > (before?.last_id as string) && !now.changed.includes(last?.id as string)) break;
    assert.ok(performance.now() < deadline, JSON.stringify({ before, now, last }));
  }
});
