import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { npm } from './npm.ts';
import { writeTypes } from './sdk-types.ts';

/**
 * `npm run sdk`: writes the types of the SDK. `npm run sdk -- pack [folder]`: builds the package that merchants install,
 * by default into sdk/.
 */
const SDK = path.join(import.meta.dirname, '..', 'sdk');

if (import.meta.main) {
  const [task = 'types', folder = SDK] = process.argv.slice(2);
  if (task === 'types') await writeTypes();
  else if (task === 'pack') console.log(usage(packSdk(path.resolve(process.env.INIT_CWD ?? '', folder))));
  else {
    console.error('Usage: npm run sdk [-- types | pack [folder]]');
    process.exitCode = 2;
  }
}

/**
 * Builds the package and packs it into the folder. Each build uses a separate folder, so that concurrent builds do not conflict.
 * @returns the path of the tarball
 */
export function packSdk(folder: string): string {
  const staging = fs.mkdtempSync(path.join(os.tmpdir(), 'pirogue-sdk-pack-'));
  try {
    fs.mkdirSync(folder, { recursive: true });
    for (const name of ['package.json', 'README.md']) fs.copyFileSync(path.join(SDK, name), path.join(staging, name));
    execFileSync(process.execPath, [path.join(SDK, 'build.ts'), path.join(staging, 'dist')], { stdio: 'inherit' });
    const packed = npm(['pack', '--ignore-scripts', '--json', '--loglevel=error', '--pack-destination', folder], staging);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    return path.join(folder, filename);
  } finally {
    fs.rmSync(staging, { recursive: true });
  }
}

function usage(tarball: string): string {
  return `Packed ${tarball}\n\nIn your project's folder:\n  npm install ${tarball}`;
}
