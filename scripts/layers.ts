import fs from 'node:fs';
import path from 'node:path';
import { EXCEPTIONS, LAYERS } from '../src/layers.ts';
import { HOLE, literalsIn, tablesIn } from './sql-tables.ts';

/** `node scripts/run.mjs scripts/layers.ts`: checks src against src/layers.ts, and prints each fault on a line. */

const ROOT = path.join(import.meta.dirname, '..');

/** A source file: its room, and what it imports (files and packages). */
interface Source {
  file: string;
  room: string;
  /** Its strings and templates, see {@link literalsIn}. */
  literals: string[];
  imports: string[];
}

/** Position of each room, lowest first. */
const RANKS = new Map(LAYERS.flatMap(({ rooms }) => Object.keys(rooms)).map((room, rank) => [room, rank]));

/** Room that writes each table. */
const OWNERS = new Map(
  LAYERS.flatMap(({ rooms }) => Object.entries(rooms)).flatMap(([room, { writes = [] }]) => writes.map((table) => [table, room])),
);

/** Matches code of the repository outside of src. */
const OUTSIDE = /^(?:bench|scripts|simulators|test)\/|\/.*\.ts$/;

/** Layer of each room. */
const LAYER_OF = new Map(LAYERS.flatMap(({ name, rooms }) => Object.keys(rooms).map((room) => [room, name])));

/** Matches the import and export of a package, type-only ones included, and import(). */
const PACKAGE = /\b(?:from|import)\s*\(?\s*['"`]([^.'"`][^'"`]*)['"`]/g;

/**
 * Returns the faults of the sources against src/layers.ts: unknown rooms, imports of a room that is listed later, tables that a
 * room may not read or write, tables without an owner, and exceptions that nothing needs.
 */
export function layerFaults(sources: readonly Source[] = readSources(), tables: ReadonlySet<string> = readTables()): string[] {
  const used = new Set<string>();
  const faults = sources.flatMap((source) => [...importFaults(source), ...tableFaults(source, tables, used)]);
  const ownerless = [...tables]
    .filter((table) => !OWNERS.has(table))
    .map((table) => `table ${table}: no room in src/layers.ts writes it`);
  const gone = [...OWNERS.keys()]
    .filter((table) => !tables.has(table))
    .map((table) => `src/layers.ts: no migration makes ${table}`);
  const needless = EXCEPTIONS.filter(({ file, table }) => !used.has(`${file} ${table}`)).map(
    ({ file, table }) => `src/layers.ts: ${file} needs no exception for ${table}`,
  );
  return [...faults, ...ownerless, ...gone, ...needless];
}

function importFaults({ file, room, imports }: Source): string[] {
  const own = RANKS.get(room);
  if (own === undefined) return [`${file}: the room ${room} is not in src/layers.ts`];
  const layer = LAYER_OF.get(room);
  if (file !== 'src/main.ts' && !file.startsWith(`src/${layer}/`)) return [`${file}: the room ${room} is in src/${layer}`];
  return imports.flatMap((target) => {
    if (!target.startsWith('src/')) return OUTSIDE.test(target) ? [`${file}: imports ${target}, outside of src`] : [];
    const rank = RANKS.get(roomOf(target));
    return rank !== undefined && rank <= own ? [] : [`${file}: imports ${target}, which is above ${room}`];
  });
}

function tableFaults({ file, room, literals }: Source, tables: ReadonlySet<string>, used: Set<string>): string[] {
  const faults = new Set<string>();
  for (const { table, writes } of literals.flatMap(tablesIn)) {
    const hidden = table === HOLE && writes;
    const owner = OWNERS.get(table);
    if (!hidden && (!tables.has(table) || owner === room || (!writes && rankOf(owner) < rankOf(room)))) continue;
    const excused = EXCEPTIONS.find((exception) => exception.file === file && exception.table === table);
    if (excused) used.add(`${file} ${table}`);
    else if (hidden) faults.add(`${file}: writes a table whose name a fragment hides`);
    else faults.add(`${file}: ${writes ? 'writes' : 'reads'} ${table}, which belongs to ${owner ?? 'no room'}`);
  }
  return [...faults];
}

function rankOf(room: string | undefined): number {
  return (room !== undefined && RANKS.get(room)) || 0;
}

/** Returns the room of a file: the second folder below src, or the layer itself where it has no rooms. */
export function roomOf(file: string): string {
  const [, layer = '', room = '', rest] = file.split('/');
  if (file === 'src/main.ts') return 'start';
  return rest === undefined ? layer : layer === 'kit' ? 'kit' : room;
}

/** Reads all sources of src. */
export function readSources(): Source[] {
  return fs
    .globSync('src/**/*.ts', { cwd: ROOT })
    .filter((file) => file !== 'src/layers.ts')
    .sort()
    .map((file) => sourceOf(file, fs.readFileSync(path.join(ROOT, file), 'utf8')));
}

/**
 * Returns a source with its imports as paths from the root. Every string that is a relative path counts as one: it may be the
 * argument of require(), of new URL() or of new Worker(), or be imported by its variable.
 */
export function sourceOf(file: string, text: string): Source {
  const literals = literalsIn(text);
  const relative = literals.filter((literal) => /^\.\.?\//.test(literal));
  const packages = [...text.matchAll(PACKAGE)].map(([, target = '']) => target);
  const imports = [...relative.map((target) => path.posix.join(path.posix.dirname(file), target)), ...packages];
  return { file, room: roomOf(file), literals, imports };
}

/** Returns the tables that the migrations make. */
export function readTables(): Set<string> {
  const files = fs.globSync('migrations/*/*.sql', { cwd: ROOT });
  const sql = files.map((file) => fs.readFileSync(path.join(ROOT, file), 'utf8')).join('\n');
  return new Set(
    [...sql.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)\b(?!\.)/gi)].map(([, table = '']) => table),
  );
}

