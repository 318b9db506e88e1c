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

test('a team with a logo for each payment keeps sixteen, and evicts no logo of another team', async () => {
  const asked: string[] = [];
  const logos = new Logos(async ({ url }) => {
    asked.push(url);
    return { kind: 'failed' } as SendResult;
  }, systemClock);
  await logos.get(2n, 'https://shop.example/logo', 'public');
  for (let i = 0; i < 300; i++) await logos.get(1n, `https://many.example/${i}`, 'public');
  asked.length = 0;
  await logos.get(2n, 'https://shop.example/logo', 'public');
  for (let i = 284; i < 300; i++) await logos.get(1n, `https://many.example/${i}`, 'public');
  assert.deepEqual(asked, []);
  await logos.get(1n, 'https://many.example/283', 'public');
  assert.deepEqual(asked, ['https://many.example/283']);
});
