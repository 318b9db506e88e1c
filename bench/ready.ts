import type { ChildProcess } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { stopChild } from './children.ts';

/** Long enough for a first start on a busy machine, which creates a cluster. */
const LIMIT_MS = 180_000;
const ANSWER_MS = 5_000;
/** A refused connection costs little, so a start is not measured in steps that show. */
const LOOK_MS = 3;

/**
 * Waits until GET /health/ready of a process answers 200.
 * @param log where its output goes: the end of it is in the error
 */
export async function untilReady(child: ChildProcess, port: number, log: string): Promise<void> {
  const deadline = performance.now() + LIMIT_MS;
  while (!(await isReady(port))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stopChild(child);
      throw new Error(`it did not start:\n${fs.readFileSync(log, 'utf8').slice(-4_000)}`);
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}

function isReady(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const request = http.get({ host: '127.0.0.1', port, path: '/health/ready', agent: false, timeout: ANSWER_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    });
    request.on('timeout', () => request.destroy());
    request.on('error', () => resolve(false));
  });
}
