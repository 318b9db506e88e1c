/** A room of money that is tested by mutants. */
export interface Room {
  name: string;
  /** Its files. A file belongs to the first room that names it. */
  files: readonly string[];
  /** Folders of test/ that are tried first. */
  tests: readonly string[];
}

export const ROOMS: readonly Room[] = [
  { name: 'splits', files: ['src/money/settlement/shares.ts'], tests: ['settlement', 'properties/money', 'refunds/shares'] },
  { name: 'tranches', files: ['src/core/charge/tranches.ts'], tests: ['charge'] },
  { name: 'ledger', files: ['src/money/ledger/*.ts'], tests: ['ledger', 'books-check', 'balance'] },
  { name: 'settlement', files: ['src/money/settlement/*.ts'], tests: ['settlement', 'refunds/shares', 'disputes', 'balance'] },
  { name: 'fees', files: ['src/money/fees/*.ts'], tests: ['kit/money', 'settlement', 'charge'] },
  { name: 'payments', files: ['src/core/payments/*.ts'], tests: ['payments', 'charge'] },
  { name: 'refunds', files: ['src/core/refunds/*.ts'], tests: ['refunds', 'returns'] },
  { name: 'transfers', files: ['src/core/transfers/*.ts'], tests: ['transfers'] },
  { name: 'disputes', files: ['src/core/disputes/*.ts'], tests: ['disputes'] },
  { name: 'attempts', files: ['src/core/attempts/*.ts'], tests: ['attempts', 'charge'] },
  { name: 'obligations', files: ['src/core/obligations/*.ts'], tests: ['returns'] },
  { name: 'returns', files: ['src/core/returns/*.ts'], tests: ['returns'] },
  { name: 'charge', files: ['src/core/charge/*.ts'], tests: ['charge', 'attempts', 'callbacks'] },
  { name: 'balance', files: ['src/core/balance/*.ts'], tests: ['balance'] },
  { name: 'transaction-limits', files: ['src/money/transaction-limits/*.ts'], tests: ['transaction-limits', 'charge/together'] },
  { name: 'reconciliation', files: ['src/core/reconciliation/*.ts'], tests: ['reconciliation', 'archive/reconciliation'] },
  // Code that prevents repeated effects of a repeated request.
  {
    name: 'repetitions',
    files: ['src/tenants/api/idempotency*.ts', 'src/providers/adapters/polling.ts', 'src/edge/callbacks/receive.ts'],
    tests: ['payments/create', 'charge/idempotency', 'attempts', 'callbacks', 'transfers'],
  },
  {
    name: 'links-and-invoices',
    files: ['src/edge/links/{uses,counting,store}.ts', 'src/edge/invoices/{listener,pay,store}.ts'],
    tests: ['links', 'invoices'],
  },
];

/** Rooms of the layers `money` and `core` that are not mutated, with the reasons. */
export const NOT_MUTATED: Readonly<Record<string, string>> = {
  ...{
    events: 'records what happened, moves nothing; each event is compared with its resource',
    webhooks: 'moves nothing; test/model/deliveries and the simulation find an event that is lost or sent by two',
    'books-check': 'reads only; test/books-check/planted.test.ts plants each difference that it has to find',
    figures: 'counts for display; test/figures counts again',
    archive: 'copies rows; test/archive compares every copy with its original',
    'payout-batches': 'has its payouts made by transfers',
    abuse: 'rejects charges before they begin',
  },
  ...Object.fromEntries(
    ['customers', 'beneficiaries', 'accounts', 'identity'].map((room) => [room, 'holds parties, and no amounts']),
  ),
};

/**
 * Files without logic: schemas and lists of personal data, which golden files compare as a whole (any mutant of them would be
 * found and raise the ratio), and types.
 */
export const LEFT_OUT = /\/(?:schema|personal|deps)\.ts$/;

/** Prefixes of the tests under test/ that are run against mutants. The others start many programs or browsers. */
export const TESTS = [
  ...[
    'abuse/',
    'attempts/',
    'balance/',
    'beneficiaries/',
    'books-check/',
    'callbacks/',
    'charge/',
    'clock/',
    'complaints/',
    'customers/',
  ],
  ...[
    'disputes/',
    'erasure/',
    'events/',
    'fees/',
    'float/',
    'ledger/',
    'model/',
    'payments/',
    'purge/',
    'reconciliation/',
    'refunds/',
  ],
  ...[
    'returns/',
    'routing/',
    'sandbox-clock/',
    'settlement/',
    'tenants/',
    'transaction-limits/',
    'transfers/',
    'work/',
    'properties/',
  ],
  ...[
    'invoices/flow',
    'invoices/races',
    'links/payments',
    'links/uses.test',
    'cli/ledger',
    'cli/resolve',
    'cli/returns',
    'kit/money',
    'archive/reconciliation',
  ],
  ...[
    'openapi/document',
    'openapi/routes',
    'checkout/',
    'adapters/aggregators.shop',
    'adapters/wave.shop',
    'adapters/orange-money.shop',
    'adapters/already-there',
  ],
];

/** Folder of tests that are tried last: they take longest. */
export const LAST = 'test/properties/';

/** The test of all statements of the money rooms: tried first on a mutant of SQL. */
export const OF_SQL = 'test/tenants/first-barrier';
