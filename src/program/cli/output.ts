/** Prints a result: a JSON document for programs, text for people. */
export function print(json: boolean | undefined, document: unknown, text: () => string): void {
  process.stdout.write(`${json ? JSON.stringify(document, null, 2) : text()}\n`);
}

/** Formats rows as columns aligned under their headings. Cells are in the order of the headings. */
export function table(headings: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return 'none yet';
  const lines = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** Formats one record with a name and a value on each line. */
export function details(entries: Record<string, string>): string {
  const width = Math.max(...Object.keys(entries).map((name) => name.length));
  return Object.entries(entries)
    .map(([name, value]) => `${name.padEnd(width)}  ${value}`)
    .join('\n');
}

/** Formats a time to the second, in UTC; empty for null. */
export function shortMoment(at: Date | null): string {
  return at ? `${at.toISOString().slice(0, 19)}Z` : '';
}

/** Removes the extra row that was read to detect whether there are more, and reports it on stderr. */
export function firstOf<T>(rows: T[], limit: number): T[] {
  if (rows.length > limit) console.error(`only the newest ${limit} are shown; --limit shows more`);
  return rows.slice(0, limit);
}
