/** Kinds of payment methods. Fees, retention and providers' costs are set per kind. */
export type ChannelKind = 'mobile_money' | 'bank' | 'card';
