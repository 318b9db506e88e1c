import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';
import { SIMULATORS } from '../../simulators/catalogue.ts';

/** An entry of a simulator's record, as far as tests read it. */
interface Moved {
  amount_minor: string;
  moved: boolean;
}

/**
 * The first of as many free ports in a row as there are simulators. Below those that `freePort` gives to other tests: the simulators start again and
 * again, and nobody listens in between.
 */
export async function freePortBase(): Promise<number> {
  for (;;) {
    const base = randomInt(11_000, 19_900);
    const free = await Promise.all(SIMULATORS.map((_, place) => isFree(base + place)));
    if (free.every(Boolean)) return base;
  }
}

/** @returns how often this amount was collected, by the records of all simulators */
export async function collected(base: number, amount: number): Promise<number> {
  const books = await Promise.all(
    SIMULATORS.map(async (_, place) => {
      const book = await fetch(`http://127.0.0.1:${base + place}/_simulator/book`);
      return ((await book.json()) as { entries: Moved[] }).entries;
    }),
  );
  return books.flat().filter(({ amount_minor, moved }) => moved && amount_minor === String(amount * 100)).length;
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer()
      .once('error', () => resolve(false))
      .listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
