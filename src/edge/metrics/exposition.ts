/** Label values, in the order of the metric's label names. */
export type LabelValues = readonly string[];

/** A metric in Prometheus format. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  lines: string[];
}

/** Returns the body of a scrape (text format 0.0.4, supported by every version of Prometheus). */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, help, type, lines }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`)
    .join('');
}

/** Formats labels as `{route="/payments",status="201"}`; empty without labels. */
export function labelled(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return '';
  return `{${names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',')}}`;
}

/** Returns a metric whose value is read at scrape time. */
export function gauge(name: string, help: string, labels: readonly string[], samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', lines: samples.map(([values, value]) => `${name}${labelled(labels, values)} ${value}`) };
}

export type Sample = readonly [LabelValues, number];

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
