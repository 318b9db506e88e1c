import type { Balance, Booked, Moved, Shown, ShopView, Snapshot } from './snapshot.ts';
import { judgeEvents } from './oracle-events.ts';
import { judgeSales } from './oracle-sales.ts';
import { judgeWishes } from './oracle-wishes.ts';

/*
 * What must hold once nothing is under way. Judged by the contract alone: no code of the core takes part.
 */

/** Returns every difference, in plain words. */
export function judge(snapshot: Snapshot): string[] {
  return [
    ...snapshot.complaints.map((complaint) => `COMPLAINT: ${complaint}`),
    ...snapshot.leaks.map((leak) => `LEAK: ${leak}`),
    ...snapshot.verified.map((difference) => `VERIFY: ${difference}`),
    ...judgeOpen(snapshot),
    ...judgeBooks(snapshot),
    ...judgeBalances(snapshot),
    ...snapshot.shops.flatMap((shop) => [
      ...judgePayments(shop, snapshot),
      ...judgeTransfers(shop, snapshot),
      ...judgeShown(shop, snapshot),
      ...judgeEvents(shop, snapshot),
      ...judgeWishes(shop),
      ...judgeSales(shop, snapshot),
    ]),
  ];
}

function judgeOpen({ open, mismatches, undelivered }: Snapshot): string[] {
  const waiting = new Set(mismatches.flatMap(({ id, payment }) => [id, payment]));
  const left = open.filter(({ id }) => !waiting.has(id)).map(({ kind, id }) => `OPEN: ${kind} ${id} was never decided`);
  return undelivered === 0 ? left : [...left, `OPEN: ${undelivered} deliveries still wait`];
}

// ------------------------------------------------------------------------------------------------ books
/** What the providers say they moved is what the ledger booked, operation by operation. */
function judgeBooks({ moved, booked, mismatches }: Snapshot): string[] {
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
  const strange = mismatches.length;
  return [
    ...[...keys].filter(([, times]) => times > 1).map(([key, times]) => `TWICE: ${key} moved money ${times} times`),
    ...[...theirs].flatMap(([what, amount]) => {
      const found = ours.get(what);
      if (found === undefined) return [`LOST: the provider moved ${amount} (${what}), the ledger knows nothing of it`];
      return found === amount ? [] : [`AMOUNT: the provider moved ${amount} (${what}), the ledger booked ${found}`];
    }),
    ...[...ours]
      .filter(([what]) => !theirs.has(what))
      .map(
        ([what, amount]) =>
          `MISREPORTED: the ledger booked ${amount} (${what}), the provider moved nothing (${strange} mismatches)`,
      ),
  ];
}

/** Balances follow from the movements, nothing guarded is below zero, and nothing is left where money only passes through. */
function judgeBalances(snapshot: Snapshot): string[] {
  const { balances, moved, booked, shops } = snapshot;
  const sums = sumBy(
    balances,
    ({ team_id, currency }) => `${team_id} ${currency}`,
    ({ amount_minor }) => amount_minor,
  );
  const guarded = balances.filter(({ account, amount_minor }) => /^(available|reserved)/.test(account) && amount_minor < 0n);
  const passing = balances.filter(
    ({ account, amount_minor }) => /^(pending|reserved|in\.transit|refund_clearing)/.test(account) && amount_minor !== 0n,
  );
  const chargedBack = booked.filter(({ key }) => key === null).reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
  const lost = shops.flatMap(({ disputes }) => disputes).filter(({ status }: Shown) => status === 'lost');
  const claimed = lost.reduce((sum: bigint, { amount }: Shown) => sum + minor(amount), 0n);
  const currencies = new Set(balances.map(({ currency }) => currency));
  return [
    ...[...sums].filter(([, sum]) => sum !== 0n).map(([what, sum]) => `LEDGER: the accounts of ${what} sum to ${sum}`),
    ...guarded.map((line) => `BELOW ZERO: ${named(line)}`),
    ...passing.map((line) => `LEFT OVER: ${named(line)}`),
    ...(-chargedBack === claimed ? [] : [`CHARGEBACKS: ${-chargedBack} were booked, lost disputes say ${claimed}`]),
    ...[...currencies].flatMap((currency) => judgeClearing(currency, balances, moved, booked)),
    ...shops.flatMap((shop) => [...currencies].flatMap((currency) => judgeAccounts(shop, currency, snapshot))),
    ...shops.flatMap((shop) => shop.balances.flatMap((shown) => judgeBalance(shop, shown, balances))),
  ];
}

