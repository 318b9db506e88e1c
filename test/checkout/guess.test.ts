import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guessChannel } from '../../src/edge/checkout/guess-channel.ts';
import { promptWindow } from '../../src/edge/checkout/windows.ts';
import { CHANNELS, channelsFor } from '../../src/providers/reference/channels.ts';
import { GUESSES } from './guesses.ts';

for (const { currency, typed, channel } of GUESSES) {
  test(`${typed} for ${currency} is ${channel ?? 'not guessed'}`, () => {
    const guess = guessChannel(typed, channelsFor({ currency }));
    assert.equal(guess.kind === 'found' ? guess.channel.id : null, channel);
  });
}

test('a number that fits several countries lists them; a number of no known country is reported as such', () => {
  const channels = channelsFor({ currency: 'XOF' });
  assert.deepEqual(guessChannel('70000000', channels), { kind: 'unclear', countries: ['BJ', 'BF', 'ML', 'TG'] });
  assert.deepEqual(guessChannel('12', channels), { kind: 'none' });
});

test('an operator that cannot take the payment is not guessed', () => {
  const channels = channelsFor({ currency: 'XAF' }).filter(({ id }) => id !== 'cm.orange');
  assert.deepEqual(guessChannel('+237690000000', channels), { kind: 'unclear', countries: ['CM'] });
});

test('the window is counted down for operators that publish one', () => {
  const known = CHANNELS.filter(({ id }) => promptWindow(id) !== null);
  assert.ok(known.length > 5 && known.every(({ id }) => id.endsWith('.mtn')));
});
