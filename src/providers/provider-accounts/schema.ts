import type { Environment } from '../../kit/environment.ts';
import type { ChannelKind } from '../../kit/channel-kind.ts';

/**
 * The provider's fee for one operation: a percentage in hundredths of a percent and a fixed part in hundredths of the
 * currency.
 */
export interface Cost {
  percent_hundredths: number;
  fixed_minor: number;
}

/** Fees by kind of channel. Payouts have their own fee. */
export type Costs = Partial<Record<ChannelKind | 'payout', Cost>>;

/** One account of a team at a provider, without its credentials. */
export interface AccountRow {
  /** `pa_…` */
  id: string;
  team_id: bigint;
  environment: Environment;
  provider: string;
  name: string;
  active: boolean;
  costs: Costs | null;
  created_at: Date;
  updated_at: Date;
}
