/**
 * The layers of src, lowest first, and the rooms (folders) in each, lowest first. A room imports only itself and rooms listed
 * before it, type imports included. Its SQL reads only its own tables and those of rooms listed before it, and writes only its
 * own. scripts/layers.ts checks this in `npm run check` and draws the picture in ARCHITECTURE.md from this file.
 */
export interface Room {
  /** Contents of the room, one line for ARCHITECTURE.md. */
  holds: string;
  /** Tables that only this room writes. */
  writes?: readonly string[];
}

export interface Layer {
  name: string;
  holds: string;
  /** By folder name, lowest first. */
  rooms: Readonly<Record<string, Room>>;
}

export const LAYERS: readonly Layer[] = [
  {
    name: 'kit',
    holds: 'tools without knowledge of payments',
    rooms: {
      kit: { holds: 'ids, money, encryption, errors, the SQL tag, paging, outbound HTTP' },
    },
  },
  {
    name: 'platform',
    holds: 'what the program runs on',
    rooms: {
      config: { holds: 'settings, read from the environment and validated once' },
      db: { holds: 'pools, transactions, the database clock, row-level security, migrations, the embedded PostgreSQL' },
      work: {
        holds: 'background work: sweeps over due rows, their division among workers, call slots for each provider account',
        writes: ['work_members'],
      },
      search: {
        holds: 'the index of texts: segments built in the background, and how a list is searched with them',
        writes: ['search_segments', 'search_postings', 'search_changed', 'search_builds'],
      },
      nodes: { holds: 'what the running processes report to each other', writes: ['node_reports'] },
      chain: { holds: 'hash chains over append-only rows: sealing and verification' },
      telemetry: { holds: 'traces and their export' },
      'rate-limits': { holds: 'request counters, in memory or shared through Redis' },
    },
  },
  {
    name: 'tenants',
    holds: 'merchants, their keys and requests',
    rooms: {
      versions: { holds: 'dated API versions: pure steps from the newest shape to older ones' },
      teams: { holds: 'merchants (teams): plan, level, settings', writes: ['teams'] },
      keys: { holds: 'API keys and the permissions they carry', writes: ['api_keys'] },
      outbox: { holds: 'mails that are queued in the transaction of their cause', writes: ['mails', 'mail_turns'] },
      api: {
        holds: 'definition of a route, validation, idempotency, error list',
        writes: ['idempotency_keys', 'idempotency_answers'],
      },
      audit: { holds: 'the sealed audit trail', writes: ['audit_entries', 'audit_seals', 'audit_group_seals'] },
      'request-log': {
        holds: 'the API requests of the last days, stored in the background',
        writes: ['request_log', 'request_log_days'],
      },
      people: {
        holds: 'people who sign in to the console: users, roles, factors, sessions',
        writes: [
          ...[
            'users',
            'memberships',
            'passkeys',
            'recovery_codes',
            'console_sessions',
            'console_views',
            'user_links',
            'sign_in_failures',
            'user_mails',
            'used_challenges',
          ],
        ],
      },
      approvals: {
        holds: 'maker and checker: what waits for a second person, and above which amounts',
        writes: ['approvals', 'approval_thresholds'],
      },
    },
  },
  {
    name: 'providers',
    holds: 'payment providers and how one is chosen',
    rooms: {
      adapters: { holds: 'the provider contract and one folder for each adapter' },
      exchanges: {
        holds: 'what was sent to providers and came back in the last days, without personal data',
        writes: ['provider_exchanges'],
      },
      reference: { holds: 'channels, countries, currencies, banks, phone numbers' },
      'provider-accounts': {
        holds: 'the accounts of teams at providers, with sealed credentials',
        writes: ['provider_accounts'],
      },
      routing: { holds: 'provider choice: rules, health, circuit breakers', writes: ['routing_rules'] },
      float: { holds: 'balances that merchants keep at providers', writes: ['floats', 'float_polls', 'float_alerts'] },
    },
  },
  {
    name: 'money',
    holds: 'the books, and notifications of what they record',
    rooms: {
      fees: { holds: 'fees of payments and payouts' },
      ledger: {
        holds: 'chart of accounts, posting, balances, statements, verification',
        writes: [
          ...[
            'journals',
            'postings',
            'balances',
            'balance_deltas',
            'balance_days',
            'subaccount_balance_days',
            'balance_day_counts',
          ],
          ...['ledger_seals', 'ledger_group_seals'],
        ],
      },
      events: { holds: 'catalogue of events, their bodies and lists', writes: ['events', 'event_bodies', 'event_sequences'] },
      webhooks: {
        holds: 'recording of events and their deliveries in the transaction of the change; endpoints, signatures, sending',
        writes: ['webhook_endpoints', 'deliveries', 'delivery_attempts'],
      },
      'transaction-limits': { holds: 'amounts that a verified team may move', writes: ['ceiling_uses'] },
      settlement: { holds: 'shares of a payment, their retention and release, credit', writes: ['settlement_items'] },
    },
  },
  {
    name: 'core',
    holds: 'payments, refunds, payouts and their parties',
    rooms: {
      customers: {
        holds: 'customers, saved payment methods, KYC records',
        writes: ['customers', 'customer_search', 'payment_methods', 'compliance_records'],
      },
      beneficiaries: { holds: 'recipients of payouts', writes: ['beneficiaries'] },
      accounts: { holds: 'sub-accounts of a marketplace', writes: ['accounts'] },
      identity: { holds: 'account-holder lookup' },
      attempts: { holds: 'attempts to collect a payment at a provider', writes: ['attempts', 'archived_attempts'] },
      obligations: { holds: 'money that must be returned to a payer, and the states of a return', writes: ['returns'] },
      payments: { holds: 'payments: states, creation, lists, and `apply`, the only code that changes one', writes: ['payments'] },
      abuse: {
        holds: 'fraud rules for charges',
        writes: ['abuse_amounts', 'abuse_blocks', 'abuse_paces', 'abuse_payers', 'abuse_refusals', 'abuse_windows'],
      },
      charge: { holds: 'charging: submission, polling, callbacks, tranches, manual resolution' },
      disputes: { holds: 'disputes', writes: ['disputes'] },
      refunds: { holds: 'refunds', writes: ['refunds', 'refund_keys'] },
      returns: { holds: 'carrying out returns: by refund, by payout, by a person' },
      archive: { holds: 'moving old payments to compressed storage' },
      transfers: { holds: 'payouts to beneficiaries', writes: ['transfers'] },
      'payout-batches': {
        holds: 'lists of payouts that a person uploaded, and what became of each line',
        writes: ['payout_batches', 'payout_batch_lines'],
      },
      balance: { holds: 'balances and their history' },
      figures: {
        holds: 'hourly figures of payments, counted in the background',
        writes: ['payment_hours', 'payment_counts'],
      },
      reconciliation: {
        holds: 'comparison of provider statements with the books',
        writes: ['reconciliation_runs', 'reconciliation_breaks'],
      },
      'books-check': { holds: 'comparison of the ledger with the rows of every room' },
    },
  },
  {
    name: 'edge',
    holds: 'pages, HTTP, and jobs over everything below',
    rooms: {
      pages: { holds: 'parts shared by all pages: layout, texts in each language, themes' },
      http: { holds: 'the server: order of checks, request limits, errors, readiness' },
      receipts: { holds: 'receipts: model, PDF, mail' },
      links: { holds: 'payment links', writes: ['links', 'link_uses'] },
      invoices: { holds: 'invoices', writes: ['invoices', 'invoice_numbers', 'invoice_payments', 'invoice_former_customers'] },
      openapi: { holds: 'the OpenAPI document and its page' },
      'start-page': { holds: 'the page at `/`: what runs here and where to go' },
      checkout: { holds: 'the hosted payment page' },
      callbacks: { holds: 'inbound webhooks of providers' },
      mail: { holds: 'sending the queued mails, and their texts' },
      erasure: { holds: 'erasure of customers, pseudonymisation of payers', writes: ['erasures'] },
      purge: { holds: 'deletion of data whose retention is over' },
      metrics: { holds: 'Prometheus metrics' },
      'sandbox-clock': { holds: 'moves the time of one sandbox team' },
      'sandbox-events': { holds: 'makes events of the sandbox happen: what they need of payments, refunds and others' },
      console: { holds: 'the console: pages on which people see and do what the API offers' },
    },
  },
  {
    name: 'program',
    holds: 'assembly of everything',
    rooms: {
      program: { holds: 'the dependencies, routes, sweeps and listeners of the program' },
      start: {
        holds: 'startup and shutdown: databases, secrets, formats, demo team, drain',
        writes: ['installation_secrets', 'formats'],
      },
      cli: { holds: 'the `pirogue` command' },
    },
  },
];

