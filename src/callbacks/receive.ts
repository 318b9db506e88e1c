import { unreachable } from '../kit/errors.ts';
import { hearOfAttempt } from '../payments/service.ts';
import type { Addressed } from '../provider-accounts/directory.ts';
import type { Callback, Provider, RawCallback, Reading, Subject } from '../providers/contract.ts';
import { lookAtRefund } from '../refunds/service.ts';
import { lookAtFailedRefund, lookAtReturn } from '../returns/service.ts';
import { lookAtTransfer } from '../transfers/service.ts';
import type { CallbackDeps } from './deps.ts';

/**
 * What our address or the provider's body says a callback is about. `told`: what the body calls it, of a callback to an
 * address of ours that names it and can not be guessed.
 */
export type About = { by: 'id' | 'provider_key' | 'provider_ref'; value: string; told?: Subject };

/** What became of a callback. The provider gets the same answer for all: it learns nothing of our books. */
export type Received = 'heard' | 'nothing_to_hear';

/** A callback that is not forged. */
export type Genuine = Exclude<Callback, { kind: 'forged' }>;

/** What a callback is worth, told from its bytes alone. */
export function judge({ provider }: Addressed, raw: RawCallback): Callback {
  return provider.verifyCallback?.(raw) ?? { kind: 'hint', subject: null };
}

/**
 * Takes a callback of an account. What the provider provably signed counts as a reading; everything else only makes us
 * ask. Callbacks may repeat, come late, out of order or before the answer to the request: all of that is harmless,
 * because every piece of news enters by the same door as the polls.
 * @param id from the address, when it names an attempt, transfer or refund of ours
 */
export async function receive(deps: CallbackDeps, to: Addressed, callback: Genuine, id: string | null): Promise<Received> {
  const { provider } = to;
  switch (callback.kind) {
    case 'hint':
      return pass(deps, to, aboutOf(provider, id, callback.subject), null);
    case 'signed': {
      // Whoever knows an address could send there what was signed about something else: then we only ask.
      const news = id === null || callback.subject?.value === provider.keyOf(id) ? callback.news : null;
      return pass(deps, to, aboutOf(provider, id, callback.subject), news);
    }
    default:
      return unreachable(callback);
  }
}

/** Our own address can not be guessed, so it is believed before what the body says. */
function aboutOf({ capabilities }: Provider, id: string | null, subject: Subject | null): About | null {
  if (id === null) return subject;
  const told = capabilities.readable_by === 'theirs' && subject?.by === 'provider_ref' ? { told: subject } : {};
  return { by: 'id', value: id, ...told };
}

async function pass(deps: CallbackDeps, to: Addressed, about: About | null, news: Reading | null): Promise<Received> {
  if (about === null) return 'nothing_to_hear';
  const { team_id, environment, provider } = to;
  const store = deps.stores[environment].of(team_id);
  const from = { team_id, account_id: provider.account_id };
  if (about.by === 'id' && about.value.startsWith('rfd_')) {
    await lookAtRefund(store, deps.clock.now(), team_id, about.value);
    await lookAtFailedRefund(store, deps.clock.now(), team_id, about.value);
    return 'heard';
  }
  if (about.by === 'id' && about.value.startsWith('rtn_')) {
    await lookAtReturn(store, deps.clock.now(), { team_id, id: about.value });
    return 'heard';
  }
  if (about.by !== 'provider_ref') await lookAtTransfer(store, deps.clock.now(), from, { by: about.by, value: about.value });
  return (await hearOfAttempt(deps, store, from, about, news)) ? 'heard' : 'nothing_to_hear';
}
