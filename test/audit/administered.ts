import fs from 'node:fs';
import { sql } from '../../src/kit/sql.ts';
import { paid } from '../setup/pay.ts';
import { EVIDENCE, type Office } from './office.ts';

/** What is typed and kept elsewhere: nothing of it may stand in the trail. */
export const TYPED = ['Chez Awa', 'shop.example', 'Aminata', 'statement of', 'canary'];

export interface Administered {
  action: string;
  /** Default: control. */
  database?: 'sandbox' | 'live';
  /** Does it. @returns the id of what it was done to */
  act(): Promise<string>;
}

/** Every command that administers, done once for each kind of thing it does. */
export const ADMINISTERED: Record<string, (office: Office) => Administered[]> = {
  'teams create': (office) => [
    {
      action: 'team.create',
      act: async () => (await office.json('teams', 'create', '--name', 'Chez Awa', '--email', 'awa@shop.example')).id,
    },
  ],
  'teams set': (office) => [
    { action: 'team.update', act: office.to(async () => String(office.api.team.id), 'teams', 'set', '--plan', 'scale') },
  ],
  'teams verify': (office) => [
    { action: 'team.verify', act: office.to(async () => String(office.api.team.id), 'teams', 'verify', '--level', '1') },
  ],
  'keys create': (office) => [{ action: 'key.create', act: () => office.key() }],
  'keys deactivate': (office) => [{ action: 'key.deactivate', act: office.to(() => office.key(), 'keys', 'deactivate') }],
  'keys activate': (office) => [{ action: 'key.activate', act: office.to(() => office.key(), 'keys', 'activate') }],
  'keys revoke': (office) => [{ action: 'key.revoke', act: office.to(() => office.key(), 'keys', 'revoke') }],
  'users create': (office) => [{ action: 'person.create', act: () => office.user() }],
  'users invite': (office) => [
    {
      action: 'person.invite',
      act: async () => {
        const email = ['--email', 'aminata.invited@shop.example'];
        return (await office.json('users', 'invite', ...office.team, ...email, '--role', 'support')).id;
      },
    },
  ],
  'users roles': (office) => [
    {
      action: 'person.join',
      act: async () => {
        const id = await office.user();
        await office.json('users', 'roles', id, ...office.team, '--role', 'finance');
        return id;
      },
    },
  ],
  'users link': (office) => [{ action: 'person.link', act: office.to(() => office.user(), 'users', 'link') }],
  'approvals off': (office) => [
    { action: 'approval.off', act: async () => (await office.json('approvals', 'off', ...office.team)).team },
  ],
  'users disable': (office) => [{ action: 'person.disable', act: office.to(() => office.user(), 'users', 'disable') }],
  'users enable': (office) => [{ action: 'person.enable', act: office.to(() => office.user(), 'users', 'enable') }],
  'users clear-factors': (office) => [
    { action: 'person.clear_factors', act: office.to(() => office.user(), 'users', 'clear-factors') },
  ],
  'providers add': (office) => [{ action: 'provider.create', act: () => office.provider() }],
  'providers set': (office) => [
    {
      action: 'provider.update',
      act: async () => {
        const id = await office.provider();
        await office.json('providers', 'set', id, '--set', 'api_token=canary-of-another-token');
        return id;
      },
    },
  ],
  'providers disable': (office) => [
    { action: 'provider.disable', act: office.to(() => office.provider(), 'providers', 'disable') },
  ],
  'providers enable': (office) => [{ action: 'provider.enable', act: office.to(() => office.provider(), 'providers', 'enable') }],
  'float set': (office) => [
    {
      action: 'float.alert',
      database: 'live',
      act: async () => {
        const id = await office.provider();
        await office.json('float', 'set', id, '--currency', 'XAF', '--alert-below', '5000');
        return id;
      },
    },
  ],
  'abuse on': (office) => [
    { action: 'team.abuse_on', act: async () => (await office.json('abuse', 'on', ...office.team)).team_id },
  ],
  'abuse off': (office) => [
    { action: 'team.abuse_off', act: async () => (await office.json('abuse', 'off', ...office.team)).team_id },
  ],
  'blocks add': (office) => [{ action: 'block.create', database: 'live', act: () => office.block() }],
  'blocks remove': (office) => [
    { action: 'block.delete', database: 'live', act: office.to(() => office.block(), 'blocks', 'remove', ...office.team) },
  ],
  'rules add': (office) => [{ action: 'rule.create', act: () => office.rule() }],
  'rules remove': (office) => [{ action: 'rule.delete', act: office.to(() => office.rule(), 'rules', 'remove') }],
  'secrets rotate': (office) => [
    {
      action: 'secrets.rotate',
      act: async () => (await office.json('secrets', 'rotate')).keys.find(({ state }: { state: string }) => state === 'seals').id,
    },
  ],
  partition: (office) => [
    {
      action: 'table.partition',
      act: async () =>
        `sandbox.${(await office.json('partition', 'event_sequences', '--environment', 'sandbox')).tables[0].table}`,
    },
  ],
  resolve: (office) => [
    { action: 'payment.resolve', database: 'live', act: () => office.resolvedPayment() },
    { action: 'transfer.resolve', database: 'sandbox', act: () => office.resolvedTransfer() },
    { action: 'refund.resolve', database: 'sandbox', act: () => office.resolvedRefund() },
  ],
  reconcile: (office) => [{ action: 'reconciliation.apply', database: 'live', act: async () => (await office.reconciled()).id }],
  'breaks settle': (office) => [
    {
      action: 'reconciliation.settle',
      database: 'live',
      act: async () => {
        const { id, report } = await office.reconciled();
        const number = fs.readFileSync(report.csv, 'utf8').split('\n')[1]?.split(',')[0] as string;
        await office.json('breaks', 'settle', id, number, '--as', 'platform', ...office.team, ...EVIDENCE);
        return `${id}:${number}`;
      },
    },
  ],
  'returns resolve': (office) => [
    {
      action: 'return.resolve',
      database: 'live',
      act: office.to(() => office.waitingReturn(), 'returns', 'resolve', ...office.team, ...EVIDENCE),
    },
  ],
  'disputes open': (office) => [
    {
      action: 'dispute.open',
      database: 'sandbox',
      act: async () => (await office.json('disputes', 'open', await paid(office.api), ...office.team, ...EVIDENCE)).id,
    },
  ],
  'disputes decide': (office) => [
    {
      action: 'dispute.decide',
      database: 'sandbox',
      act: office.to(
        async () => office.dispute(await paid(office.api)),
        ...['disputes', 'decide', '--as', 'won', ...office.team, ...EVIDENCE],
      ),
    },
    {
      action: 'dispute.withdraw',
      database: 'sandbox',
      act: office.to(
        async () => office.dispute(await paid(office.api)),
        ...['disputes', 'decide', '--as', 'withdrawn', ...office.team, ...EVIDENCE],
      ),
    },
  ],
  'payments refund': (office) => [
    {
      action: 'refund.create',
      database: 'sandbox',
      act: async () => (await office.json('payments', 'refund', await paid(office.api), ...office.team)).id,
    },
  ],
  'returns retry': (office) => [
    {
      action: 'return.retry',
      database: 'live',
      act: office.to(() => office.waitingReturn(), 'returns', 'retry', ...office.team),
    },
  ],
  archive: (office) => [
    { action: 'payment.archive', database: 'live', act: () => office.archived() },
    {
      action: 'payment.restore',
      database: 'live',
      act: office.to(() => office.archived(), 'archive', '--restore', ...office.team),
    },
  ],
  'compliance approve': (office) => [
    {
      action: 'customer.compliance',
      database: 'sandbox',
      act: office.to(() => office.customer(), 'compliance', 'approve', ...office.team),
    },
  ],
  'compliance reject': (office) => [
    {
      action: 'customer.compliance',
      database: 'sandbox',
      act: office.to(() => office.customer(), 'compliance', 'reject', ...office.team),
    },
  ],
  'sandbox fund': (office) => [
    {
      action: 'balance.fund',
      database: 'sandbox',
      act: async () => {
        await office.json('sandbox', 'fund', ...office.team, '--currency', 'XOF', '--amount', '70');
        const row = await office.databases.sandbox.maybe<{ source_id: string }>(sql`
          select source_id from journals where kind = 'sandbox.funded' order by id desc limit 1`);
        return row?.source_id as string;
      },
    },
  ],
  'sandbox clock advance': (office) => [
    {
      action: 'clock.advance',
      database: 'sandbox',
      act: async () => (await office.json('sandbox', 'clock', 'advance', '1s', ...office.team)).team_id,
    },
  ],
  trigger: (office) => [
    { action: 'dispute.open', database: 'sandbox', act: async () => office.dispute(await paid(office.api)) },
    {
      action: 'dispute.decide',
      database: 'sandbox',
      act: async () => {
        const payment = await paid(office.api);
        const id = await office.dispute(payment);
        await office.json('trigger', 'dispute.won', ...office.team, '--payment', payment);
        return id;
      },
    },
  ],
  'accounts verify': (office) => [
    {
      action: 'account.verify',
      database: 'sandbox',
      act: office.to(() => office.account(), 'accounts', 'verify', ...office.team),
    },
  ],
};
