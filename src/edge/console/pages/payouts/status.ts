import type { TransferStatus } from '../../../../core/transfers/states.ts';
import type { Html } from '../../../../kit/html.ts';
import type { ConsoleLanguage } from '../../language.ts';
import { badge, type Tone } from '../../parts/parts.ts';
import { PAYOUT_TEXTS } from './texts.ts';

const TONES: Record<TransferStatus, Tone> = { processing: 'info', succeeded: 'good', failed: 'bad', cancelled: 'idle' };

/** Renders the status of a payout. */
export function payoutBadge(status: TransferStatus, language: ConsoleLanguage): Html {
  return badge(PAYOUT_TEXTS[language].statuses[status], TONES[status]);
}
