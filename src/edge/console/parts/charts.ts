import { scaleBand, scaleLinear } from 'd3-scale';
import { area, line } from 'd3-shape';
import { type Html, html } from '../../../kit/html.ts';
import { table } from './parts.ts';

/** One value of a series, with its texts. */
export interface Point {
  /** Full label: `23 November 2026`. */
  name: string;
  /** Short label, for the axis. */
  short: string;
  /** Null: no value, and the line has a gap. */
  value: number | null;
  /** The formatted value. */
  text: string;
}

export interface Series {
  /** Caption of the table. */
  title: string;
  /** Text alternative for screen readers. */
  summary: string;
  /** Headings of the table, and the text that opens it. */
  heads: { name: string; value: string; open: string };
  points: readonly Point[];
  /** Labels of the axis of values. */
  tick(value: number): string;
  /** Upper end of the axis; default: the highest value, rounded up. */
  highest?: number;
}

/** Width of the picture in its own units. It is stretched to the page, so texts are placed outside of it, in the normal size. */
const WIDTH = 1000;
const HEIGHT = 200;
const TICKS = 4;

const short = (value: number) => Number(value.toFixed(1));

/** A bar for each point. */
export function barChart(series: Series): Html {
  const { points } = series;
  const y = scaleOf(series);
  const x = scaleBand<number>(points.keys(), [0, WIDTH]).paddingInner(0.25).paddingOuter(0.1);
  const bars = points.map(({ value, name, text }, i) => {
    const top = y(value ?? 0);
    return html`<rect class="bar" x="${short(x(i) ?? 0)}" y="${short(top)}" width="${short(x.bandwidth())}" height="${short(HEIGHT - top)}"><title>${name} · ${text}</title></rect>`;
  });
  return figure(series, y.ticks(TICKS), y, html`${bars}`);
}

/** A line through the points; a point without a value leaves a gap. */
export function lineChart(series: Series): Html {
  const { points } = series;
  const y = scaleOf(series);
  const step = WIDTH / points.length;
  const x = (_: unknown, i: number) => short((i + 0.5) * step);
  const known = ({ value }: Point) => value !== null;
  const at = ({ value }: Point) => short(y(value ?? 0));
  const shape = area<Point>().defined(known).x(x).y0(HEIGHT).y1(at)(points as Point[]);
  const path = line<Point>().defined(known).x(x).y(at)(points as Point[]);
  const targets = points.map(({ value, name, text }, i) => {
    return (
      value !== null &&
      html`<rect class="target" x="${short(i * step)}" y="0" width="${short(step)}" height="${HEIGHT}"><title>${name} · ${text}</title></rect>`
    );
  });
  return figure(series, y.ticks(TICKS), y, html`<path class="area" d="${shape}"/><path class="line" d="${path}"/>${targets}`);
}

/** A share as a bar, in addition to the text beside it. */
export function meter(part: number): Html {
  return html`<svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="1"/><rect class="bar" width="${short(part * 100)}" height="1"/></svg>`;
}

type Scale = ReturnType<typeof scaleLinear<number, number>>;

function scaleOf({ points, highest }: Series): Scale {
  const top = highest ?? (Math.max(...points.map(({ value }) => value ?? 0)) || 1);
  return scaleLinear([0, top], [HEIGHT, 0]).nice(TICKS);
}

function figure(series: Series, ticks: readonly number[], y: Scale, marks: Html): Html {
  const { title, summary, heads, points, tick } = series;
  const lines = ticks.map(
    (value) => html`<line class="grid" x1="0" x2="${WIDTH}" y1="${short(y(value))}" y2="${short(y(value))}"/>`,
  );
  const labels = [points[0], points[Math.floor(points.length / 2)], points.at(-1)];
  const columns = [
    { head: heads.name, cell: ({ name }: Point) => name },
    { head: heads.value, kind: 'number' as const, cell: ({ text }: Point) => text },
  ];
  return html`<figure class="chart"><div class="plot"><div class="ticks" aria-hidden="true">${ticks.toReversed().map((value) => html`<span>${tick(value)}</span>`)}</div>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${summary}">${lines}${marks}</svg>
<div class="days" aria-hidden="true">${labels.map((point) => html`<span>${point?.short}</span>`)}</div></div>
<details class="chart-table"><summary>${heads.open}</summary>${table(title, columns, points.toReversed())}</details></figure>`;
}
