import { cinetpaySimulator } from './cinetpay/index.ts';
import { flutterwaveSimulator } from './flutterwave/index.ts';
import type { SimulatorKind } from './kit/simulator.ts';
import { mpesaDarajaSimulator } from './mpesa-daraja/index.ts';
import { mtnMomoSimulator } from './mtn-momo/index.ts';
import { orangeMoneyCameroonSimulator } from './orange-money/cameroon/index.ts';
import { orangeMoneySimulator } from './orange-money/index.ts';
import { pawapaySimulator } from './pawapay/index.ts';
import { waveSimulator } from './wave/index.ts';

/** A simulator for every kind of provider. */
export const SIMULATORS: readonly SimulatorKind[] = [
  pawapaySimulator,
  mtnMomoSimulator,
  flutterwaveSimulator,
  orangeMoneySimulator,
  orangeMoneyCameroonSimulator,
  waveSimulator,
  cinetpaySimulator,
  mpesaDarajaSimulator,
];
