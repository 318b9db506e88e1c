import { membersOf, primaryOf } from './parts/database.ts';
import { isRunning } from './processes.ts';
import { readState } from './state.ts';
import { ask } from './wait.ts';

export interface Line {
  name: string;
  kind: string;
  pid: number;
  state: string;
  address: string;
}

export interface Status {
  folder: string;
  running: boolean;
  /** Address of the API; null when the cluster is not running. */
  api_url: string | null;
  primary: string | null;
  lines: Line[];
}

/** Returns what runs in a folder. */
export async function statusOf(folder: string): Promise<Status> {
  const state = readState(folder);
  if (!state || state.processes.length === 0) return { folder, running: false, api_url: null, primary: null, lines: [] };
  const [primary, members] = await Promise.all([primaryOf(state), membersOf(state)]);
  const lines = await Promise.all(
    state.processes.map(async (process) => {
      const { name, kind, pid, address } = process;
      const member = members.find((one) => one.name === name);
      const shown = isRunning(process)
        ? member
          ? `${member.role}, ${member.state}`
          : await stateOf(name, kind, address)
        : 'ended';
      return { name, kind, pid, state: shown, address };
    }),
  );
  return {
    folder,
    running: lines.every((line) => line.state !== 'ended'),
    api_url: state.api_url,
    primary: primary?.name ?? null,
    lines,
  };
}

async function stateOf(name: string, kind: string, address: string): Promise<string> {
  if (kind !== 'api') return 'running';
  const answer = await ask(`http://${address}/health/ready`);
  return answer ? `${answer.status} ${messageOf(answer.text)}` : `running, ${name} does not answer`;
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message);
  } catch {
    return '';
  }
}

/** Returns the status as a table. */
export function statusText({ folder, running, api_url, primary, lines }: Status): string {
  if (lines.length === 0) return `nothing runs in ${folder}`;
  const rows = [
    ['name', 'pid', 'state', 'address'],
    ...lines.map((line) => [line.name, String(line.pid), line.state, line.address]),
  ];
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => (row[column] as string).length)));
  const table = rows
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] as number))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
  const head = running ? `running in ${folder}` : `some processes in ${folder} have ended`;
  return `${head}\n\n${table}\n\nAPI: ${api_url}   primary: ${primary ?? 'none'}`;
}
