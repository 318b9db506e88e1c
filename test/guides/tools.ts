import { spawnSync } from 'node:child_process';

/** A program that samples are written for, and how to ask whether it is there. */
export interface Tool {
  name: string;
  args: readonly string[];
}

const asked = new Map<string, string | false>();

/** Why samples for a tool are skipped, for `{ skip }`. With PIROGUE_SAMPLES=required they fail instead. */
export function missing(tool: Tool): string | false {
  const known = asked.get(tool.name);
  if (known !== undefined) return known;
  const found = look(tool);
  asked.set(tool.name, found);
  return found;
}

function look({ name, args }: Tool): string | false {
  if (spawnSync(name, args, { stdio: 'ignore' }).status === 0) return false;
  const how = `no ${name} on PATH: install it to have its samples tested`;
  if (process.env.PIROGUE_SAMPLES === 'required') throw new Error(how);
  console.error(`SKIP  samples for ${name} are not tested: ${how}`);
  return how;
}