/** What the providers owe is what they collected less what they returned, paid out and charged back. */
function judgeClearing(currency: string, balances: Balance[], moved: Moved[], booked: Booked[]): string[] {
  const held = moved
    .filter((one) => one.currency === currency)
    .reduce((sum, { flow, amount_minor }) => sum + (flow === 'collect' ? amount_minor : -amount_minor), 0n);
  const back = booked
    .filter((one) => one.key === null && one.currency === currency)
    .reduce((sum, one) => sum + one.amount_minor, 0n);
  const clearing = total(balances, (line) => line.account === 'clearing' && line.currency === currency);
  return -clearing === held + back
    ? []
    : [`CLEARING: the ledger says ${-clearing} ${currency} lie at the providers, they say ${held + back}`];
}

/** Fees are those of what succeeded; money is set aside for what waits for a person, and for open disputes, and for nothing else. */
function judgeAccounts(shop: ShopView, currency: string, { balances, mismatches, moved, owners }: Snapshot): string[] {
  const { team_id, transfers, disputes, payments } = shop;
  const own = new Set(payments.map(({ id }) => id));
  const inCurrency = (items: Shown[]) => items.filter((item) => item.currency === currency);
  const sumOf = (items: Shown[], field: string) => items.reduce((all: bigint, item) => all + minor(item[field]), 0n);
  const paid = inCurrency(latestPayments(shop)).filter(({ status }) => PAID.has(status));
  const sent = inCurrency(transfers).filter(({ status }) => status === 'succeeded');
  const open = inCurrency(disputes).filter(({ status }) => status === 'needs_response' || status === 'under_review');
  const waiting = mismatches.filter((one) => one.currency === currency && own.has(one.payment));
  // The payment waits with them, and so do the tranches that it has.
  const whole = new Set(waiting.map(({ payment }) => payment));
  const ofWaiting = new Set(owners.filter(({ payment }) => whole.has(payment)).map(({ id }) => id));
  for (const { id } of waiting) ofWaiting.delete(id);
  const tranches = moved.filter((one) => one.flow === 'collect' && one.currency === currency && ofWaiting.has(one.subject));
  const expected = {
    fee_income: sumOf(paid, 'fee') + sumOf(sent, 'fee'),
    disputed: sumOf(open, 'amount'),
    hold: sum([...waiting, ...tranches]),
  };
  return Object.entries(expected).flatMap(([name, amount]) => {
    const booked = total(
      balances,
      (line) => line.team_id === team_id && line.currency === currency && line.account.split(':')[0] === name,
    );
    return booked === amount ? [] : [`ACCOUNT: ${name} of ${currency} is ${booked}, should be ${amount}`];
  });
}

const BUCKETS = ['available', 'pending', 'reserved', 'hold', 'disputed', 'in.transit', 'credit'] as const;

/** GET /balance shows the ledger, and its total is the sum of its parts. */
function judgeBalance({ team_id }: ShopView, shown: Shown, balances: Balance[]): string[] {
  const sum = BUCKETS.reduce((part, name) => part + minor(shown[name]), 0n);
  const wrong = BUCKETS.filter((name) => {
    const booked = total(
      balances,
      (line) => line.team_id === team_id && line.currency === shown.currency && line.account === name,
    );
    return booked !== minor(shown[name]);
  });
  return [
    ...(sum === minor(shown.total) ? [] : [`BALANCE: the total of ${shown.currency} is ${shown.total}, its parts sum to ${sum}`]),
    ...wrong.map((name) => `BALANCE: ${name} of ${shown.currency} is shown as ${shown[name]}, the ledger says otherwise`),
  ];
}

