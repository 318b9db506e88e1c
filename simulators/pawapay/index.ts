import type { EntryKind } from '../kit/book.ts';
import type { Compose } from '../kit/callbacks.ts';
import { type Answer, type Call, jsonOf, type SimulatorRoute } from '../kit/calls.ts';
import type { Kit, SimulatorKind, Wire } from '../kit/simulator.ts';
import { failure } from './checks.ts';
import { failEnqueued, showStatus, takeDeposit, takePayout, takeRefund } from './operations.ts';
import { ID_FIELDS, presented } from './present.ts';
import { activeConf, availability, predictProvider, walletBalances } from './reference.ts';
import { callbackHeaders, KEY_ID, newKeyPair, requestIsSigned } from './signature.ts';
import { walletStatement } from './statement.ts';

const TOKEN = 'simulator-pawapay-token';

/**
 * pawaPay's Merchant API v2. Settings: `callback_url` (as in its dashboard), `signed_callbacks` (`false`: off),
 * `signature_encoding` (`raw`: r and s instead of DER), `public_key` (PEM: requests must be signed with it), `closed`
 * and `delayed` (operators, separated by commas), `empty_wallet` (`rejected`: an empty wallet is reported at
 * initiation), `late_page` (milliseconds until the address of a Wave page is available, reported by a PROCESSING
 * callback).
 */
export const pawapaySimulator: SimulatorKind = {
  name: 'pawapay',
  statement: walletStatement,
  dashboard_callbacks: true,
  credentials: (url) => ({ base_url: url, api_token: TOKEN }),
  wire,
};

function wire(kit: Kit): Wire {
  const pair = newKeyPair();
  const other_pair = newKeyPair();
  const compose: Compose = (entry, { stage, amount_minor, forged }) => {
    const url = kit.settings.get('callback_url');
    if (!url) return null;
    const body = JSON.stringify(presented(entry, { interim: stage === 'interim', amount_minor }));
    const encoding = kit.settings.get('signature_encoding') === 'raw' ? 'raw' : 'der';
    const signs = kit.settings.get('signed_callbacks') !== 'false';
    const key = (forged ? other_pair : pair).privateKey;
    const headers = signs ? callbackHeaders(url, body, key, encoding, kit.options.now()) : { 'content-type': 'application/json' };
    return { method: 'POST', url, headers, body };
  };
  const publicKeys = (): Answer => ({
    status: 200,
    body: [{ id: KEY_ID, key: pair.publicKey.export({ type: 'spki', format: 'pem' }).toString() }],
  });
  return {
    routes: [...moneyRoutes(kit), ...referenceRoutes(kit, publicKeys)],
    namesOf,
    compose,
    answers: {
      throttled: { status: 429, headers: { 'retry-after': '1' }, body: failure('TOO_MANY_REQUESTS', 'Too many requests.') },
      unauthorised: { status: 401, body: failure('AUTHENTICATION_ERROR', 'The API token is not valid.') },
      broken: { status: 500, body: failure('UNKNOWN_ERROR', 'Unable to process the request due to an unknown problem.') },
      missing: { status: 404, body: failure('NOT_FOUND', 'There is no such address.') },
    },
  };
}

function moneyRoutes(kit: Kit): SimulatorRoute[] {
  const take = { collect: takeDeposit, payout: takePayout, refund: takeRefund };
  const folders = { collect: 'deposits', payout: 'payouts', refund: 'refunds' };
  return (['collect', 'payout', 'refund'] as const).flatMap((kind): SimulatorRoute[] => [
    {
      ...{ method: 'POST', path: `/v2/${folders[kind]}`, doing: 'create' },
      answer: (call) => unauthorised(call) ?? unsigned(kit, call) ?? take[kind](kit, call),
    },
    {
      ...{ method: 'GET', path: `/v2/${folders[kind]}/:id`, doing: 'read' },
      answer: (call) => unauthorised(call) ?? showStatus(kit, kind, String(call.params.id)),
    },
    {
      ...{ method: 'POST', path: `/v2/${folders[kind]}/resend-callback/:id`, doing: 'other' },
      answer: (call) => unauthorised(call) ?? resend(kit, kind, String(call.params.id)),
    },
    ...(kind === 'collect'
      ? []
      : [
          {
            ...{ method: 'POST', path: `/v2/${folders[kind]}/fail-enqueued/:id`, doing: 'other' as const },
            answer: (call: Call) => unauthorised(call) ?? failEnqueued(kit, kind, String(call.params.id)),
          },
        ]),
  ]);
}

function referenceRoutes(kit: Kit, publicKeys: () => Answer): SimulatorRoute[] {
  const route = (method: string, path: string, answer: (call: Call) => Answer): SimulatorRoute => ({
    ...{ method, path, doing: 'other' },
    answer: (call) => unauthorised(call) ?? answer(call),
  });
  return [
    route('GET', '/v2/active-conf', (call) => activeConf(kit, call)),
    route('POST', '/v2/predict-provider', (call) => predictProvider(kit, call)),
    route('GET', '/v2/wallet-balances', (call) => walletBalances(kit, call)),
    { method: 'GET', path: '/v2/availability', doing: 'other', answer: () => availability(kit) },
    { method: 'GET', path: '/v2/public-key/http', doing: 'other', answer: publicKeys },
    { method: 'GET', path: '/pay/:id', doing: 'other', answer: (call) => payPage(kit, String(call.params.id)) },
  ];
}

/** Returns the page for a Wave payer. It only links back; the payment completes without it. */
function payPage({ book }: Kit, key: string): Answer {
  const back = book.find(key)?.wire.backUrl;
  return back
    ? { status: 302, headers: { location: String(back) }, body: null }
    : { status: 404, headers: { 'content-type': 'text/plain' }, body: 'There is no such payment.' };
}

function resend(kit: Kit, kind: EntryKind, key: string): Answer {
  const entry = kit.book.find(key);
  const id_field = ID_FIELDS[kind];
  if (entry?.kind !== kind)
    return { status: 200, body: { [id_field]: key, status: 'REJECTED', ...failure('NOT_FOUND', 'Not found.') } };
  if (entry.state === 'pending')
    return { status: 200, body: { [id_field]: key, status: 'REJECTED', ...failure('INVALID_STATE', 'Not final.') } };
  kit.operations.announce(entry);
  return { status: 200, body: { [id_field]: key, status: 'ACCEPTED' } };
}

function unauthorised({ headers }: Call): Answer | null {
  if (!headers.authorization) return { status: 401, body: failure('NO_AUTHENTICATION', 'Authentication is missing.') };
  if (headers.authorization === `Bearer ${TOKEN}`) return null;
  // Repeats the token, as a careless provider might. An adapter must not pass it on.
  return { status: 401, body: failure('AUTHENTICATION_ERROR', `The API token ${headers.authorization.slice(7)} is not valid.`) };
}

function unsigned({ settings }: Kit, call: Call): Answer | null {
  const key = settings.get('public_key');
  if (!key || requestIsSigned(call, key)) return null;
  return { status: 403, body: failure('HTTP_SIGNATURE_ERROR', 'The signature of the request is missing or not valid.') };
}

function namesOf(call: Call): string[] {
  const body = jsonOf(call) ?? {};
  const party = (body.payer ?? body.recipient ?? {}) as { accountDetails?: { phoneNumber?: string } };
  const names = [call.params.id, body.depositId, body.payoutId, body.refundId, party.accountDetails?.phoneNumber];
  // A refund also contains its deposit's key, which belongs to another operation.
  return names.filter((name): name is string => typeof name === 'string' && !(body.refundId && name === body.depositId));
}
