// Run under several versions of Node against the built package: node built-program.mjs <module> <base url> <key>
const [module, baseUrl, key] = process.argv.slice(2);
const { NotFoundError, Pirogue, WebhookVerificationError } = await import(module);

const pirogue = new Pirogue(key, { baseUrl });
const { transaction } = await pirogue.payments.create({ amount: 25000, currency: 'XAF', phone: '+237650000000' });
const listed = [];
for await (const payment of pirogue.payments.list()) listed.push(payment.id);
const missing = await pirogue.payments.retrieve('trx_test_nothing').catch((error) => error);
const timestamp = String(Math.floor(Date.now() / 1000));
const forged = { 'X-Service-Signature': `v1=${'0'.repeat(64)}`, 'X-Service-Timestamp': timestamp };
const refused = await pirogue.webhooks.verify('{}', forged, 'whsec_1').catch((error) => error);

const result = {
  node: process.version,
  found: listed.includes(transaction.id),
  missing: missing instanceof NotFoundError && missing.requestId !== null,
  refused: refused instanceof WebhookVerificationError && refused.fault,
};
console.log(JSON.stringify(result));
