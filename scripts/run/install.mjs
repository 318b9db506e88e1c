import fs from 'node:fs';
import path from 'node:path';
import { failure } from './failure.mjs';
import { withLock } from './lock.mjs';
import { supervise } from './supervise.mjs';

/** --include: NODE_ENV=production would leave out the test tools, and `omit` settings the pinned Node. */
// No dependency needs its install scripts, and a compromised package would run code by them.
const NPM_CI = ['ci', '--ignore-scripts', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs the dependencies of package-lock.json unless they are there. Its output goes to stderr. */
export async function install(root) {
  if (isInstalled(root)) return;
  await withLock(path.join(root, '.setup.lock'), async () => {
    if (isInstalled(root)) return; // by the process that held the lock
    console.error('Installing dependencies (npm ci) ...');
    fs.rmSync(receipt(root), { force: true });
    await npmCi(root);
  });
}

/**
 * Compares the lockfile with npm's own lockfile in node_modules. npm writes that last, so an interrupted install has none. A manual
 * installation, or one without the development tools in an image, is accepted, also when offline.
 */
function isInstalled(root) {
  if (!fs.existsSync(receipt(root))) return false;
  const there = readPackages(receipt(root));
  return Object.entries(readPackages(path.join(root, 'package-lock.json'))).every(([folder, wanted]) => {
    if (folder === '') return true;
    const found = there[folder];
    if (!found) return Boolean(wanted.optional || wanted.dev || wanted.devOptional);
    return found.version === wanted.version && fs.existsSync(path.join(root, folder));
  });
}

function receipt(root) {
  return path.join(root, 'node_modules', '.package-lock.json');
}

function readPackages(file) {
  return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
}

async function npmCi(root) {
  const { npm_execpath: npm, npm_node_execpath: node } = process.env;
  // Uses the npm that started this program, with its own Node: npm ci deletes the pinned one while it works.
  const [file, args] = /npm-cli\.c?js$/.test(npm || '') ? [node || process.execPath, [npm]] : ['npm', []];
  const shell = process.platform === 'win32' && file === 'npm'; // there it is npm.cmd
  const options = { cwd: root, stdio: ['ignore', 2, 2], shell };
  const end = await supervise(file, [...args, ...NPM_CI], options).catch((error) => {
    throw failure(`npm could not be run (${error.code}): install Node with npm and run this again.`);
  });
  if (end.reported) throw Object.assign(new Error('interrupted'), { signal: end.reported });
  if (end.code === 0 && isInstalled(root)) return;
  throw failure(
    'The dependencies could not be installed: npm ci failed, its message is above.',
    'If this machine is offline or behind a proxy: connect it, or run "npm config set registry <mirror>" or',
    '"npm config set proxy <address>", or copy node_modules from the same platform. Then run this again.',
  );
}
