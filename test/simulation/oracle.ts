import { judgeAttempts } from './oracle-attempts.ts';
import { judgeAudit, judgeForeign } from './oracle-audit.ts';
import { judgeBalances } from './oracle-balances.ts';
import { judgeDisputes, overreturned } from './oracle-disputes.ts';
import { judgeEvents } from './oracle-events.ts';
import { abs, isOther, sumBy, waitingPayouts } from './oracle-money.ts';
import { judgePayments, judgeTransfers } from './oracle-payments.ts';
import { judgeRequired } from './oracle-required.ts';
import { judgeSales } from './oracle-sales.ts';
import { judgeShown } from './oracle-shown.ts';
import { judgeWishes } from './oracle-wishes.ts';
import type { Booked, Moved, Snapshot } from './snapshot.ts';

/*
 * What must hold once nothing is under way. Judged by the contract alone: no code of the core takes part, except in `verified`.
 */

/** Returns every difference, in plain words. */
export function judge(given: Snapshot): string[] {
  const snapshot = { ...given, mismatches: given.mismatches.filter((one) => isReal(one, given.moved)) };
  return [
    ...snapshot.complaints.map((complaint) => `COMPLAINT: ${complaint}`),
    ...snapshot.leaks.map((leak) => `LEAK: ${leak}`),
    ...judgeVerified(snapshot).map((difference) => `VERIFY: ${difference}`),
    ...judgeMismatches(given),
    ...judgeOpen(snapshot),
    ...judgeBooks(snapshot),
    ...judgeOperations(snapshot),
    ...judgeBalances(snapshot),
    ...snapshot.shops.flatMap((shop) => [
      ...judgePayments(shop, snapshot),
      ...judgeAttempts(shop, snapshot),
      ...judgeTransfers(shop, snapshot),
      ...judgeDisputes(shop, snapshot),
      ...judgeShown(shop, snapshot),
      ...judgeEvents(shop),
      ...judgeRequired(shop, snapshot),
      ...judgeWishes(shop, snapshot),
      ...judgeSales(shop, snapshot),
      ...judgeAudit(shop, snapshot),
      ...judgeForeign(shop),
    ]),
  ];
}

/** What the service itself finds wrong with its books. That too much went back by a late refund is for a person to claim, and is reported. */
function judgeVerified(snapshot: Snapshot): string[] {
  const late = overreturned(snapshot).map((id) => ({
    id,
    is: (line: string) => line.startsWith('returned_too_much ') && line.includes(` of ${id}:`),
  }));
  return [
    ...snapshot.verified.filter((line) => !late.some(({ is }) => is(line))),
    ...late.filter(({ is }) => !snapshot.verified.some(is)).map(({ id }) => `of ${id} too much went back, and nobody reports it`),
  ];
}

// ------------------------------------------------------------------------------------------- mismatches
/** Only what the provider really moved otherwise than it was asked to may wait as a mismatch, and with what was moved. */
function isReal({ id, amount_minor, currency }: Snapshot['mismatches'][number], moved: readonly Moved[]): boolean {
  const own = moved.filter(({ flow, subject }) => flow === 'collect' && subject === id);
  return own.some((one) => isOther(one) && one.amount_minor === amount_minor && one.currency === currency);
}

function judgeMismatches({ mismatches, moved, open }: Snapshot): string[] {
  const waiting = new Set([...mismatches.map(({ id }) => id), ...waitingPayouts({ moved, open })]);
  return [
    ...mismatches
      .filter((one) => !isReal(one, moved))
      .map(
        ({ id, amount_minor, currency }) =>
          `MISMATCH: ${id} waits with ${amount_minor} ${currency}, which nobody paid in place of another`,
      ),
    ...moved
      .filter((one) => isOther(one) && !waiting.has(one.subject))
      .map(
        ({ subject, amount_minor, asked_minor }) =>
          `MISMATCH: of ${subject} ${asked_minor} were asked for, ${amount_minor} moved, and nobody is told`,
      ),
  ];
}

function judgeOpen({ open, mismatches, moved, undelivered }: Snapshot): string[] {
  const waiting = new Set([...mismatches.flatMap(({ id, payment }) => [id, payment]), ...waitingPayouts({ moved, open })]);
  const left = open.filter(({ id }) => !waiting.has(id)).map(({ kind, id }) => `OPEN: ${kind} ${id} was never decided`);
  return undelivered === 0 ? left : [...left, `OPEN: ${undelivered} deliveries still wait`];
}

// ------------------------------------------------------------------------------------------------ books
/** What the providers say they moved is what the ledger booked, operation by operation. */
function judgeBooks({ moved: all, booked, open }: Snapshot): string[] {
  const waiting = waitingPayouts({ moved: all, open });
  const moved = all.filter(({ subject }) => !waiting.has(subject));
  const theirs = sumBy(
    moved,
    ({ flow, key, currency }) => `${key} ${currency} ${flow === 'collect' ? 'in' : 'out'}`,
    ({ amount_minor }) => amount_minor,
  );
  const own = booked.filter((line): line is Booked & { key: string } => line.key !== null);
  const net = [...Map.groupBy(own, ({ key, currency }) => `${key} ${currency}`)].flatMap(([, lines]) => {
    const [first] = lines as [Booked & { key: string }];
    const amount_minor = lines.reduce((sum, line) => sum + line.amount_minor, 0n);
    return amount_minor === 0n ? [] : [{ ...first, amount_minor }];
  });
  const ours = sumBy(
    net,
    ({ key, currency, amount_minor }) => `${key} ${currency} ${amount_minor > 0n ? 'in' : 'out'}`,
    ({ amount_minor }) => abs(amount_minor),
  );
  const keys = new Map<string, number>();
  for (const { key } of moved) keys.set(key, (keys.get(key) ?? 0) + 1);
  return [
    ...[...keys].filter(([, times]) => times > 1).map(([key, times]) => `TWICE: ${key} moved money ${times} times`),
    ...[...theirs].flatMap(([what, amount]) => {
      const found = ours.get(what);
      if (found === undefined) return [`LOST: the provider moved ${amount} (${what}), the ledger knows nothing of it`];
      return found === amount ? [] : [`AMOUNT: the provider moved ${amount} (${what}), the ledger booked ${found}`];
    }),
    ...[...ours]
      .filter(([what]) => !theirs.has(what))
      .map(([what, amount]) => `MISREPORTED: the ledger booked ${amount} (${what}), the provider moved nothing`),
  ];
}

/** A refund returns a collection of its own payment, and money goes back to the number it came from. */
function judgeOperations({ moved, owners }: Snapshot): string[] {
  const paymentOf = new Map(owners.map(({ id, payment }) => [id, payment]));
  const collected = moved.filter(({ flow }) => flow === 'collect');
  const byKey = new Map(collected.map((one) => [one.key, one]));
  const numbers = Map.groupBy(collected, ({ subject }) => paymentOf.get(subject));
  return moved.flatMap(({ flow, subject, of, number }) => {
    const payment = paymentOf.get(subject);
    if (flow === 'refund') {
      const from = of === null ? undefined : byKey.get(of);
      if (!from || paymentOf.get(from.subject) !== payment)
        return [`WHOSE: ${subject} of ${payment} returned ${of}, which is of another payment`];
      return number === null || number === from.number
        ? []
        : [`WHOM: ${subject} returned what ${from.number} had paid to ${number}`];
    }
    if (flow === 'collect' || payment === undefined) return [];
    return numbers.get(payment)?.some((one) => one.number === number)
      ? []
      : [`WHOM: ${subject} returned the money of ${payment} to ${number}`];
  });
}
