import { resolveAttempt } from '../../src/core/charge/resolve.ts';
import { resolveRefund } from '../../src/core/refunds/resolve.ts';
import { resolveReturn } from '../../src/core/returns/resolve.ts';
import { resolveTransfer } from '../../src/core/transfers/resolve.ts';
import { Problem } from '../../src/kit/errors.ts';
import { sql } from '../../src/kit/sql.ts';
import type { Actor as By } from '../../src/tenants/audit/actor.ts';
import { type Entry, hasMoved } from './book.ts';
import type { World } from './population.ts';

/** A person resolves what has been open for this many looks, and not before this round. */
const PATIENCE_LOOKS = 4;
const PATIENCE_ROUNDS = 6;

const BY: By = { kind: 'operator', id: 'ama', request_id: null, address: null };

interface Open {
  kind: 'attempt' | 'refund' | 'transfer' | 'return' | 'overpaid return' | 'payment';
  team_id: bigint;
  id: string;
  account: string | null;
  key: string | null;
  /** Index of the part of a refund. */
  part: number | null;
  /** A person is needed now. */
  waits: boolean;
  /** How far the part of a refund is, and when it was sent: what is sent anew is looked at anew. */
  standing: string | null;
}

/**
 * Looks at everything that is still open. After some rounds, resolves what no provider will report, with the outcome that the
 * provider's statement shows.
 * @returns whether anything was open
 */
export async function attend(world: World, round: number): Promise<boolean> {
  const open = await openWork(world);
  // What was submitted anew is looked at anew.
  const nameOf = ({ id, part, key, standing }: Open) => `${id} ${part} ${key} ${standing}`;
  const looks = (one: Open) => world.looks.get(nameOf(one)) ?? 0;
  for (const one of open) world.looks.set(nameOf(one), looks(one) + 1);
  const isOld = (one: Open) => round >= PATIENCE_ROUNDS && looks(one) >= PATIENCE_LOOKS;
  // A return continues without a person when the refund or payout that it waits for has ended.
  const due = open.filter((one) => one.kind !== 'payment' && (one.waits || (one.kind !== 'return' && isOld(one))));
  if (round >= 3) for (const one of due) await resolve(world, one);
  return open.some((one) => !isPaidOtherwise(world, one));
}

/** Everything that is not decided; not what only reconciliation with a statement can settle. */
export function openWork({ ground }: Pick<World, 'ground'>): Promise<Open[]> {
  return ground.live.all<Open>(sql`
    select 'attempt' as kind, team_id, id, provider_account as account, provider_key as key, null::integer as part, mismatch is not null as waits,
      null as standing
      from attempts where status in ('created', 'open', 'unknown') or mismatch is not null
    union all
    select 'refund', r.team_id, r.id, a.provider_account, leg.value->>'provider_key', leg.n::integer - 1, false,
      concat(leg.value->>'status', leg.value->>'sent_at')
      from refunds r cross join json_array_elements(r.legs) with ordinality as leg(value, n)
      join attempts a on a.team_id = r.team_id and a.id = leg.value->>'attempt_id'
      where (r.draws is not null or r.kind <> 'merchant') and r.way = 'refund' and r.status in ('pending', 'processing')
        and leg.value->>'status' <> 'succeeded'
    union all
    select 'refund', r.team_id, r.id, t.account_id, leg.value->>'provider_key', leg.n::integer - 1, false,
      concat(leg.value->>'status', leg.value->>'sent_at')
      from returns t join refunds r on r.team_id = t.team_id and r.id = t.payout_id
      cross join json_array_elements(r.legs) with ordinality as leg(value, n)
      where t.closed_at is null and r.way = 'payout' and r.status in ('pending', 'processing') and leg.value->>'status' <> 'succeeded'
    union all
    select 'transfer', team_id, id, provider_account, provider_key, null, false, dispatched_at::text from transfers where status = 'processing'
    union all
    select case state when 'overpaid' then 'overpaid return' else 'return' end, team_id, id, account_id, null, null,
      state in ('waiting', 'overpaid'), null from returns where closed_at is null
    union all
    select 'payment', p.team_id, p.id, null, null, null, false, null from payments p
      where p.status in ('pending', 'partial') or (p.status = 'processing' and not exists (
        select from attempts a where a.team_id = p.team_id and a.payment_id = p.id
          and (a.status in ('created', 'open', 'unknown') or a.mismatch is not null)))
    order by 1, 3, 6`);
}

async function resolve(world: World, one: Open): Promise<void> {
  const { ground, bank } = world;
  const { kind, team_id, id, account, key } = one;
  const entry = account && key ? bank.book.find(account, key) : undefined;
  if (isPaidOtherwise(world, one)) return;
  ground.surroundings.count(`by hand: ${kind}`);
  if (!needsPerson(world, one)) world.breaches.add(`BY HAND: ${kind} ${id} was still open, and only a person ended it`);
  const as = truthOf(entry, bank.now());
  if (as === 'failed') world.endedByHand.add(id);
  const verdict = { as, evidence: 'statement of the provider', author: 'ama' } as const;
  await ground.operate(async (deps, store) => {
    const own = store.of(team_id);
    const ref = { team_id, id };
    try {
      if (kind === 'attempt') await resolveAttempt(deps, own, ref, verdict, BY);
      if (kind === 'refund') await resolveRefund(deps, own, { ...ref, part: one.part }, verdict, BY);
      if (kind === 'transfer') await resolveTransfer(deps, own, ref, verdict, BY);
      if (kind === 'return') await resolveReturn(deps, own, ref, { ...verdict, as: 'kept' }, BY);
      if (kind === 'overpaid return') await resolveReturn(deps, own, ref, { ...verdict, as: 'absorbed' }, BY);
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      ground.surroundings.log(`a person could not resolve ${id} as ${as}: ${error.message}`);
    }
  });
}

/** Returns whether only a person can end it: its provider cannot be read, or would move the money twice when asked again. */
function needsPerson({ traits, bank }: World, { kind, account, key, waits }: Open): boolean {
  const of = traits.find(({ account_id }) => account_id === account);
  if (waits || of?.readable_by === 'theirs' || bank.needsPerson(account ?? '', key ?? '')) return true;
  return (kind === 'refund' || kind === 'transfer') && of?.idempotency === 'none';
}

function truthOf(entry: Entry | undefined, now: number): 'succeeded' | 'failed' {
  return entry && hasMoved(entry, now) ? 'succeeded' : 'failed';
}

/**
 * Whether another amount or currency was really paid than was requested. Reconciliation settles that: a resolution would book the
 * requested amount.
 */
function isPaidOtherwise({ bank }: World, { account, key }: Open): boolean {
  const entry = account && key ? bank.book.find(account, key) : undefined;
  return entry !== undefined && (entry.moves.amount_minor !== entry.amount_minor || entry.moves.currency !== entry.currency);
}
