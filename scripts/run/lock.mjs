import fs from 'node:fs';

const BEAT_MS = 1000;
const DEAD_AFTER_MS = 15_000;
const STEP_MS = 200;
const LIMIT_MS = 15 * 60_000;

/**
 * Runs `work` while no other process of this checkout does (npm start and npm test at once). The holder touches the file every second,
 * so a file left behind by a kill is recognised by its age. Its pid may belong to another process by then.
 */
export async function withLock(file, work) {
  await take(file);
  const beat = setInterval(() => touch(file), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    fs.rmSync(file, { force: true });
  }
}

async function take(file) {
  const deadline = Date.now() + LIMIT_MS;
  for (let reported = false; !tryTake(file); reported = true) {
    if (!reported) console.error('Another process is installing the dependencies; waiting for it ...');
    if (Date.now() > deadline) throw new Error(`waited too long for ${file}: remove it if no install is running`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

function tryTake(file) {
  try {
    fs.writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code !== 'EEXIST') throw error;
  }
  if (!isLeftBehind(file)) return false;
  removeLeftBehind(file);
  return tryTake(file);
}

function isLeftBehind(file) {
  try {
    if (Date.now() - fs.statSync(file).mtimeMs > DEAD_AFTER_MS) return true;
    const pid = Number(fs.readFileSync(file, 'utf8'));
    return pid > 0 && !isAlive(pid);
  } catch (error) {
    if (error.code === 'ENOENT') return false; // released meanwhile
    throw error;
  }
}

/** Moves the file away before the last check, because another waiting process may have replaced it since. */
function removeLeftBehind(file) {
  const aside = `${file}.${process.pid}`;
  try {
    fs.renameSync(file, aside);
    if (!isLeftBehind(aside)) fs.linkSync(aside, file);
  } catch (error) {
    if (error.code !== 'ENOENT' && error.code !== 'EEXIST') throw error;
  }
  fs.rmSync(aside, { force: true });
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function touch(file) {
  const now = new Date();
  fs.utimes(file, now, now, () => {}); // an error means that another process removed the lock as stale, which cannot be corrected here
}