/** Draws the layers for ARCHITECTURE.md. An arrow that two others imply is left out. */
export function layerPicture(): string {
  const arrows = new Map<string, Set<string>>(LAYERS.map(({ name }) => [name, new Set()]));
  for (const { room, imports } of readSources()) {
    for (const target of imports.filter((file) => file.startsWith('src/'))) {
      const from = LAYER_OF.get(room) ?? '';
      const to = LAYER_OF.get(roomOf(target)) ?? '';
      if (from !== to) arrows.get(from)?.add(to);
    }
  }
  const order = LAYERS.map(({ name }) => name).toReversed();
  const lines = order.flatMap((from) => {
    const below = arrows.get(from) ?? new Set();
    const implied = (to: string) => [...below].some((between) => arrows.get(between)?.has(to));
    return order.filter((to) => below.has(to) && !implied(to)).map((to) => `  ${from} --> ${to}`);
  });
  const boxes = LAYERS.toReversed().map(({ name, holds, rooms }) => {
    const names = Object.keys(rooms).join(' · ');
    return `  ${name}["<b>${name}</b>: ${holds}${names === name ? '' : `<br/>${names}`}"]`;
  });
  return ['```mermaid', 'flowchart TD', ...boxes, ...lines, '```'].join('\n');
}

/** Lists the rooms for ARCHITECTURE.md, lowest first, with the tables each writes. */
export function roomTable(): string {
  const rows = LAYERS.flatMap(({ name, rooms }) =>
    Object.entries(rooms).map(([room, { holds, writes = [] }]) => {
      const folder = name === 'kit' ? 'src/kit' : room === 'program' ? 'src/program' : `src/${name}/${room}`;
      return `| \`${folder}/\` | ${holds} | ${writes.map((table) => `\`${table}\``).join(', ')} |`;
    }),
  );
  return ['| room | holds | tables it writes |', '|---|---|---|', ...rows].join('\n');
}

if (import.meta.main) {
  const faults = layerFaults();
  for (const fault of faults) console.log(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}
