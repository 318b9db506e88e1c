import { claimedOf } from './oracle-disputes.ts';
import {
  abs,
  feeOf,
  isLate,
  latestPayments,
  minor,
  PAID,
  refundedOf,
  sum,
  sumBy,
  sumOf,
  total,
  unitOf,
  waitingPayouts,
} from './oracle-money.ts';
import type { Balance, Shown, ShopView, Snapshot } from './snapshot.ts';

/** Accounts in which nothing belongs to the merchant or to a sub-account. */
const OTHERS = new Set(['clearing', 'fee_income', 'refund_clearing', 'hold']);

/** Balances follow from the movements, nothing guarded is below zero, and nothing is left where money only passes through. */
export function judgeBalances(snapshot: Snapshot): string[] {
  const { balances, shops } = snapshot;
  const sums = sumBy(
    balances,
    ({ team_id, currency }) => `${team_id} ${currency}`,
    ({ amount_minor }) => amount_minor,
  );
  const guarded = balances.filter(({ account, amount_minor }) => /^(available|reserved)/.test(account) && amount_minor < 0n);
  const stays = stayingOf(snapshot);
  const passing = balances.filter(
    (line) => /^(pending|reserved|in\.transit|refund_clearing|disputed)/.test(line.account) && line.amount_minor !== stays(line),
  );
  const teams = new Set(shops.map(({ team_id }) => team_id));
  const currencies = [...new Set(balances.map(({ currency }) => currency))];
  return [
    ...[...sums].filter(([, sum]) => sum !== 0n).map(([what, sum]) => `LEDGER: the accounts of ${what} sum to ${sum}`),
    ...guarded.map((line) => `BELOW ZERO: ${named(line)}`),
    ...passing.map((line) => `LEFT OVER: ${named(line)}`),
    ...balances.filter(({ team_id }) => !teams.has(team_id)).map((line) => `NOBODY: ${named(line)}, which is no shop`),
    ...judgeCredit(balances),
    ...shops.flatMap((shop) =>
      currencies.flatMap((currency) => [
        ...judgeClearing(shop, currency, snapshot),
        ...judgeAccounts(shop, currency, snapshot),
        ...judgeParties(shop, currency, snapshot),
      ]),
    ),
    ...shops.flatMap((shop) => shop.balances.flatMap((shown) => judgeBalance(shop, shown, balances))),
  ];
}

/** Returns what may be left of accounts through which money only passes: amount and fee of payouts that wait for reconciliation. */
function stayingOf(snapshot: Snapshot): (line: Balance) => bigint {
  const waiting = waitingPayouts(snapshot);
  const staying = snapshot.shops.flatMap(({ team_id, transfers }) =>
    transfers
      .filter(({ id }) => waiting.has(id))
      .flatMap(({ amount, currency, account }) => {
        const suffix = account ? `:${account}` : '';
        return [
          { team_id, currency, account: `in.transit${suffix}`, amount_minor: minor(amount) },
          { team_id, currency, account: `reserved${suffix}`, amount_minor: feeOf(amount, currency, 100n) },
        ];
      }),
  );
  return ({ team_id, currency, account }) =>
    total(staying, (one) => one.team_id === team_id && one.currency === currency && one.account === account);
}

/** Credit is what was advanced: who has anything available repays it first. */
function judgeCredit(balances: readonly Balance[]): string[] {
  return balances.flatMap((line) => {
    if (!line.account.startsWith('credit')) return [];
    if (line.amount_minor > 0n) return [`CREDIT: ${named(line)}`];
    const available = total(
      balances,
      ({ team_id, currency, account }) =>
        team_id === line.team_id && currency === line.currency && account === line.account.replace('credit', 'available'),
    );
    return line.amount_minor < 0n && available > 0n ? [`CREDIT: ${named(line)}, although ${available} are available`] : [];
  });
}

/** What the providers owe to a team is what they collected for it less what they returned, paid out and charged back. */
function judgeClearing(shop: ShopView, currency: string, snapshot: Snapshot): string[] {
  const { balances, moved, owners } = snapshot;
  const waiting = waitingPayouts(snapshot);
  const own = new Set([...shop.payments, ...shop.transfers].map(({ id }) => id));
  const paymentOf = new Map(owners.map(({ id, payment }) => [id, payment]));
  const mine = moved.filter(
    ({ subject, currency: one }) => one === currency && own.has(paymentOf.get(subject) ?? subject) && !waiting.has(subject),
  );
  const held = mine.reduce((all, { flow, amount_minor }) => all + (flow === 'collect' ? amount_minor : -amount_minor), 0n);
  const back = claimedOf(shop, (payment) => payment.currency === currency);
  const clearing = total(
    balances,
    (line) => line.team_id === shop.team_id && line.account === 'clearing' && line.currency === currency,
  );
  return -clearing === held - back
    ? []
    : [`CLEARING: the ledger says ${-clearing} ${currency} of ${shop.team_id} lie at the providers, they say ${held - back}`];
}

