import { createHash } from 'node:crypto';
import type { Random } from './contract.ts';

/** A generator whose whole course is decided by its seed: sfc32, seeded by a hash of the text. */
export function randomFrom(seed: string): Random {
  const next = sfc32(seed);
  const int = (below: number) => Math.floor(next() * below);
  return {
    next,
    int,
    pick: (from) => {
      if (from.length === 0) throw new Error('nothing to pick from');
      return from[int(from.length)] as (typeof from)[number];
    },
    chance: (p) => next() < p,
    fork: (name) => randomFrom(`${seed}/${name}`),
  };
}

/** Fills bytes as a kernel's generator would. */
export function fill(bytes: Uint8Array, random: Random): void {
  for (let i = 0; i < bytes.length; i++) bytes[i] = random.int(256);
}

function sfc32(seed: string): () => number {
  const digest = createHash('sha256').update(seed).digest();
  let [a, b, c, d] = [digest.readInt32LE(0), digest.readInt32LE(4), digest.readInt32LE(8), 1];
  const next = () => {
    const t = (((a + b) | 0) + d) | 0;
    d = (d + 1) | 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) | 0;
    c = (c << 21) | (c >>> 11);
    c = (c + t) | 0;
    return (t >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 12; i++) next();
  return next;
}
