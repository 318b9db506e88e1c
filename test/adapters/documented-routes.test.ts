import assert from 'node:assert/strict';
import fs from 'node:fs';
import { test } from 'node:test';
import { must } from '../../src/kit/errors.ts';
import { CONNECTORS } from '../../src/providers/adapters/catalogue.ts';
import type { Connector } from '../../src/providers/adapters/connector.ts';
import { channelById } from '../../src/providers/reference/channels.ts';
import { SIMULATORS } from '../../simulators/catalogue.ts';
import { tools } from './fixture.ts';

/** Holds docs/providers.md to what the adapters offer: every main channel of the home markets has two ways. */
const MAIN = ['cm.mtn', 'cm.orange', 'ci.orange', 'ci.mtn', 'ci.moov', 'ci.wave', 'sn.orange', 'sn.free', 'sn.wave'];
const docs = fs.readFileSync(new URL('../../docs/providers.md', import.meta.url), 'utf8');

const TARGETS: Record<string, string> = { cm: 'mtncameroon', ci: 'mtnivorycoast' };

/** Whether an account of this kind in the channel's country collects there, in the usual currency. */
function collects(connector: Connector, channelId: string): boolean {
  const currency = String(must(channelById(channelId), `${channelId} is a channel`).currencies[0]);
  const kind = must(
    SIMULATORS.find(({ name }) => name === connector.name),
    `${connector.name} has a simulator`,
  );
  const country = channelId.slice(0, 2);
  const target_environment = TARGETS[country] ?? 'elsewhere';
  const wanted: Record<string, string> = { country, target_environment, currency };
  const asked = Object.entries(wanted).filter(([name]) => name in connector.credentials.properties);
  const credentials = { ...kind.credentials('http://127.0.0.1:9'), ...Object.fromEntries(asked) };
  const offers = connector.connect({ id: 'pa_test', environment: 'live', credentials }, tools).offers() ?? [];
  return offers.some(
    (offer) => offer.channel === channelId && offer.currency === currency && offer.operations.includes('collect'),
  );
}

const waysOf = (channelId: string) => CONNECTORS.filter((one) => collects(one, channelId)).map(({ name }) => name);

test('every main channel of Cameroon, Côte d’Ivoire and Senegal has at least two routes, all documented', () => {
  for (const channelId of MAIN) {
    const ways = waysOf(channelId);
    assert.ok(ways.length >= 2, `${channelId}: ${ways}`);
    const row = docs.split('\n').find((line) => line.startsWith(`| \`${channelId}\` | \``)) ?? '';
    const named = [...row.matchAll(/`([^`]+)`/g)].slice(1).map(([, name]) => String(name));
    assert.deepEqual(named.sort(), ways.sort(), `${channelId} in docs/providers.md`);
  }
});

test('the sample rules name two providers for every main channel, each of which collects there', () => {
  const rules = [...docs.matchAll(/^pirogue rules add --channel (\S+) --order (\S+)$/gm)];
  const channels = rules.flatMap(([, list]) => String(list).split(','));
  assert.deepEqual(channels.sort(), [...MAIN].sort());
  for (const [, list, order] of rules) {
    for (const channelId of String(list).split(',')) {
      const names = String(order).split(',');
      assert.ok(names.length >= 2 && names.every((name) => waysOf(channelId).includes(name)), `${channelId}: ${names}`);
    }
  }
});
