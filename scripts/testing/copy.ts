import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/**
 * Copies the project to a new temporary folder, with a link to node_modules.
 * @param prefix first part of the name of the folder
 * @returns the folder
 */
export function copyProject(root: string, prefix: string): string {
  const copy = fs.mkdtempSync(path.join(fs.realpathSync(os.tmpdir()), prefix));
  try {
    for (const file of projectFiles(root)) {
      fs.mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
      fs.copyFileSync(path.join(root, file), path.join(copy, file));
    }
    fs.symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'), 'dir');
    return copy;
  } catch (error) {
    fs.rmSync(copy, { recursive: true, force: true });
    throw error;
  }
}

/** Returns the existing files that git tracks, or would add. */
export function projectFiles(root: string): string[] {
  const files = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: root,
    encoding: 'utf8',
  });
  return files.split('\0').filter((name) => name !== '' && fs.existsSync(path.join(root, name)));
}
