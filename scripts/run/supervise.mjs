import { spawn } from 'node:child_process';
import tty from 'node:tty';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];
const LOOK_MS = 500;

/**
 * Runs one program to its end and forwards signals.
 * @returns {Promise<{ code: number, signal: NodeJS.Signals | null, told: NodeJS.Signals | null }>} how it ended, and the signal that
 *   this process received, if any
 */
export function supervise(file, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, options);
    let reported = null;
    const report = (signal) => {
      reported = signal;
      if (!(signal === 'SIGINT' && inTerminal())) child.kill(signal);
    };
    for (const signal of SIGNALS) process.on(signal, report);
    const look = watchParent(() => report('SIGTERM'));
    const leave = () => {
      clearInterval(look);
      for (const signal of SIGNALS) process.off(signal, report);
    };
    child.once('error', (error) => {
      leave();
      reject(error);
    });
    child.once('exit', (code, signal) => {
      leave();
      resolve({ code: code ?? 1, signal, reported });
    });
  });
}

/** Returns whether a terminal sends Ctrl-C to the whole group. The program then has it already; a second one could mean "at once". */
function inTerminal() {
  return [0, 1, 2].some((descriptor) => tty.isatty(descriptor));
}

/** Detects the end of npm: `kill` on npm reaches npm and its shell only, so the only sign is another parent process. */
function watchParent(onGone) {
  const parent = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(look);
    onGone();
  }, LOOK_MS);
  return look;
}
