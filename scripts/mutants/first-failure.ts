import fs from 'node:fs';
import type { TestEvent } from 'node:test/reporters';

/** Reporter of node:test that ends the process at the first failed test: one is enough to find a mutant. It prints title and error. */
// biome-ignore lint/correctness/useYield: a reporter is a generator, and this one writes only before it exits
export default async function* firstFailure(events: AsyncIterable<TestEvent>): AsyncGenerator<string> {
  for await (const { type, data } of events) {
    if (type !== 'test:fail') continue;
    const { cause, message } = data.details.error;
    fs.writeSync(1, `FAILED ${JSON.stringify([data.name, cause instanceof Error ? cause.message : message])}\n`);
    process.exit(1);
  }
}
