import { type Fields, type IdentityKind, isErased, type Rule } from '../../src/kit/personal.ts';

/** A value that must be nowhere after the erasure. */
export interface Canary {
  /** The column or key that it was made for. */
  where: string;
  /** What to search for, in lower case. */
  mark: string;
}

/** Makes a value of its own for each field of the lists, so that a trace of any of them names the field. */
export class Canaries {
  readonly all: Canary[];
  /** Names, addresses and numbers of the person, which free text repeats. */
  readonly #identity: string[];

  /** @param known what is known of the person already, for example from the profile */
  constructor(known?: Canaries) {
    this.all = known?.all ?? [];
    this.#identity = known ? [...known.#identity] : [];
  }

  /** Returns an object with a value for every field that an erasure changes. */
  fill({ rules = {} }: Fields, where: string, left_out: readonly string[] = []): Record<string, unknown> {
    const entries = Object.entries(rules).filter(([name, rule]) => isErased(rule) && !left_out.includes(name));
    // What identifies the person first, so that the free text beside it can contain it.
    const order = entries.toSorted(([, a], [, b]) => Number(a.becomes === 'redacted') - Number(b.becomes === 'redacted'));
    const filled = order.flatMap(([name, rule]): [string, unknown][] => {
      const value = this.#value(rule, `${where}.${name}`);
      return value === undefined ? [] : [[name, value]];
    });
    return Object.fromEntries(filled);
  }

  #text(): string {
    return `for ${this.#identity.join(', ')}, soon`;
  }

  /** Makes a value. */
  make(kind: IdentityKind | 'text', where: string): string {
    const n = this.all.length;
    const letters = [...String(n).padStart(4, '0')].map((digit) => 'bcdfghjklm'[Number(digit)]).join('');
    const [mark, value] = {
      name: [`kanari${letters}`, `Kanari${letters}`],
      email: [`mail${letters}@person.example`, `Mail${letters}@Person.example`],
      phone: [`6501${String(n).padStart(5, '0')}`, `+2376501${String(n).padStart(5, '0')}`],
      text: [`trace-${letters}`, `trace-${letters}`],
    }[kind] as [string, string];
    this.all.push({ where, mark });
    if (kind !== 'text') this.#identity.push(value);
    return value;
  }

  #value(rule: Rule, where: string): unknown {
    switch (rule.becomes) {
      case 'redacted':
        return { note: this.#text(), [this.#text()]: [this.#text()] };
      case 'fields':
        return this.fill(rule.fields, where);
      case 'null':
      case 'pseudonym':
      case 'hash':
        return this.#identifying(rule.identifies, where);
      case 'deleted':
        return this.make('text', where);
      default:
        return undefined;
    }
  }

  #identifying(identifies: Extract<Rule, { becomes: 'null' }>['identifies'], where: string): unknown {
    if (identifies === undefined) return this.make('text', where);
    if (typeof identifies === 'string') return this.make(identifies, where);
    const keys = Object.entries(identifies).map(([key, kind]) => [key, this.make(kind, `${where}.${key}`)]);
    return { ...Object.fromEntries(keys), line1: this.make('text', `${where}.line1`) };
  }
}
