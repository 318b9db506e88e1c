/** Why a link takes no payment, as its page shows it. */
export type Closed = 'inactive' | 'expired' | 'used' | 'full' | 'unverified' | 'unknown';

/** What a link can ask the payer for. */
type PayerField = 'name' | 'email' | 'phone';

/** Every text of a link's page. A language that misses one does not compile. */
export interface LinkTexts {
  amount: string;
  /**
   * Help text with the limits of the amount.
   * @param max null for no maximum
   */
  range(min: string, max: string | null): string;
  fields: Record<PayerField, string>;
  next: string;
  nextHelp: string;
  closed: Record<Closed, { title: string; text: string }>;
  busy: string;
  errors: Record<'amount' | 'decimals' | PayerField | 'phoneCountry' | 'form' | 'repriced' | 'ceiling' | 'refused', string>;
}
