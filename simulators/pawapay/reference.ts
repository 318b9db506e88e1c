import { type Answer, type Call, jsonOf } from '../kit/calls.ts';
import { amountText } from '../kit/outcomes.ts';
import type { Kit } from '../kit/simulator.ts';
import { badRequest } from './checks.ts';
import { statusOf } from './operations.ts';
import { isWhole, type Market, marketOf, marketOfNumber, markets, MIN_AMOUNT, type Operator, operatorOf } from './channels.ts';

/** Initial balance of each wallet. */
const FLOAT_MINOR = 100_000_000_000n;
const TYPES = ['DEPOSIT', 'PAYOUT', 'REFUND'] as const;

/** Returns the account's configuration, by operator. */
export function activeConf(kit: Kit, { query }: Call): Answer {
  const wanted = query.get('country');
  const signs = kit.settings.get('signed_callbacks') !== 'false';
  return {
    status: 200,
    body: {
      companyName: 'Simulator',
      signatureConfiguration: { signedRequestsOnly: kit.settings.has('public_key'), signedCallbacks: signs },
      countries: markets()
        .filter(({ country }) => wanted === null || wanted === country)
        .map((market) => ({
          country: market.country,
          prefix: market.prefix,
          providers: market.providers.map((name) => providerConf(kit, name)),
        })),
    },
  };
}

function providerConf(kit: Kit, provider: string) {
  const operator = operatorOf(provider) as Operator;
  return {
    provider,
    displayName: provider,
    currencies: operator.currencies.map((currency) => ({
      currency,
      displayName: currency,
      operationTypes: Object.fromEntries(TYPES.map((type) => [type, operationConf(kit, operator, currency, type)])),
    })),
  };
}

function operationConf(kit: Kit, operator: Operator, currency: string, type: (typeof TYPES)[number]) {
  const { provider, auth, max } = operator;
  return {
    ...(type === 'DEPOSIT' ? { authType: auth, pinPrompt: 'AUTOMATIC', pinPromptRevivable: false } : {}),
    minAmount: String(MIN_AMOUNT),
    maxAmount: String(max),
    decimalsInAmount: isWhole(operator, currency) ? 'NONE' : 'TWO_PLACES',
    status: statusOf(kit, provider),
    callbackUrl: kit.settings.get('callback_url') ?? '',
  };
}

/** Returns the availability of each operator. */
export function availability(kit: Kit): Answer {
  return {
    status: 200,
    body: markets().map(({ country, providers }) => ({
      country,
      providers: providers.map((provider) => ({
        provider,
        operationTypes: Object.fromEntries(TYPES.map((type) => [type, statusOf(kit, provider)])),
      })),
    })),
  };
}

/** Returns the first operator of the number's country: prefixes are defined by the operators, and numbers can be ported. */
export function predictProvider(kit: Kit, call: Call): Answer {
  const msisdn = String(jsonOf(call)?.phoneNumber ?? '').replace(/\D/g, '');
  const market = marketOfNumber(msisdn);
  if (!market) return badRequest('INVALID_PHONE_NUMBER', 'The phone number is not valid.');
  // A number that was used before keeps its operator.
  const seen = kit.book.entries().findLast((entry) => entry.msisdn === msisdn)?.wire.provider;
  return { status: 200, body: { country: market.country, provider: seen ?? market.providers[0], phoneNumber: msisdn } };
}

/** Returns the wallet balances. */
export function walletBalances({ book }: Kit, { query }: Call): Answer {
  const wanted = query.get('country');
  const balances = markets()
    .filter(({ country }) => wanted === null || wanted === country)
    .flatMap(({ country, currencies }) =>
      currencies.map((currency) => ({ country, currency, balance: amountText(held(country, currency), 2) })),
    );
  return { status: 200, body: { balances } };

  function held(country: Market['country'], currency: string): bigint {
    return book
      .entries()
      .filter((entry) => entry.moved && entry.currency === currency && entry.wire.country === marketOf(country)?.country)
      .reduce((sum, entry) => sum + (entry.kind === 'collect' ? entry.amount_minor : -entry.amount_minor), FLOAT_MINOR);
  }
}
