import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Logos } from '../../src/edge/pages/theme/logos.ts';
import { systemClock } from '../../src/kit/clock.ts';
import type { SendResult } from '../../src/kit/fetch.ts';

test('slow logos of one team leave places for those of others', async () => {
  const asked: string[] = [];
  const answers: ((result: SendResult) => void)[] = [];
  const logos = new Logos(({ url }) => {
    asked.push(url);
    return new Promise((resolve) => answers.push(resolve));
  }, systemClock);
  const waiting = Array.from({ length: 30 }, (_, index) => logos.get(1n, `https://slow.example/${index}`, 'public'));
  waiting.push(logos.get(2n, 'https://shop.example/logo', 'public'));
  assert.deepEqual(asked.slice(4), ['https://shop.example/logo']);
  for (const answer of answers) answer({ kind: 'failed' } as SendResult);
  assert.deepEqual(new Set(await Promise.all(waiting)), new Set([null]));
  void logos.get(1n, 'https://slow.example/again', 'public');
  assert.equal(asked.at(-1), 'https://slow.example/again', 'a place that was left is free again');
});
