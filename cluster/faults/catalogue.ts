import { clockAhead, clockBehind } from './clock.ts';
import { connectionsExhausted } from './connections-exhausted.ts';
import { cutPrimary } from './cut-primary.ts';
import { diskFull } from './disk-full.ts';
import type { Fault } from './fault.ts';
import { freezeNodes } from './freeze-nodes.ts';
import { killNodes } from './kill-nodes.ts';
import { killPrimary } from './kill-primary.ts';
import { pgbouncerRestart } from './pgbouncer-restart.ts';
import { promotedTwice } from './promoted-twice.ts';
import { redisGone } from './redis-gone.ts';
import { rollingUpgrade } from './rolling-upgrade.ts';
import { switchover } from './switchover.ts';

/** All faults, in the order of a run with seed 1: those that a short run must reach come first. */
export const FAULTS: readonly Fault[] = [
  killPrimary,
  killNodes,
  rollingUpgrade,
  pgbouncerRestart,
  redisGone,
  switchover,
  cutPrimary,
  diskFull,
  connectionsExhausted,
  promotedTwice,
  clockAhead,
  clockBehind,
  freezeNodes,
];