// --------------------------------------------------------------------------------------------- payments
const PAID = new Set(['succeeded', 'partially_refunded', 'refunded']);

/** What some of these amounts, or all or none of them, come to. */
function sumsOf(amounts: readonly bigint[]): ReadonlySet<bigint> {
  const sums = new Set([0n]);
  for (const amount of amounts) for (const sum of [...sums]) sums.add(sum + amount);
  return sums;
}

/** Every captured franc of a payment is kept by the merchant, refunded, or returned to the payer: once. */
function judgePayments(shop: ShopView, snapshot: Snapshot): string[] {
  const owners = new Map(snapshot.owners.map((owner) => [owner.id, owner]));
  const by = Map.groupBy(snapshot.moved, ({ subject }) => owners.get(subject)?.payment);
  const waiting = new Set(snapshot.mismatches.map(({ payment }) => payment));
  return latestPayments(shop).flatMap((payment) => {
    const moved = by.get(payment.id) ?? [];
    const kindOf = ({ flow, subject }: Moved) => (flow === 'collect' ? 'collect' : owners.get(subject)?.kind);
    const of = (kind: string) => sum(moved.filter((one) => kindOf(one) === kind));
    const [collected, refunded, returned] = [of('collect'), of('merchant'), of('giveback')];
    const kept = snapshot.kept.filter((one) => one.payment === payment.id).reduce((all, one) => all + one.amount_minor, 0n);
    const paid = PAID.has(payment.status) ? minor(payment.amount_total) : 0n;
    const named = `${payment.id} (${payment.reference}, ${payment.status})`;
    const found: string[] = [];
    // Of a payment that ended unpaid, the tranches that were returned by themselves count as refunded; money that came after its end does not.
    const shown = minor(payment.amount_refunded);
    const tranches = moved.filter((one) => kindOf(one) === 'giveback').map(({ amount_minor }) => amount_minor);
    if (shown !== refunded && (PAID.has(payment.status) || !sumsOf(tranches).has(shown)))
      found.push(`REFUNDED: ${named} shows ${payment.amount_refunded}, the providers returned ${refunded} and ${returned}`);
    if (refunded > minor(payment.amount)) found.push(`REFUNDED TOO MUCH: ${named}: ${refunded}`);
    if (!waiting.has(payment.id) && collected - returned - kept !== paid)
      found.push(
        `CHARGED: ${named} collected ${collected}, returned ${returned}, keeps ${kept} besides, and should have ${paid}`,
      );
    return [...found, ...judgeStatus(payment, named), ...judgeFee(payment, named)];
  });
}

function judgeStatus(payment: Shown, named: string): string[] {
  const left = minor(payment.amount) - minor(payment.amount_refunded);
  const expected = left === 0n ? 'refunded' : left < minor(payment.amount) ? 'partially_refunded' : 'succeeded';
  return PAID.has(payment.status) && payment.status !== expected ? [`STATUS: ${named} should be ${expected}`] : [];
}

const RATES: Record<string, bigint> = { bank: 150n, card: 350n };
const WHOLE = new Set(['XAF', 'XOF', 'UGX', 'GNF', 'RWF']);

/** Mobile money 2 %, bank 1.5 %, card 3.5 %, half-up to the decimals of the currency; whoever bears it. */
function judgeFee(payment: Shown, named: string): string[] {
  // A fee is fixed by the first charge that a provider took.
  if (!PAID.has(payment.status)) return [];
  const unit = WHOLE.has(payment.currency) ? 100n : 1n;
  const scaled = minor(payment.amount) * (RATES[payment.channel.split('.')[1]] ?? 200n);
  const fee = ((2n * scaled + 10_000n * unit) / (20_000n * unit)) * unit;
  const amount_total = minor(payment.amount) + (payment.bearer === 'customer' ? fee : 0n);
  return [
    ...(minor(payment.fee) === fee ? [] : [`FEE: of ${named} is ${payment.fee}, should be ${fee}`]),
    ...(minor(payment.amount_total) === amount_total
      ? []
      : [`TOTAL: of ${named} is ${payment.amount_total}, should be ${amount_total}`]),
  ];
}

