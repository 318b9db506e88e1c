import assert from 'node:assert/strict';
import { test } from 'node:test';
import { leaksIn } from './leaks.ts';

const NUMBER = '237671876494';
const CANARIES = ['t7@payer.example', NUMBER];
const waiting = [{ payment: 'trx_1' }];

test('any row that holds data of an erased customer is reported', () => {
  const rows = ['(1,cus_1,t7@payer.example)', '(1,cus_2,t8@payer.example)', `(1,att_2,trx_2,p10,failed,+${NUMBER})`];
  assert.deepEqual(leaksIn(rows, CANARIES, []), [`t7@payer.example: ${rows[0]}`, `${NUMBER}: ${rows[2]}`]);
});

test("only the attempts of a payment whose amount waits for reconciliation, or whose refund waits for money, may keep the payer's number", () => {
  const rows = [
    `(1,att_1,trx_1,p10,unknown,+${NUMBER})`,
    `(1,att_2,trx_2,p10,unknown,+${NUMBER})`,
    `(1,pay_1,trx_1,+${NUMBER})`,
    '(1,att_1,trx_1,p10,unknown,t7@payer.example)',
  ];
  const found = leaksIn(rows, CANARIES, waiting).map((leak) => leak.split(': ')[1]);
  assert.deepEqual(found, [rows[3], rows[1], rows[2]]);
});
