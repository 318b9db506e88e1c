import type { Connector } from './connector.ts';
import { mtnMomo } from './mtn-momo/index.ts';
import { pawapay } from './pawapay/index.ts';

/** Every kind of provider a team can have an account at. */
export const CONNECTORS: readonly Connector[] = [pawapay, mtnMomo];

export function connectorOf(name: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.name === name);
}
