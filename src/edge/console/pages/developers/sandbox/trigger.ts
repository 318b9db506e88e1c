import { shownFault } from '../../../parts/fault.ts';
import { openDispute, openOrLostDispute } from '../../../../../core/disputes/service.ts';
import { findPayment } from '../../../../../core/payments/store.ts';
import { endUncoveredRefunds } from '../../../../../core/refunds/waiting.ts';
import { refundsUnderWay } from '../../../../../core/refunds/store.ts';
import { Problem } from '../../../../../kit/errors.ts';
import type { EventType } from '../../../../../money/events/catalogue.ts';
import { advancePayment } from '../../../../sandbox-clock/service.ts';
import { Maker } from '../../../../sandbox-events/maker.ts';
import { BEYOND_EXPIRY_MS, RECIPES } from '../../../../sandbox-events/recipes.ts';
import { NotTriggered, type Sandbox } from '../../../../sandbox-events/sandbox.ts';
import { actorOf } from '../../../actor.ts';
import type { ConsoleDeps } from '../../../deps.ts';
import { type Answer, fieldOf, redirect, type TeamVisit } from '../../../page.ts';
import { refuseLive, showSandbox } from './show.ts';
import { SANDBOX_TEXTS } from './texts.ts';
import { TRIGGERS } from './triggers.ts';

/** Triggers an event by its cause, then redirects to the event. */
export async function trigger(deps: ConsoleDeps, visit: TeamVisit): Promise<Answer> {
  refuseLive(visit);
  const type = fieldOf(visit, 'event');
  const recipe = TRIGGERS.includes(type) ? RECIPES[type as EventType] : undefined;
  const texts = SANDBOX_TEXTS[visit.language];
  if (typeof recipe !== 'function') return showSandbox(visit, { event: texts.wrongEvent });
  const maker = new Maker(sandboxOf(deps, visit));
  try {
    const { id } = await maker.eventOf(type, await recipe(maker));
    return redirect(`${visit.base}/developers/events/${id}`);
  } catch (error) {
    if (error instanceof NotTriggered) return showSandbox(visit, { event: texts.notTriggered[error.reason] });
    if (error instanceof Problem && error.status < 500)
      return showSandbox(visit, { event: shownFault(visit.language, error).message });
    throw error;
  }
}

/** Returns the team's sandbox with the person's permissions. Each call has its own key, so that a repeated form creates nothing twice. */
function sandboxOf(deps: ConsoleDeps, visit: TeamVisit): Sandbox {
  const { store, team, formKey } = visit;
  let calls = 0;
  return {
    unique: formKey.replace(/\W/g, '').slice(-16),
    call: async (operation, sent = {}) => {
      const isRead = operation.startsWith('GET ');
      const { body } = await visit.api(operation, { ...sent, ...(isRead ? {} : { idempotency_key: `${formKey}-${calls++}` }) });
      return body;
    },
    expire: async (payment_id) => {
      const payment = await findPayment(store.db, team.id, payment_id);
      if (payment?.status === 'expired') return;
      await advancePayment(deps, store, { team_id: team.id, by_ms: BEYOND_EXPIRY_MS, payment_id }, actorOf(visit));
      deps.wake.ring('sandbox');
    },
    dispute: async (payment_id) => {
      const open = await openOrLostDispute(store.db, team.id, payment_id);
      if (open) return open;
      const opening = { team_id: team.id, payment_id, reason: 'fraudulent' };
      return (await openDispute({ clock: deps.clock, refundsUnderWay, endUncoveredRefunds }, store, opening, actorOf(visit))).id;
    },
  };
}
