import { cinetpayTwin } from './cinetpay/index.ts';
import { flutterwaveTwin } from './flutterwave/index.ts';
import type { TwinKind } from './kit/twin.ts';
import { mpesaDarajaTwin } from './mpesa-daraja/index.ts';
import { mtnMomoTwin } from './mtn-momo/index.ts';
import { orangeMoneyCameroonTwin } from './orange-money/cameroon.ts';
import { orangeMoneyTwin } from './orange-money/index.ts';
import { pawapayTwin } from './pawapay/index.ts';
import { waveTwin } from './wave/index.ts';

/** A simulator for every kind of provider. */
export const TWINS: readonly TwinKind[] = [
  pawapayTwin,
  mtnMomoTwin,
  flutterwaveTwin,
  orangeMoneyTwin,
  orangeMoneyCameroonTwin,
  waveTwin,
  cinetpayTwin,
  mpesaDarajaTwin,
];
