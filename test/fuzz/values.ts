import { randomOf } from '../../simulators/kit/random.ts';

/** Text that has broken programs: encodings, separators, names with a meaning, formulas, very long words. */
const TEXTS = [
  '',
  ' ',
  '\u0000',
  'a\u0000b',
  '\ud800',
  '\u202e\u2066',
  'é'.normalize('NFD'),
  '😀'.repeat(40),
  '<script>fuzz()</script>',
  '"><img src=x onerror=fuzz()>',
  "'; drop table payments; --",
  '%00%ff%',
  '../../etc/passwd',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-0',
  '1e309',
  '0x10',
  '=1+1',
  '\\',
  '\r\nset-cookie: a=b',
  'ﷺ'.repeat(30),
  'x'.repeat(300),
  'x'.repeat(5_000),
  '٣٤٥',
  '4242 4242 4242 4242',
];

/** Properties that JavaScript reads or calls when it converts, awaits or prints a value. */
const PROPERTIES = ['toString', 'valueOf', 'toJSON', 'then', 'length', 'constructor'];

const NUMBERS = [0, -0, -1, 1, 0.01, 0.001, 1e-9, 99.999, 2 ** 31, 2 ** 53, 1e15, 1e21, 1e308, -1e308, 500, 500_000, 1_000_000];

const DATES = ['2026-11-22', '0000-00-00', '9999-12-31', '2026-02-30', '1969-12-31', '2026-11-22T00:00:00Z', '+010000-01-01'];

/** Source of all decisions of a run. The same seed makes the same decisions. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = randomOf(seed);
  }

  /** Whether something happens that has this probability. */
  chance(probability: number): boolean {
    return this.#next() < probability;
  }

  /** Returns an integer from 0 to `below` - 1. */
  below(below: number): number {
    return Math.floor(this.#next() * below);
  }

  of<T>(choices: readonly T[]): T {
    if (choices.length === 0) throw new Error('nothing to choose from');
    return choices[this.below(choices.length)] as T;
  }

  /** Returns a value that a program is unlikely to expect. */
  odd(): unknown {
    switch (this.below(7)) {
      case 0:
        return this.of(TEXTS);
      case 1:
        return this.of(NUMBERS);
      case 2:
        return this.chance(0.5);
      case 3:
        return null;
      case 4:
        return Array.from({ length: this.below(4) }, () => this.odd());
      case 5:
        return Object.fromEntries(Array.from({ length: this.below(4) }, () => [this.name(), this.odd()]));
      default:
        return nested(this.of([2, 20, 200]));
    }
  }

  /** Returns the name of a property. */
  name(): string {
    return this.chance(0.5) ? this.of(TEXTS) : this.of(PROPERTIES);
  }

  text(): string {
    return this.chance(0.6) ? this.of(TEXTS) : `word ${this.below(50)}`;
  }

  number(): number {
    return this.of(NUMBERS);
  }

  date(): string {
    return this.of(DATES);
  }
}

function nested(depth: number): unknown {
  let value: unknown = 'deep';
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { inside: value };
  return value;
}
