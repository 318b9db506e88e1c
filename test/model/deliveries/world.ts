/*
 * A small model of webhook deliveries: changes of resources, their events, one delivery for each active endpoint, and nodes that
 * claim a delivery with a lease, send it and record the outcome, and may die, or be slower than their lease, between any two steps.
 * Nothing here is imported from src.
 */

export type EndpointState = 'active' | 'inactive' | 'deleted';

export interface Endpoint {
  state: EndpointState;
  /** How many times it was deactivated or deleted. */
  stops: number;
}

export interface Event {
  resource: number;
  sequence: number;
}

/** Why a delivery is gone: `unsent`: there was nothing to send it to. */
export type End = 'delivered' | 'given_up' | 'dropped' | 'unsent' | 'replaced';

export interface Delivery {
  event: number;
  endpoint: number;
  /** Stops of the endpoint when it was queued. */
  stops: number;
  tries: number;
  due: boolean;
  claim: { id: number; live: boolean } | null;
  /** How many claims were made. */
  claims: number;
  /** Claims whose outcome was recorded as an attempt. */
  outcomes: readonly number[];
  /** The receiver has returned a 2xx. */
  accepted: boolean;
  /** It was claimed while another claim was in force. */
  stolen: boolean;
  /** It was claimed to be sent while its endpoint was not active. */
  astray: boolean;
  end: End | null;
}

/** Outcome of a claim. `nothing`: there was nothing to send. `hopeless`: it failed, as everything has for days. */
export type Outcome = 'succeeded' | 'failed' | 'hopeless' | 'nothing';

export type Node =
  | { at: 'idle' }
  /** Is about to record the event of a change that is committed already, or has read a number. Only planted defects do this. */
  | { at: 'changed'; resource: number; sequence: number; commits: boolean }
  | { at: 'claimed'; delivery: number; claim: number; tries: number; target: boolean }
  | { at: 'answered'; delivery: number; claim: number; tries: number; outcome: Outcome }
  /** Has deactivated the endpoint and is about to drop its queue. */
  | { at: 'dropping'; endpoint: number };

export interface World {
  endpoints: readonly Endpoint[];
  /** Committed changes of each resource. */
  changes: readonly number[];
  events: readonly Event[];
  deliveries: readonly Delivery[];
  resends: number;
  nodes: readonly Node[];
  crashes: number;
}

export interface Rules {
  crashes: number;
  /** Changes of each resource, tries of each delivery, claims of each delivery, resends and stops in all. */
  changes: number;
  tries: number;
  claims: number;
  resends: number;
  stops: number;
  planted?:
    | 'event_after_commit'
    | 'sequence_without_lock'
    | 'claims_despite_lease'
    | 'records_without_claim'
    | 'keeps_claim'
    | 'gives_up_early'
    | 'failure_is_success'
    | 'drops_active'
    | 'drops_claimed'
    | 'ignores_inactive'
    | 'resend_deletes_only'
    | undefined;
}

/** Returns a delivery that is due now. */
export function queued(event: number, endpoint: number, stops: number): Delivery {
  return {
    ...{ event, endpoint, stops, tries: 0, due: true, claim: null, claims: 0, outcomes: [] },
    ...{ accepted: false, stolen: false, astray: false, end: null },
  };
}

/** Claims a delivery, or returns null when it may not be claimed. */
export function claimed(row: Delivery, rules?: Rules): Delivery | null {
  const held = row.claim?.live === true;
  if (row.end !== null || !row.due || (held && rules?.planted !== 'claims_despite_lease')) return null;
  return { ...row, claims: row.claims + 1, claim: { id: row.claims, live: true }, stolen: row.stolen || held };
}

/** Records the outcome of a claim; only its holder can. */
export function recorded(row: Delivery, claim: number, outcome: Outcome, rules: Rules): Delivery {
  const holds = row.claim?.id === claim || rules.planted === 'records_without_claim';
  if (row.end !== null || !holds) return row;
  if (outcome === 'nothing') return { ...row, end: 'unsent' };
  const after = { ...row, tries: row.tries + 1, outcomes: [...row.outcomes, claim] };
  if (outcome === 'succeeded' || rules.planted === 'failure_is_success') return { ...after, end: 'delivered' };
  const last = rules.planted === 'gives_up_early' ? rules.tries - 1 : rules.tries;
  if (after.tries >= last) return { ...after, end: 'given_up' };
  return { ...after, due: false, claim: rules.planted === 'keeps_claim' ? row.claim : null };
}

/** Queues an event again: what waits is replaced, what is in progress is left. */
export function requeued(
  deliveries: readonly Delivery[],
  event: number,
  endpoints: readonly Endpoint[],
  rules?: Rules,
): Delivery[] {
  const kept = deliveries.map((row): Delivery => {
    const waits = row.event === event && row.end === null && row.claim === null;
    return waits ? { ...row, end: endpoints[row.endpoint]?.state === 'active' ? 'replaced' : 'dropped' } : row;
  });
  return rules?.planted === 'resend_deletes_only' ? kept : [...kept, ...queuedFor(event, endpoints)];
}

/** The deliveries of an event: one for each endpoint that is active now. */
export function queuedFor(event: number, endpoints: readonly Endpoint[]): Delivery[] {
  return endpoints.flatMap(({ state, stops }, e) => (state === 'active' ? [queued(event, e, stops)] : []));
}

/** Drops what waits for an endpoint; what is in progress is left. */
export function dropped(deliveries: readonly Delivery[], endpoint: number, rules?: Rules): Delivery[] {
  return deliveries.map((row): Delivery => {
    const waits = row.end === null && (row.claim === null || rules?.planted === 'drops_claimed');
    return row.endpoint === endpoint && waits ? { ...row, end: 'dropped' } : row;
  });
}
