import fs from 'node:fs';
import path from 'node:path';
import type { SectionName } from './options.ts';
import type { Report } from './report.ts';
import { tablesOf } from './table.ts';

const FILE = path.join(import.meta.dirname, '..', 'docs', 'performance.md');

/** Writes a report between its markers in docs/performance.md; the text around them is written by hand. */
export function writeDocument(reports: Report[], circumstances: string): void {
  const text = reports.reduce(
    (page, report) => replaced(page, report.section, sectionText(report, circumstances)),
    fs.readFileSync(FILE, 'utf8'),
  );
  fs.writeFileSync(FILE, text);
}

function sectionText(report: Report, circumstances: string): string {
  const notes = report.notes.map((note) => `- ${note}`).join('\n');
  return [circumstances, tablesOf(report), ...(notes ? [notes] : [])].join('\n\n');
}

function replaced(page: string, section: SectionName, text: string): string {
  const [begin, end] = [`<!-- bench:${section} -->`, `<!-- /bench:${section} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${FILE} has no place for ${section}: it needs ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
