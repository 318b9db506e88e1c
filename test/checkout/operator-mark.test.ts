import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operatorMark } from '../../src/edge/checkout/views/operator-mark.ts';
import { type Colour, contrast, readColour } from '../../src/edge/pages/theme/colour.ts';
import { CHANNELS } from '../../src/providers/reference/channels.ts';

test('every operator has a mark in a colour of its own, with its letter legible', () => {
  for (const channel of CHANNELS.filter(({ kind }) => kind === 'mobile_money')) {
    const [, back, ink, letter] = /fill="([^"]+)"\/>.*fill="([^"]+)">(.)<\/text>/.exec(operatorMark(channel).text) ?? [];
    assert.equal(letter, channel.name[0], channel.id);
    assert.notEqual(back, '#4b5b68', `${channel.id} has the colour of none`);
    assert.ok(contrast(readColour(back) as Colour, readColour(ink) as Colour) >= 4.5, channel.id);
  }
});
