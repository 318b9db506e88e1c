import { loadModule, type Node, parseSync } from 'libpg-query';
import { NO_TRANSACTION, statementsOf } from '../../src/platform/db/migration-files.ts';

await loadModule();

/** A statement of a migration, with the comments before it. */
export interface Statement {
  node: Node;
  line: number;
  /** Exceptions in its comments. */
  allows: readonly Allow[];
  /** Release that no longer uses what the statement removes. */
  contract: string | null;
}

/** `-- migration: allow <rule> because <reason>` */
export interface Allow {
  rule: string;
  reason: string;
}

export interface MigrationFile {
  /** Path from the root of the repository. */
  file: string;
  kind: 'control' | 'store';
  statements: readonly Statement[];
  /** Whether its statements run one by one, without a transaction. */
  noTransaction: boolean;
  /** Tables that it creates, which are therefore not in use yet. */
  created: ReadonlySet<string>;
  /** Lines that look like a directive but are not valid, or that precede no statement. */
  misread: readonly string[];
}

const DIRECTIVE = /^[ \t]*-- migration:.*$/gm;
const ALLOW = /^-- migration: allow ([a-z-]+) because (\S.*)$/;
const CONTRACT = /^-- migration: contract, unused since ([0-9a-f]{7,40})$/;

/** Reads a migration with PostgreSQL's own parser. */
export function readMigration(file: string, text: string): MigrationFile {
  const bytes = Buffer.from(text);
  const misread: string[] = [];
  let end = 0;
  const statements = (parseSync(text).stmts ?? []).map(({ stmt, stmt_location = 0, stmt_len }): Statement => {
    // The comments before a statement are between it and the one before.
    const start = end;
    end = stmt_len === undefined ? bytes.length : stmt_location + stmt_len;
    const own = bytes.subarray(start, end).toString();
    const directives = (own.match(DIRECTIVE) ?? []).map((line) => line.trim()).filter((line) => !NO_TRANSACTION.test(line));
    misread.push(...directives.filter((line) => !ALLOW.test(line) && !CONTRACT.test(line)));
    return {
      node: stmt as Node,
      line: lineOf(bytes.subarray(0, start).toString(), own),
      allows: directives.flatMap((line) => {
        const [, rule, reason] = ALLOW.exec(line) ?? [];
        return rule && reason ? [{ rule, reason }] : [];
      }),
      contract: directives.map((line) => CONTRACT.exec(line)?.[1]).find((release) => release !== undefined) ?? null,
    };
  });
  misread.push(...(bytes.subarray(end).toString().match(DIRECTIVE) ?? []));
  const noTransaction = NO_TRANSACTION.test(text);
  if (noTransaction && statementsOf(text).length !== statements.length) {
    misread.push('a file without a transaction ends each statement, and no other line, with a semicolon');
  }
  const kind = file.includes('/control/') ? 'control' : 'store';
  return { file, kind, statements, noTransaction, created: new Set(statements.flatMap(createdBy)), misread };
}

/** Returns the line of the first word of a statement, after its comments. */
function lineOf(before: string, own: string): number {
  const comments = /^(?:[\s;]|--.*\n|\/\*[\s\S]*?\*\/)*/.exec(own)?.[0] ?? '';
  return `${before}${comments}`.split('\n').length;
}

function createdBy({ node }: Statement): string[] {
  if ('CreateStmt' in node) return [node.CreateStmt.relation?.relname ?? ''];
  if ('CreateTableAsStmt' in node) return [node.CreateTableAsStmt.into?.rel?.relname ?? ''];
  return [];
}