/** A rule of the layers that one file breaks on purpose. */
export interface Exception {
  /** File from the root of the repository. */
  file: string;
  /** A table whose reading or writing is excused; `{}`: tables that are written under a name given by a fragment. */
  table: string;
  reason: string;
}

export const EXCEPTIONS: readonly Exception[] = [
  {
    file: 'src/edge/erasure/rows-store.ts',
    table: '{}',
    reason: 'Erases what the personal.ts of each room lists, and no other column.',
  },
  {
    file: 'src/platform/db/partitioning/convert.ts',
    table: '{}',
    reason: 'Partitions the tables of `KEPT_FOR_EVER` as the owner: validates checks, reads statistics.',
  },
  {
    file: 'src/platform/db/partitioning/dress.ts',
    table: '{}',
    reason: 'Partitions the tables of `KEPT_FOR_EVER` as the owner: adds the identity to the copy.',
  },
  {
    file: 'src/platform/db/partitioning/rows.ts',
    table: '{}',
    reason: 'Partitions the tables of `KEPT_FOR_EVER` as the owner: writes to the copy only.',
  },
  {
    file: 'src/platform/db/partitioning/switch.ts',
    table: '{}',
    reason: 'Partitions the tables of `KEPT_FOR_EVER` as the owner: every row stays, in a table of the same shape.',
  },
  {
    file: 'src/platform/db/partitioning/target.ts',
    table: '{}',
    reason: 'Partitions the tables of `KEPT_FOR_EVER` as the owner: makes and removes the copy and its trigger.',
  },
  {
    file: 'src/money/settlement/fee-store.ts',
    table: 'payments',
    reason: 'Reads the fee of a payment that its caller has locked: refunds and disputes take it from the team.',
  },
  {
    file: 'src/edge/purge/store.ts',
    table: '{}',
    reason: 'Deletes what the personal.ts of a room lists with a retention; the statements are the same for all.',
  },
  {
    file: 'src/platform/chain/store.ts',
    table: '{}',
    reason: 'Seals the tables that their owners, ledger and audit, hand over; the statement is the same for both.',
  },
  {
    file: 'src/program/cli/secrets/store.ts',
    table: '{}',
    reason: 'Rotates the key of every encrypted column in one pass over a tested list; rows keep their meaning.',
  },
];
