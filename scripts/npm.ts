import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from 'node:child_process';

/**
 * Runs npm and returns its output. It uses the npm that started this program, if any, with the Node of that npm.
 * @throws when npm cannot be run or fails; its messages are on stderr
 */
export function npm(args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = process.env): string {
  const { npm_execpath: script = '', npm_node_execpath: node = process.execPath } = process.env;
  const options: ExecFileSyncOptionsWithStringEncoding = { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] };
  if (/npm-cli\.c?js$/.test(script)) return execFileSync(node, [script, ...args], options);
  return execFileSync('npm', [...args], { ...options, shell: process.platform === 'win32' });
}
