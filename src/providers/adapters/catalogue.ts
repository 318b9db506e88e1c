import type { Connector } from './connector.ts';
import { cinetpay } from './cinetpay/index.ts';
import { flutterwave } from './flutterwave/index.ts';
import { mpesaDaraja } from './mpesa-daraja/index.ts';
import { mtnMomo } from './mtn-momo/index.ts';
import { orangeMoneyCameroon } from './orange-money/cameroon/index.ts';
import { orangeMoney } from './orange-money/index.ts';
import { pawapay } from './pawapay/index.ts';
import { wave } from './wave/index.ts';

/** Every kind of provider at which a team can have an account. */
export const CONNECTORS: readonly Connector[] = [
  pawapay,
  mtnMomo,
  flutterwave,
  orangeMoney,
  orangeMoneyCameroon,
  wave,
  cinetpay,
  mpesaDaraja,
];

/** Returns the connector with this name, or undefined if there is none. */
export function connectorOf(name: string): Connector | undefined {
  return CONNECTORS.find((connector) => connector.name === name);
}
