import fs from 'node:fs';
import path from 'node:path';
import { type Fields, namesOf, type PersonalData, type PersonalTable, plainNames } from '../../src/kit/personal.ts';
import { roomOf } from '../../scripts/layers.ts';

const ROOT = path.join(import.meta.dirname, '..', '..');

export interface RoomList extends PersonalData {
  room: string;
}

/** The lists of all rooms, wherever they are. */
export async function allLists(): Promise<RoomList[]> {
  const files = fs.globSync('src/**/personal.ts', { cwd: ROOT }).filter((file) => file !== 'src/kit/personal.ts');
  return Promise.all(
    files.sort().map(async (file) => {
      const { personal } = (await import(path.join(ROOT, file))) as { personal: PersonalData };
      return { room: roomOf(file), ...personal };
    }),
  );
}

/** A column of the real database. */
export interface Column {
  table_name: string;
  column_name: string;
  udt_name: string;
}

/** Where the lists and the columns of the database disagree. */
export function faultsOf(lists: readonly PersonalData[], columns: readonly Column[]): string[] {
  const tables = new Map(lists.flatMap((list) => Object.entries(list.tables)));
  const real = Map.groupBy(columns, (column) => column.table_name);
  const unlisted = [...real].flatMap(([name, found]) => {
    const list = tables.get(name);
    if (!list) return [`${name} is in no personal.ts`];
    const names = new Set(namesOf(list));
    return found
      .filter((column) => !names.has(column.column_name))
      .map((column) => `${name}.${column.column_name} is in no list`);
  });
  return [...unlisted, ...[...tables].flatMap(([name, list]) => tableFaults(name, list, real.get(name) ?? []))];
}

function tableFaults(name: string, list: PersonalTable, columns: readonly Column[]): string[] {
  const types = new Map(columns.map((column) => [column.column_name, column.udt_name]));
  const named = Object.entries(list.rules ?? {}).flatMap(([, rule]) => {
    if (rule.becomes === 'hash') return [rule.into];
    if (rule.becomes === 'redacted') return rule.clears ? [rule.clears] : [];
    return rule.becomes === 'generated' ? [rule.from] : [];
  });
  const belongs = list.belongs && list.belongs.to !== 'self' ? [list.belongs.by] : [];
  const used = new Set([...namesOf(list), ...named, ...belongs, ...(list.ages?.walk ?? []), ...(list.expires?.key ?? [])]);
  return [
    ...[...used].filter((column) => !types.has(column)).map((column) => `${name}.${column} is listed and is in no table`),
    ...repeated(namesOf(list)).map((column) => `${name}.${column} is listed twice`),
    ...plainNames(list.plain)
      .filter((column) => types.get(column)?.startsWith('json'))
      .map((column) => `${name}.${column} is JSON: its keys have to be listed`),
  ];
}

function repeated(names: readonly string[]): string[] {
  return names.filter((one, i) => names.indexOf(one) !== i);
}

/** Keys of a JSON value, or of each value of an array, that its list does not have. A rule for the whole value covers all keys. */
export function unlistedKeys(value: unknown, of: Fields, where: string): string[] {
  if (Array.isArray(value)) return [...new Set(value.flatMap((item) => unlistedKeys(item, of, where)))];
  if (typeof value !== 'object' || value === null) return [];
  const names = new Set(namesOf(of));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (!names.has(key)) return [`${where}.${key}`];
    const rule = of.rules?.[key];
    return rule?.becomes === 'fields' ? unlistedKeys(inner, rule.fields, `${where}.${key}`) : [];
  });
}
