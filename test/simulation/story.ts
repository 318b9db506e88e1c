import type { WorldReport } from './world.ts';

const MAX_LINE = 300;

/** The story of a world for readers: numbered lines with the virtual time, the node, and what happened. */
export function tell({ story, wrong, seed }: WorldReport): string[] {
  const lines = story ?? [];
  const start = Number(lines[0]?.split(' ', 1)[0] ?? 0);
  const numbered = lines.map((line, i) => {
    const [at = '', ...words] = line.split(' ');
    const text = words.join(' ').replace(/[^\x20-\x7e\u00a0-\uffff]/g, '.');
    return `${String(i + 1).padStart(6)}  ${timeOf(Number(at) - start)}  ${text.length > MAX_LINE ? `${text.slice(0, MAX_LINE)} ...` : text}`;
  });
  return [`Seed ${seed}`, ...numbered, '', 'In the end:', ...wrong.map((line) => `- ${line}`)];
}

function timeOf(ms: number): string {
  const [h, m, s] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, Math.floor(ms / 1000) % 60];
  return `${h}:${String(m).padStart(2, '0')}:${String(s).padStart(2, '0')}.${String(ms % 1000).padStart(3, '0')}`;
}
