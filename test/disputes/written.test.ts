import { after, before, test } from 'node:test';
import { changeDispute, getDispute, openDispute } from '../../src/core/disputes/service.ts';
import { DISPUTE_TRIGGERS } from '../../src/core/disputes/states.ts';
import { PAYMENT_STATUSES } from '../../src/core/payments/states.ts';
import { sql, type Tx } from '../../src/kit/sql.ts';
import type { Store } from '../../src/platform/db/stores.ts';
import { LOST, RefundShop } from '../refunds/support.ts';
import { compareGolden } from '../setup/golden.ts';
import { storeOn, Written } from '../setup/written.ts';

/** Everything that disputes write: rows, journals, events and audit entries of every operation in every status. */
let shop: RefundShop;
let payment_id: string;
let written: Written;
before(async () => {
  shop = await RefundShop.open();
  await shop.begin();
  payment_id = await shop.paid(100_000);
  written = new Written(shop.owner, 'live', shop.merchant.team.id, shop.clock);
});
after(() => shop.close());

const nothing = async () => {};

function open(store: Store, opening: { amount_minor?: bigint; payment_id?: string } = {}) {
  const { team } = shop.merchant;
  return openDispute(shop.api.deps, store, { team_id: team.id, payment_id, reason: 'fraudulent', ...opening });
}

const inside = (tx: Tx) => storeOn('live', tx);

/** The customer bore the fee: the payer was charged more than the amount. */
const onTop = (tx: Tx) =>
  tx.run(sql`update payments set bearer = 'customer', captured_minor = 10200000 where id = ${payment_id}`);

test('what opening a dispute writes', async () => {
  const lines: string[] = [];
  const tell = async (title: string, opening: object, prepare: (tx: Tx) => Promise<unknown> = nothing) => {
    lines.push('', `# ${title}`, ...(await written.by(prepare, (_, store) => open(store, opening))));
  };
  await tell('everything', {});
  await tell('a part', { amount_minor: 1_000_000n });
  await tell('exactly what is left', { amount_minor: 10_000_000n });
  await tell('what was charged with the fee on top', { amount_minor: 10_200_000n }, onTop);
  await tell('everything that was charged with the fee on top', {}, onTop);
  await tell('more than was charged with the fee on top', { amount_minor: 10_200_001n }, onTop);
  const refunded = async (tx: Tx) => {
    await onTop(tx);
    await tx.run(sql`update payments set status = 'refunded', refunded_minor = amount_minor where id = ${payment_id}`);
  };
  await tell('all but the fee on top is refunded', {}, refunded);
  await tell('the fee on top, after all else is refunded', { amount_minor: 200_000n }, refunded);
  await tell('more than the fee on top, after all else is refunded', { amount_minor: 200_100n }, refunded);
  await tell('more than is left', { amount_minor: 10_000_001n });
  await tell('a payment that does not exist', { payment_id: 'trx_nothing' });
  await tell('beside an open dispute', {}, (tx) => open(inside(tx), { amount_minor: 1n * 100n }));
  await tell('after a lost dispute of a part', {}, async (tx) => {
    const { team_id, id } = await open(inside(tx), { amount_minor: 1_000_000n });
    await changeDispute(shop.api.deps, inside(tx), { team_id, id }, 'provider_decided_lost');
  });
  for (const status of PAYMENT_STATUSES)
    await tell(`a payment that is ${status}`, {}, (tx) =>
      tx.run(sql`
        update payments set status = ${status}, refunded_minor = case when ${status === 'refunded'} then amount_minor else 0 end
        where id = ${payment_id}`),
    );
  await tell('a payment that is refunded in part', {}, (tx) =>
    tx.run(sql`update payments set refunded_minor = 4000000 where id = ${payment_id}`),
  );
  await tell('a payment that is refunded', {}, (tx) =>
    tx.run(sql`update payments set refunded_minor = 10000000 where id = ${payment_id}`),
  );
  shop.provider.submits.set(0, [LOST]);
  await shop.said((await shop.refund(payment_id, 30_000)).id, LOST.message);
  await tell('beside a refund under way', {});
  await tell('beside a refund under way, more than is left', { amount_minor: 7_000_001n });
  compareGolden('dispute-openings.txt', lines);
});

test('what every change of a dispute writes, in every status', async () => {
  const lines: string[] = [];
  const evidence = { receipt: 'https://shop.example/r/1' };
  for (const first of [null, ...DISPUTE_TRIGGERS]) {
    for (const trigger of DISPUTE_TRIGGERS) {
      lines.push('', `# ${first ?? 'opened'}, ${trigger}`);
      const found = await written.by(
        async (tx) => {
          const { team_id, id } = await open(inside(tx));
          if (first) await changeDispute(shop.api.deps, inside(tx), { team_id, id }, first, { evidence: { first: true } });
          shop.clock.advance(1_000);
          return { team_id, id };
        },
        (_, store, ref) => changeDispute(shop.api.deps, store, ref, trigger, trigger === 'evidence_sent' ? { evidence } : {}),
      );
      lines.push(...found);
    }
  }
  const { team } = shop.merchant;
  for (const id of ['dsp_nothing', 'dsp_test_00000000000000000000000000', payment_id])
    lines.push(...(await written.by(nothing, (_, store) => getDispute(store, team.id, id))));
  compareGolden('dispute-changes.txt', lines);
});
