/** `info.description`: what applies to every operation. */
export const INTRODUCTION = `Collect by Mobile Money, card and bank transfer, refund, pay out and read balances. Every change is reported by a signed webhook.

All bodies are JSON. Amounts are in major units: 25000 is 25,000 XAF.

## Keys

The key goes in the \`Authorization\` header, as its sole value. It also selects the environment: a \`_test.\` key works on the sandbox, which is separate from live.

| kind | live | sandbox | for |
|---|---|---|---|
| public | \`pk.\` | \`pk_test.\` | pages and apps: create and read payments |
| secret | \`sk.\` | \`sk_test.\` | your servers: full access. Never in a browser |
| restricted | \`rk.\` | \`rk_test.\` | your servers: the scopes it was created with. \`write\` does not imply \`read\` |

## First payment

\`POST /payments\` returns an \`authorization_url\`. Send the payer there. In the sandbox the last six digits of the phone number select the outcome: \`000000\` succeeds, \`000001\` has insufficient funds, \`000003\` never confirms. The browser's return to your \`callback\` does not prove payment: rely on the webhook or on \`GET /payments/{id}\`.

## Errors

Every response has \`code\`, \`status\` (the reason phrase) and \`message\` (for logs). Branch on \`code\`, then on \`error_code\` where there is one. A 422 or 409 lists every rejected field under \`errors\`, by its dotted path. A 402 has a \`payer_message\` to show unchanged to the payer.

Retry only after a 429 (once \`Retry-After\` has passed), a 5xx or a broken connection, with the same Idempotency-Key. Any other 4xx is permanent. A path that does not exist is 404; a method that a path does not have is 405 with \`Allow\`.

## Idempotency

Send an \`Idempotency-Key\` with every POST that creates or charges. For 24 hours, the same key and payload return the first response again, with \`Idempotent-Replayed: true\`; another payload returns 422. Only a successful request consumes the key.

## Lists

Newest first. Use either \`page\` and \`per_page\`, or \`cursor\`: pass \`meta.next_cursor\` unchanged; an empty \`cursor\` starts. Cursors neither skip nor repeat entries when others are added. Channels, countries, currencies and banks have a fixed order and are read by \`page\` only.

## Limits

Requests are counted in windows of 60 seconds, for the team (by plan, 120 and more), the key (100), the calling address (120) and the endpoint (30 payments, 20 transfers, 10 refunds, 50 customers, multiplied by plan); 20 payouts and beneficiaries on every plan. The \`X-RateLimit-*\` headers show the limit of the team.

## Tracing

Every response has \`X-Request-Id\` (yours, if you sent one), \`X-Trace-Id\` and \`traceparent\`. A \`traceparent\` you send is continued.

## Versions

This document describes version \`2026-08-01\`. \`X-Service-Version\` selects a version; the default is the version your team is pinned to. Fields and event types are added without a new version: ignore unknown ones.
`;

/** Description of each group of operations; a group without an entry shows only its name. */
export const TAGS: Record<string, string> = {
  Payments: 'Money collected from a payer, on the hosted page or on yours.',
  Refunds: 'Money returned to a payer.',
  Disputes: 'Payments that a payer disputes at their bank or operator.',
  Transfers: 'Payouts from your balance.',
  Beneficiaries: 'Saved recipients of payouts.',
  Accounts: 'Connected sellers who receive a share of payments.',
  Subaccounts: 'Alias of accounts: same operations, same fields.',
  Balance: 'Your balance and its history.',
  Webhooks: 'Endpoints to which events are delivered.',
  Events: 'Events, as they were delivered.',
  Channels: 'Payment methods, by country and operator.',
  Countries: 'Supported countries.',
  Currencies: 'Supported currencies.',
  Banks: 'Banks supported for payouts.',
  Customers: 'Saved payers.',
  Invoices: 'Invoices sent to a customer. Live only.',
  Links: 'Links through which anyone can pay. Live only.',
  Identity: 'Account-holder lookup.',
};
