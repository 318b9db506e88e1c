/**
 * The state machines as docs/contract/states.md describes them, written by hand and without any import from src: a status, a
 * trigger, and the status that follows. What is not listed changes nothing. Triggers of an attempt: responses to a submission
 * (`accepted`, `unclear`, `unavailable`), polls (`pending`, `absent`, `absent_for_long`: beyond the grace period), the outcome by
 * either (`captured`, `declined`, `payer_cancelled`, `timed_out`, `other_amount`), a person (`resolved_…`), and, for an attempt that
 * was closed as never arrived and whose payment still waits for it, that the provider has it after all (`found`, `perhaps_found`). An attempt that
 * its provider had turned away, and that it has after all, goes on like a new one.
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
  attempt: `
    created     accepted           open
    created     pending            open
    created     unclear            unknown
    created     absent             unknown
    created     unavailable        unavailable
    created     captured           succeeded
    created     declined           failed
    created     payer_cancelled    cancelled
    created     timed_out          expired
    created     absent_for_long    expired
    created     other_amount       unknown
    created     resolved_succeeded succeeded
    created     resolved_failed    failed
    open        captured           succeeded
    open        declined           failed
    open        payer_cancelled    cancelled
    open        timed_out          expired
    open        other_amount       unknown
    open        resolved_succeeded succeeded
    open        resolved_failed    failed
    unknown     accepted           open
    unknown     pending            open
    unknown     captured           succeeded
    unknown     declined           failed
    unknown     payer_cancelled    cancelled
    unknown     timed_out          expired
    unknown     absent_for_long    expired
    unknown     resolved_succeeded succeeded
    unknown     resolved_failed    failed
    failed      captured           succeeded
    failed      resolved_succeeded succeeded
    cancelled   captured           succeeded
    cancelled   resolved_succeeded succeeded
    unavailable captured           succeeded
    unavailable accepted           open
    unavailable pending            open
    unavailable unclear            unknown
    unavailable resolved_succeeded succeeded
    expired     captured           succeeded
    expired     resolved_succeeded succeeded
    expired     found              open
    expired     perhaps_found      unknown`,
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

type Line = [from: string, trigger: string, to: string];

const LINES = Object.fromEntries(
  Object.entries(MACHINES).map(([machine, table]) => [
    machine,
    table
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/) as Line),
  ]),
) as Record<MachineName, Line[]>;

const NEXT = new Map(
  Object.entries(LINES).flatMap(([machine, lines]) =>
    lines.map(([from, trigger, to]) => [`${machine} ${from} ${trigger}`, to] as const),
  ),
);

/** Returns the words of a table: statuses and triggers. */
export function wordsOf(machine: MachineName): { statuses: string[]; triggers: string[] } {
  const lines = LINES[machine];
  return {
    statuses: [...new Set(lines.flatMap(([from, , to]) => [from, to]))],
    triggers: [...new Set(lines.map(([, trigger]) => trigger))],
  };
}

/** Returns the status after a trigger, or null when nothing changes. */
export function nextOf(machine: MachineName, status: string, trigger: string): string | null {
  return NEXT.get(`${machine} ${status} ${trigger}`) ?? null;
}
