import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/**
 * `node sdk/build.ts [folder]`: plain ES modules and their declarations in sdk/dist, or in the folder. The project of the
 * package has no types of Node: what is not a web standard does not compile.
 */
const here = import.meta.dirname;
const out = path.resolve(process.argv[2] ?? path.join(here, 'dist'));
const compiler = path.join(here, '../node_modules/typescript-7/bin/tsc');

fs.rmSync(out, { recursive: true, force: true });
execFileSync(process.execPath, [compiler, '--project', here, '--outDir', out], { stdio: 'inherit' });
for (const name of fs.readdirSync(out, { recursive: true, encoding: 'utf8' })) {
  if (name.endsWith('.d.ts')) pointToJs(path.join(out, name));
}
fs.copyFileSync(path.join(here, '../LICENSE'), path.join(out, 'LICENSE'));

/** The compiler rewrites the endings of imports in code only, and older ones do not read declarations that end in .ts. */
function pointToJs(file: string): void {
  const text = fs.readFileSync(file, 'utf8');
  fs.writeFileSync(file, text.replace(/(from '|import\(')(\.[^']+)\.ts'/g, "$1$2.js'"));
}
