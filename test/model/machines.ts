/**
 * The state machines as docs/contract/states.md describes them, written by hand and without any import from src: a status, a
 * trigger, and the status that follows. What is not listed changes nothing.
 */
export const MACHINES = {
  payment: `
    pending            submitted          processing
    pending            part_captured      partial
    pending            declined           failed
    pending            merchant_cancelled cancelled
    pending            window_elapsed     expired
    processing         part_captured      partial
    processing         captured           succeeded
    processing         declined           failed
    processing         payer_cancelled    cancelled
    processing         window_elapsed     expired
    partial            part_captured      partial
    partial            captured           succeeded
    partial            window_elapsed     expired
    succeeded          part_refunded      partially_refunded
    succeeded          fully_refunded     refunded
    partially_refunded part_refunded      partially_refunded
    partially_refunded fully_refunded     refunded`,
  refund: `
    pending    sent      processing
    pending    failed    failed
    processing succeeded succeeded
    processing failed    failed`,
  transfer: `
    processing uncovered failed
    processing sending   processing
    processing unsent    processing
    processing waiting   processing
    processing succeeded succeeded
    processing failed    failed
    processing cancelled cancelled`,
  dispute: `
    needs_response evidence_sent         under_review
    needs_response accepted              lost
    needs_response provider_decided_won  won
    needs_response provider_decided_lost lost
    needs_response withdrawn             closed
    under_review   accepted              lost
    under_review   provider_decided_won  won
    under_review   provider_decided_lost lost
    under_review   withdrawn             closed`,
} as const;

export type MachineName = keyof typeof MACHINES;

/** Returns the status after a trigger, or null when nothing changes. */
export function nextOf(machine: MachineName, status: string, trigger: string): string | null {
  for (const line of MACHINES[machine].trim().split('\n')) {
    const [from, by, to] = line.trim().split(/\s+/);
    if (from === status && by === trigger) return to as string;
  }
  return null;
}
