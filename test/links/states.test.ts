import { test } from 'node:test';
import { LINK_STATUSES, LINK_TRIGGERS, nextLinkStatus } from '../../src/edge/links/states.ts';
import { compareGolden } from '../setup/golden.ts';

test('every link status × every trigger matches the golden table', () => {
  const lines = LINK_STATUSES.flatMap((status) =>
    LINK_TRIGGERS.map((trigger) => `${status.padEnd(16)} ${trigger.padEnd(24)} ${nextLinkStatus(status, trigger) ?? '-'}`),
  );
  compareGolden('link-states.txt', lines);
});
