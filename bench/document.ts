import fs from 'node:fs';
import path from 'node:path';
import type { SectionName } from './options.ts';
import type { Report } from './report.ts';
import { tablesOf } from './table.ts';

const FOLDER = path.join(import.meta.dirname, '..', 'docs', 'performance');

/** Writes each report between its markers in docs/performance/<section>.md; the text around them is written by hand. */
export function writeDocument(reports: Report[], circumstances: string): void {
  for (const report of reports) {
    const file = path.join(FOLDER, `${report.section}.md`);
    fs.writeFileSync(file, replaced(file, report.section, sectionText(report, circumstances)));
  }
}

function sectionText(report: Report, circumstances: string): string {
  const notes = report.notes.map((note) => `- ${note}`).join('\n');
  return [circumstances, tablesOf(report), ...(notes ? [notes] : [])].join('\n\n');
}

function replaced(file: string, section: SectionName, text: string): string {
  const page = fs.readFileSync(file, 'utf8');
  const [begin, end] = [`<!-- bench:${section} -->`, `<!-- /bench:${section} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${file} has no place for ${section}: it needs ${begin} and ${end}`);
  return `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`;
}
