import { AsyncLocalStorage } from 'node:async_hooks';
import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers/promises';
import type { Random } from './contract.ts';
import { fill } from './random.ts';
import type { Owner } from './scheduler.ts';

/** What the code of a node has instead of the machine. */
export interface Machine {
  /** The node. */
  readonly owner: Owner;
  /** The machine's own clock, which may be wrong. */
  system(): number;
  /** Milliseconds since the node started. */
  monotonic(): number;
  /** Calls back after a virtual time. @returns a function that takes it back */
  after(ms: number, call: () => void): () => void;
}

export const realTimeout = globalThis.setTimeout;
export const realClearTimeout = globalThis.clearTimeout;
export const realImmediate = globalThis.setImmediate;
export const realNow = performance.now.bind(performance);
const real = {
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  date: Date.now,
  random: Math.random,
  randomBytes: crypto.randomBytes,
  randomInt: crypto.randomInt,
  randomUUID: crypto.randomUUID,
  randomFillSync: crypto.randomFillSync,
  sleep: timers.setTimeout,
};

const inside = new AsyncLocalStorage<Machine | null>();
let source: Random | null = null;

/** Runs code of a node: its time is virtual. */
export function onMachine<T>(machine: Machine, code: () => T): T {
  return inside.run(machine, code);
}

/** Runs code that belongs to this process, such as the driver's: its time is real. */
export function outside<T>(code: () => T): T {
  return inside.run(null, code);
}

export function machine(): Machine | null {
  return inside.getStore() ?? null;
}

/** From now on randomness of the whole process comes from here; null: from the kernel. */
export function drawFrom(random: Random | null): void {
  source = random;
}

class VirtualTimer {
  readonly #again: boolean;
  #cancel: () => void = () => {};

  constructor(on: Machine, ms: number, call: () => void, again: boolean) {
    this.#again = again;
    const start = () => {
      this.#cancel = on.after(Math.max(1, ms || 0), () => {
        if (this.#again) start();
        call();
      });
    };
    start();
  }

  cancel(): void {
    this.#cancel();
    this.#cancel = () => {};
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }

  hasRef(): boolean {
    return false;
  }
}

/** Replaces time and randomness of this process, once. Outside of nodes time stays real. */
export function install(): void {
  const timer = (again: boolean, otherwise: (...args: never[]) => unknown) =>
    ((call: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const on = machine();
      if (on === null) return otherwise(call as never, ms as never, ...(args as never[]));
      return new VirtualTimer(on, ms ?? 1, () => call(...args), again);
    }) as never;
  const clear = (otherwise: (handle: never) => void) =>
    ((handle: unknown) => {
      if (handle instanceof VirtualTimer) handle.cancel();
      else otherwise(handle as never);
    }) as never;
  globalThis.setTimeout = timer(false, realTimeout as never);
  globalThis.setInterval = timer(true, real.setInterval as never);
  globalThis.clearTimeout = clear(realClearTimeout as never);
  globalThis.clearInterval = clear(real.clearInterval as never);
  Date.now = () => machine()?.system() ?? real.date();
  performance.now = () => machine()?.monotonic() ?? realNow();
  timers.setTimeout = ((ms: number, value: unknown, options: never) => {
    const on = machine();
    if (on === null) return real.sleep(ms, value, options);
    return new Promise<unknown>((resolve) => on.after(Math.max(1, ms), () => resolve(value)));
  }) as typeof timers.setTimeout;
  seedRandomness();
  syncBuiltinESMExports();
}

function seedRandomness(): void {
  Math.random = () => source?.next() ?? real.random();
  const filled = <B extends NodeJS.ArrayBufferView>(buffer: B): B => {
    if (source === null) return real.randomFillSync(buffer);
    fill(new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.byteLength), source);
    return buffer;
  };
  crypto.randomFillSync = filled as typeof crypto.randomFillSync;
  crypto.randomBytes = ((size: number) => filled(Buffer.alloc(size))) as typeof crypto.randomBytes;
  crypto.randomInt = ((min: number, max?: number) => {
    if (source === null) return max === undefined ? real.randomInt(min) : real.randomInt(min, max);
    return max === undefined ? source.int(min) : min + source.int(max - min);
  }) as typeof crypto.randomInt;
  crypto.randomUUID = (() => {
    if (source === null) return real.randomUUID();
    const hex = filled(Buffer.alloc(16)).toString('hex');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
  }) as typeof crypto.randomUUID;
}
