/** `info.description`: what applies to every operation. */
export const INTRODUCTION = `Collect by Mobile Money, card and bank transfer, refund, pay out, read balances, and hear of everything by signed webhooks.

All bodies are JSON. Amounts are in major units: 25000 is 25,000 XAF.

## Keys

The key goes in the \`Authorization\` header, as its sole value. It also selects the environment: a \`_test.\` key works on the sandbox, and nothing crosses to live.

| kind | live | sandbox | for |
|---|---|---|---|
| public | \`pk.\` | \`pk_test.\` | pages and apps: making payments and looking at them |
| secret | \`sk.\` | \`sk_test.\` | your servers: everything. Never in a browser |
| restricted | \`rk.\` | \`rk_test.\` | your servers: the scopes it was made with. \`write\` does not imply \`read\` |

## First payment

\`POST /payments\` answers with \`authorization_url\`. Send the payer there. In the sandbox the last six digits of the phone number decide: \`000000\` succeeds, \`000001\` has not enough money, \`000003\` never confirms. The browser's return to your \`callback\` is never proof of payment: trust the webhook, or ask with \`GET /payments/{id}\`.

## Errors

Every answer has \`code\`, \`status\` (the reason phrase) and \`message\` (for logs). Branch on \`code\`, then on \`error_code\` where there is one. A 422 and a 409 name every rejected field under \`errors\`, by its dotted path. A 402 has a \`payer_message\` to show as it is.

Try again only after a 429 (when \`Retry-After\` is over), a 5xx or a broken connection, with the same Idempotency-Key. Any other 4xx stays what it is. A path that does not exist is 404; a method that a path does not have is 405 with \`Allow\`.

## Doing things once

Send an \`Idempotency-Key\` with every POST that creates or charges. The same key and payload get the first answer again for 24 hours, with \`Idempotent-Replayed: true\`; with another payload it is 422. Only a success uses the key up.

## Lists

Newest first. Either \`page\` and \`per_page\`, or \`cursor\`: take \`meta.next_cursor\` as it is. An empty \`cursor\` starts. Cursors neither skip nor repeat when something is added meanwhile.

## Limits

Counted in windows of 60 seconds, for the team (by plan, 120 and more), the key (100), the calling address (120) and the endpoint (30 payments, 20 transfers, 10 refunds, 50 customers, times the plan); 20 payouts and beneficiaries whatever the plan. The \`X-RateLimit-*\` headers show the team's.

## Tracing

Every answer has \`X-Request-Id\` (yours, if you sent one), \`X-Trace-Id\` and \`traceparent\`. A \`traceparent\` you send is continued.

## Versions

This document describes version \`2026-08-01\`. \`X-Service-Version\` selects a version; left out, it is the one your team is pinned to. Fields and event types are added without a new version: ignore those you do not know.
`;

/** Description of each group of operations; a group without an entry shows only its name. */
export const TAGS: Record<string, string> = {
  Payments: 'Money collected from a payer, on the hosted page or by your own.',
  Refunds: 'Money given back to a payer.',
  Disputes: 'Payments that a payer disputes at their bank or operator.',
  Transfers: 'Payouts from your balance.',
  Beneficiaries: 'People and companies you pay more than once.',
  Accounts: 'Connected sellers, with whom payments are split.',
  Subaccounts: 'Another name for accounts: the same operations, with the same fields.',
  Balance: 'What is yours, and what changed it.',
  Webhooks: 'Addresses of yours that events are delivered to.',
  Events: 'What happened, as it was delivered.',
  Channels: 'Means of payment, by country and operator.',
  Countries: 'Where there are channels.',
  Currencies: 'What amounts can be in.',
  Banks: 'Banks that can be paid out to.',
  Customers: 'Payers you know.',
  Invoices: 'Bills sent to a payer. Live only.',
  Links: 'Addresses at which anyone can pay. Live only.',
  Identity: 'Whose a number or an account is.',
};
