import { createHash } from 'node:crypto';
import type { Random } from './contract.ts';
import { realImmediate } from './virtual.ts';

/** What points and timers belong to: a node, or the world outside (null). */
export interface Owner {
  readonly name: string;
  alive: boolean;
  /** Until this virtual time nothing of it runs. */
  paused_until: number;
}

/** A place where one course of action stops and others may go on. */
export interface Point {
  owner: Owner | null;
  label: string;
  /** False while something that it needs is in use, such as its connection. */
  ready?(): boolean;
  /** Does what the point stands for. */
  run?(): Promise<void>;
  /** Lets the code behind the point go on. */
  resume(): void;
}

interface Event {
  at: number;
  order: number;
  owner: Owner | null;
  /** Null: it was taken back. */
  fire: (() => void) | null;
}

/** How a world chooses among points: evenly, mostly the oldest, or mostly the newest. */
const STYLES = ['even', 'even', 'oldest', 'newest'] as const;

/** What the weather does between two points: pauses, crashes, background work. */
export interface Weather {
  /** Before each pick. */
  before(): Promise<void>;
  /** Before the time jumps, since there is nothing to do. @returns whether there is something to do now */
  idle(ms: number): boolean;
}

/** Virtual time, and the seeded choice of what happens next. Exactly one thing happens at a time. */
export class Scheduler {
  readonly #random: Random;
  readonly #style: (typeof STYLES)[number];
  #points: Point[] = [];
  #events: Event[] = [];
  #order = 0;
  readonly #hash = createHash('sha256');
  /** Lines of the story; null: it is not told. */
  readonly story: string[] | null;
  /** Number of occurrences by kind. A run in which a kind never occurs proves nothing about it. */
  readonly occurred: Record<string, number> = {};
  now: number;
  picks = 0;

  constructor(random: Random, start: number, story: boolean) {
    this.#random = random;
    this.#style = random.pick(STYLES);
    this.now = start;
    this.story = story ? [] : null;
  }

  /** Waits until the point is picked. */
  point(owner: Owner | null, label: string): Promise<void> {
    return new Promise((resume) => this.add({ owner, label, resume }));
  }

  add(point: Point): void {
    if (point.owner?.alive === false) return;
    this.#points.push(point);
  }

  /** Lets something happen at a virtual time. @returns a function that takes it back */
  at(time: number, owner: Owner | null, fire: () => void): () => void {
    const event: Event = { at: Math.max(time, this.now), order: this.#order++, owner, fire };
    push(this.#events, event);
    return () => {
      event.fire = null;
    };
  }

  /** What a dead node was about to do does not happen. */
  forget(owner: Owner): void {
    this.#points = this.#points.filter((point) => point.owner !== owner);
    this.#events = this.#events.filter((event) => event.owner !== owner);
    this.#events.sort(earlier);
  }

  note(line: string): void {
    this.#hash.update(`${this.now} ${line}\n`);
    this.story?.push(`${this.now} ${line}`);
  }

  /** A line for readers of the story that takes no part in the trace. */
  remark(line: () => string): void {
    this.story?.push(`${this.now} ${line()}`);
  }

  count(what: string, times = 1): void {
    if (times === 0) return;
    this.occurred[what] = (this.occurred[what] ?? 0) + times;
  }

  get trace(): string {
    return this.#hash.copy().digest('hex').slice(0, 16);
  }

  /** Picks points and moves the time until it is over, or nothing is left to happen. @returns whether it is over */
  async run(isOver: () => boolean, weather: Weather | null): Promise<boolean> {
    for (;;) {
      await drain();
      if (isOver()) return true;
      await weather?.before();
      const point = this.#take();
      if (point) await this.#play(point);
      else if (!this.#jump(weather)) return false;
    }
  }

  async #play(point: Point): Promise<void> {
    this.picks++;
    this.note(`${point.owner?.name ?? '-'} ${point.label}`);
    await point.run?.();
    point.resume();
  }

  #take(): Point | null {
    const fits = this.#points.filter(
      ({ owner, ready }) => (owner === null || owner.paused_until <= this.now) && (ready?.() ?? true),
    );
    const point = fits[this.#draw(fits.length)];
    if (!point) return null;
    this.#points.splice(this.#points.indexOf(point), 1);
    return point;
  }

  #draw(count: number): number {
    if (count < 2) return 0;
    if (this.#style === 'even' || this.#random.chance(0.3)) return this.#random.int(count);
    return this.#style === 'oldest' ? 0 : count - 1;
  }

  /** Moves the time to the next event. */
  #jump(weather: Weather | null): boolean {
    while (this.#events[0]?.fire === null) pop(this.#events);
    const next = this.#events[0];
    if (weather?.idle(next ? next.at - this.now : 0)) return true;
    if (!next) return false;
    pop(this.#events);
    if (next.owner && next.owner.paused_until > next.at) {
      push(this.#events, { ...next, at: next.owner.paused_until });
      return true;
    }
    this.now = next.at;
    next.fire?.();
    return true;
  }
}

/**
 * Number of turns of the event loop that code may take between two points, with some to spare. With too few, the scheduler would find nothing to
 * do and move the time on while code is still running.
 */
const TURNS = 4;

/** Until all code that can go on has come to a point. It runs in this one thread without waiting for anything, so its order is fixed. */
export async function drain(): Promise<void> {
  for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => realImmediate(resolve));
}

function earlier(a: Event, b: Event): number {
  return a.at - b.at || a.order - b.order;
}

function push(heap: Event[], event: Event): void {
  let at = heap.push(event) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (earlier(heap[parent] as Event, event) <= 0) break;
    heap[at] = heap[parent] as Event;
    at = parent;
  }
  heap[at] = event;
}

function pop(heap: Event[]): void {
  const last = heap.pop() as Event;
  if (heap.length === 0) return;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && earlier(heap[child + 1] as Event, heap[child] as Event) < 0) child++;
    if (earlier(heap[child] as Event, last) >= 0) break;
    heap[at] = heap[child] as Event;
    at = child;
  }
  heap[at] = last;
}
