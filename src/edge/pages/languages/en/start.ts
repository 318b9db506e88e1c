import type { StartTexts } from '../../texts/start.ts';

export const start: StartTexts = {
  lead: 'Payment orchestrator for African markets. This installation runs in development.',
  elsewhere: (address) => `On the machine itself, ${address} also offers a test payment and shows where the keys are.`,
  try: 'Try a payment',
  tryText: (amount) =>
    `Creates a sandbox payment of ${amount} for the demo shop and opens the page on which a payer pays it. No real money moves.`,
  button: 'Make a test payment',
  numbers: (phone) => `Pay with ${phone}. The last six digits of a number decide the outcome: 000001 has insufficient funds.`,
  next: 'Where to go',
  console: ['Console', 'payments, refunds and settings on screen'],
  reference: ['API reference', 'every operation, with examples to try'],
  document: ['OpenAPI document', 'for generators and other tools'],
  health: ['Health', 'state of the databases and workers'],
  guides: ['Guides', 'accept a payment, webhooks, refunds, payouts, going live'],
  keys: 'Keys',
  keysText: 'The API keys of the demo team are in this file. A secret key belongs on a server only.',
  publicKeys: 'A public key is visible to everyone who opens a page of yours. Before going live, restrict it to paying:',
  language: 'Language',
  expired: 'The form had expired. Nothing was created: press the button again.',
  crossSite: 'The request came from another site. Nothing was created.',
  busy: 'Too many test payments in a minute. Nothing was created: wait a little.',
  failed: 'No payment was created. The log of the service gives the reason.',
};