/** A transfer that succeeded moved its amount once; any other moved nothing. */
function judgeTransfers({ transfers, refunds }: ShopView, { moved }: Snapshot): string[] {
  const by = Map.groupBy(moved, ({ subject }) => subject);
  const sent = transfers.flatMap(({ id, status, amount }) => {
    const found = by.get(id) ?? [];
    const expected = status === 'succeeded' ? minor(amount) : 0n;
    return sum(found) === expected && found.length <= 1
      ? []
      : [`PAYOUT: ${id} is ${status}, the provider moved ${sum(found)} in ${found.length} payouts`];
  });
  const back = refunds.flatMap(({ id, status, amount }) => {
    const found = sum(by.get(id) ?? []);
    const right = status === 'succeeded' ? found === minor(amount) : found < minor(amount);
    return right ? [] : [`REFUND: ${id} of ${amount} is ${status}, the providers moved ${found}`];
  });
  return [...sent, ...back];
}

/** Lists, single payments and the last events show the same. */
function judgeShown(shop: ShopView, { owners }: Snapshot): string[] {
  const found: string[] = [];
  for (const list of ['payments', 'refunds', 'transfers', 'disputes', 'events'] as const) {
    const ids = new Set(shop[list].map(({ id }) => id));
    if (ids.size !== shop[list].length) found.push(`LIST: /${list} shows something twice`);
    if (shop.totals[list] !== ids.size) found.push(`LIST: /${list} has ${ids.size} items and a total of ${shop.totals[list]}`);
  }
  const merchant = owners.filter(({ kind }) => kind === 'merchant').length;
  if (merchant > 0 && shop.refunds.length === 0 && shop.payments.length > 200) found.push('LIST: /refunds is empty');
  const latest = new Map(latestPayments(shop).map((payment) => [payment.id, payment]));
  for (const listed of shop.payments) {
    const payment = latest.get(listed.id);
    if (!payment) found.push(`LIST: ${listed.id} has no event`);
    else if (listed.status !== payment.status)
      found.push(`LIST: ${listed.id} is ${listed.status}, its last event says ${payment.status}`);
  }
  return found;
}

/** Payments as their last events show them; of a world without events, as they were retrieved. */
export function latestPayments({ events }: ShopView): Shown[] {
  const latest = new Map<string, Shown>();
  for (const { event, data } of events) if (event.startsWith('payment.')) latest.set(data.id, data);
  return [...latest.values()];
}

// ----------------------------------------------------------------------------------------------- helpers
/** Hundredths of an amount on the wire, exactly. */
export function minor(amount: number): bigint {
  return BigInt(Math.round(amount * 100));
}

function abs(amount: bigint): bigint {
  return amount < 0n ? -amount : amount;
}

function sum(moved: readonly { amount_minor: bigint }[]): bigint {
  return moved.reduce((all, { amount_minor }) => all + amount_minor, 0n);
}

function total(balances: readonly Balance[], which: (line: Balance) => boolean): bigint {
  return balances.reduce((all, line) => (which(line) ? all + line.amount_minor : all), 0n);
}

function sumBy<T>(items: readonly T[], keyOf: (item: T) => string, amountOf: (item: T) => bigint): Map<string, bigint> {
  const sums = new Map<string, bigint>();
  for (const item of items) sums.set(keyOf(item), (sums.get(keyOf(item)) ?? 0n) + amountOf(item));
  return sums;
}

function named({ account, team_id, currency, amount_minor }: Balance): string {
  return `${account} of ${team_id} in ${currency} is ${amount_minor}`;
}
