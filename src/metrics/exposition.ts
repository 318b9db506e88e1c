/** Values of a metric's labels, in the order of their names. */
export type LabelValues = readonly string[];

/** One metric as Prometheus reads it. */
export interface Family {
  name: string;
  help: string;
  type: 'counter' | 'gauge' | 'histogram';
  lines: string[];
}

/** The text of a scrape (text format 0.0.4, which every version of Prometheus reads). */
export function exposition(families: readonly Family[]): string {
  return families
    .filter(({ lines }) => lines.length > 0)
    .map(({ name, help, type, lines }) => `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join('\n')}\n`)
    .join('');
}

/** `{route="/payments",status="201"}`; nothing without labels. */
export function labelled(names: readonly string[], values: LabelValues): string {
  if (names.length === 0) return '';
  return `{${names.map((name, i) => `${name}="${escaped(values[i] ?? '')}"`).join(',')}}`;
}

/** A metric that is known when it is asked for. */
export function gauge(name: string, help: string, labels: readonly string[], samples: readonly Sample[]): Family {
  return { name, help, type: 'gauge', lines: samples.map(([values, value]) => `${name}${labelled(labels, values)} ${value}`) };
}

export type Sample = readonly [LabelValues, number];

function escaped(value: string): string {
  return value.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
}
