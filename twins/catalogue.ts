import type { TwinKind } from './kit/twin.ts';
import { mtnMomoTwin } from './mtn-momo/index.ts';
import { pawapayTwin } from './pawapay/index.ts';

/** A simulator for every kind of provider. */
export const TWINS: readonly TwinKind[] = [pawapayTwin, mtnMomoTwin];
