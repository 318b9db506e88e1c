import type { Ratio, Report, Row } from './report.ts';
import type { Metric } from './rounds.ts';

const METRICS: Record<Metric, string> = {
  per_second: 'requests per s',
  p50_ms: 'p50',
  service_us: 'Node CPU',
  all_us: 'all CPU',
};
const RATIO_HEAD = ['what', 'relative to', 'of', 'ratio', 'goal', 'met'];
const ROW_HEAD = ['what', 'per s', 'p50 ms', 'p99 ms', 'service µs', 'PostgreSQL µs', 'client µs', 'others %'];

/** The ratios, then the figures, as Markdown tables that read well in a terminal too. */
export function tablesOf({ ratios, rows }: Report): string {
  const tables = [print(RATIO_HEAD, ratios.map(ratioCells), 3), print(ROW_HEAD, rows.map(rowCells), 1)];
  return (ratios.length === 0 ? tables.slice(1) : tables).join('\n\n');
}

/** @param texts how many columns are text: the others are aligned right */
function print(head: string[], body: string[][], texts: number): string {
  const lines = [head, ...body];
  const widths = head.map((_, column) => Math.max(...lines.map((line) => (line[column] as string).length)));
  const pad = (cell: string, i: number) => (i < texts ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number));
  const line = (cells: string[]) => `| ${cells.map(pad).join(' | ')} |`;
  const rule = `|${widths.map((width, i) => (i < texts ? '-'.repeat(width + 2) : `${'-'.repeat(width + 1)}:`)).join('|')}|`;
  return [line(head), rule, ...body.map(line)].join('\n');
}

function ratioCells({ label, against, metric, ratio, goal, met, noisy }: Ratio): string[] {
  return [
    label,
    against,
    METRICS[metric],
    ratio === null ? '' : `${noisy ? '~' : ''}${ratio.toFixed(2)}`,
    !goal ? '' : 'least' in goal ? `≥ ${goal.least}` : `≤ ${goal.most}`,
    met === null ? '' : met ? 'yes' : 'no',
  ];
}

function rowCells(row: Row): string[] {
  return [
    row.label,
    `${row.noisy ? '~' : ''}${Math.round(row.per_second).toLocaleString('en')}`,
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
