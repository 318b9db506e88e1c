import type { Report, Row } from './report.ts';

const HEAD = [
  'what',
  'per s',
  'ratio',
  'goal',
  'met',
  'p50 ms',
  'p99 ms',
  'service µs',
  'PostgreSQL µs',
  'client µs',
  'others %',
];

/** A Markdown table that reads well in a terminal too. */
export function tableOf({ rows }: Report): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const print = (line: string[]) =>
    `| ${line.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i === 0 ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [print(HEAD), rule, ...rows.map((row) => print(cells(row)))].join('\n');
}

function cells(row: Row): string[] {
  const { ratio, goal, met } = row;
  return [
    row.label,
    `${row.noisy ? '~' : ''}${Math.round(row.per_second).toLocaleString('en')}`,
    shown(ratio, 2),
    !goal ? '' : 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`,
    met === null ? '' : met ? 'yes' : 'no',
    shown(row.p50_ms, 2),
    shown(row.p99_ms, 1),
    shown(row.service_us, 0),
    shown(row.postgres_us, 0),
    shown(row.client_us, 0),
    shown(row.other === null ? null : row.other * 100, 0),
  ];
}

function shown(value: number | null, decimals: number): string {
  return value === null ? '' : value.toFixed(decimals);
}