/** Fees are those of what succeeded, less what the platform bears; money is set aside for what waits for a person, and for nothing else. */
function judgeAccounts(shop: ShopView, currency: string, { balances, mismatches, moved, owners, absorbed }: Snapshot): string[] {
  const { team_id, transfers, payments } = shop;
  const own = new Set(payments.map(({ id }) => id));
  const inCurrency = (items: Shown[]) => items.filter((item) => item.currency === currency);
  const paid = inCurrency(latestPayments(shop)).filter(({ status }) => PAID.has(status));
  const sent = inCurrency(transfers).filter(({ status }) => status === 'succeeded');
  const waiting = mismatches.filter((one) => one.currency === currency && own.has(one.payment));
  // A payment that is not over waits with them, and so do the tranches that it has.
  const done = new Set(latestPayments(shop).flatMap(({ id, completed_at }) => (completed_at ? [id] : [])));
  const whole = new Set(waiting.map(({ payment }) => payment).filter((id) => !done.has(id)));
  const ofWaiting = new Set(owners.filter(({ payment }) => whole.has(payment)).map(({ id }) => id));
  for (const { id } of waiting) ofWaiting.delete(id);
  const tranches = moved.filter((one) => one.flow === 'collect' && one.currency === currency && ofWaiting.has(one.subject));
  const borne = absorbed.filter((one) => one.currency === currency && own.has(one.payment));
  const expected = {
    fee_income: sumOf(paid, 'fee') + sumOf(sent, 'fee') - sum(borne),
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

interface Due {
  amount_minor: bigint;
  /** What the rounding of refunds and disputes of split payments may move between the parties. */
  spread: bigint;
}

/** Each party has what the contract gives it: its share of what was paid, less its part of what went back, less payouts. */
function judgeParties(shop: ShopView, currency: string, snapshot: Snapshot): string[] {
  const due = new Map<string, Due>([['', { amount_minor: 0n, spread: 0n }]]);
  const add = (party: string, amount_minor: bigint, spread = 0n) => {
    const before = due.get(party) ?? { amount_minor: 0n, spread: 0n };
    due.set(party, { amount_minor: before.amount_minor + amount_minor, spread: before.spread + spread });
  };
  for (const payment of latestPayments(shop)) {
    if (payment.currency !== currency) continue;
    for (const one of snapshot.kept) if (one.payment === payment.id) add('', one.amount_minor);
    if (PAID.has(payment.status))
      for (const [party, part] of sharesOf(shop, payment, snapshot)) add(party, part.amount_minor, part.spread);
  }
  for (const transfer of shop.transfers) {
    if (transfer.currency !== currency) continue;
    const { status, amount, fee, account } = transfer;
    if (status === 'succeeded') add(account ?? '', -minor(amount) - minor(fee));
    else if (isLate(transfer)) add(account ?? '', -minor(amount));
  }
  const lines = snapshot.balances.filter((line) => line.team_id === shop.team_id && line.currency === currency);
  const owned = lines.filter(({ account }) => !OTHERS.has(account.split(':')[0] as string));
  const partyOf = (account: string) => account.split(':')[1] ?? '';
  for (const { account } of owned) add(partyOf(account), 0n);
  return [...due].flatMap(([party, { amount_minor, spread }]) => {
    const has = total(owned, ({ account }) => partyOf(account) === party);
    return abs(has - amount_minor) <= spread
      ? []
      : [
          `SHARE: ${party || 'the team'} has ${has} ${currency}, should have ${amount_minor}${spread ? ` (give or take ${spread})` : ''}`,
        ];
  });
}

/**
 * What is left to each party of one payment: the platform's part of the net amount first, the rest to the sub-account. When the amount of the
 * payment has gone back, the sub-account has given back what it received, and the platform everything else.
 */
function sharesOf(shop: ShopView, payment: Shown, snapshot: Snapshot): [string, Due][] {
  const unit = unitOf(payment.currency);
  const net = minor(payment.amount_total) - minor(payment.fee);
  const refunded = refundedOf(snapshot, payment.id);
  const lost = claimedOf(shop, ({ id }) => id === payment.id);
  const back = sum(refunded) + lost;
  const split = shop.accounts.find(({ id }) => id === payment.account)?.split;
  if (!split) return [['', { amount_minor: net - back, spread: 0n }]];
  const value = minor(split.value);
  const exact = split.type === 'fixed' ? value : (net * value) / 10_000n;
  const whole = (exact / unit) * unit;
  const platform = whole < net ? whole : net;
  const tries = shop.refunds.filter((one) => one.payment === payment.id).length;
  const charged_back = shop.claims.filter(({ status, payment: id }) => status === 'lost' && id === payment.id).length;
  const spread = unit * BigInt(refunded.length + tries + charged_back);
  const [amount, charged] = [minor(payment.amount), minor(payment.amount_total)];
  // Beyond the amount, a chargeback takes the fee that the payer bore.
  const beyond = back <= amount ? 0n : back < charged ? back - amount : charged - amount;
  const received = net - platform;
  const ofAccount = ((back - beyond) * received) / amount;
  return [
    ['', { amount_minor: platform - (back - ofAccount), spread }],
    [payment.account, { amount_minor: received - ofAccount, spread }],
  ];
}

const BUCKETS = ['available', 'pending', 'reserved', 'hold', 'disputed', 'in.transit', 'credit'] as const;

/** GET /balance shows the ledger, and its total is the sum of its parts. */
function judgeBalance({ team_id }: ShopView, shown: Shown, balances: Balance[]): string[] {
  const sum = BUCKETS.reduce((part, name) => part + minor(shown[name]), 0n);
  const suffix = shown.account ? `:${shown.account}` : '';
  const whose = `${shown.currency}${suffix && ` of ${shown.account}`}`;
  const wrong = BUCKETS.filter((name) => {
    const booked = total(
      balances,
      (line) => line.team_id === team_id && line.currency === shown.currency && line.account === `${name}${suffix}`,
    );
    return booked !== minor(shown[name]);
  });
  return [
    ...(sum === minor(shown.total) ? [] : [`BALANCE: the total of ${whose} is ${shown.total}, its parts sum to ${sum}`]),
    ...wrong.map((name) => `BALANCE: ${name} of ${whose} is shown as ${shown[name]}, the ledger says otherwise`),
  ];
}

function named({ account, team_id, currency, amount_minor }: Balance): string {
  return `${account} of ${team_id} in ${currency} is ${amount_minor}`;
}
