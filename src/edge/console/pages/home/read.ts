import type { DayFigures } from '../../../../core/figures/schema.ts';
import { countLongUnderWay, readDays } from '../../../../core/figures/store.ts';
import { countForPerson } from '../../../../core/obligations/store.ts';
import { teamFloats } from '../../../../providers/float/service.ts';
import { keysEnding } from '../../../../tenants/keys/store.ts';
import type { ConsoleDeps } from '../../deps.ts';
import { MAX_SHOWN_WAITING, type TeamVisit } from '../../page.ts';
import { cursorBefore } from '../../../../core/payments/list.ts';
import { transfersBefore } from '../../../../core/transfers/list.ts';
import { withQuery } from '../../paths.ts';
import type { Figure } from '../../parts/figures.ts';
import { dayText, money, number } from '../../parts/format.ts';
import { confirmOf, type Period, startOf, sum } from './figures.ts';
import { HOME_TEXTS } from './texts.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** When a payment takes longer than usual: after four times the average, but not before `min_ms`, because payers look for their phone. */
const USUAL = { times: 4, min_ms: 15 * MINUTE_MS };
/** Maximum count; this many are shown as `99+`. */
const MAX_COUNTED = 100;
const KEY_NOTICE_MS = 14 * DAY_MS;

/** Something that a person should look at. */
export interface Attention {
  text: string;
  /** Path of its page. Absent: the console has none. */
  path?: string;
}

/** Returns the daily figures of a period. */
export function readFigures({ store, team, at }: TeamVisit, period: Period): Promise<DayFigures[]> {
  return readDays(store.db, team.id, startOf(period, at));
}

/** Returns the eight figures of a currency, in major units; null for a role that may not read them. */
export async function readBalance(visit: TeamVisit, currency: string): Promise<Record<Figure, number> | null> {
  if (!visit.can('balance.read')) return null;
  const { body } = await visit.api('GET /balance', { query: { currency } });
  return body.balance as Record<Figure, number>;
}

/** Returns what needs attention, limited to what the person's role may read. */
export async function readAttention(deps: ConsoleDeps, visit: TeamVisit, days: readonly DayFigures[]): Promise<Attention[]> {
  const found = await Promise.all([
    underWay(deps, visit, days),
    returns(visit),
    endpoints(visit),
    floats(visit),
    keys(deps, visit),
  ]);
  return [...approvals(visit), ...found.flat()];
}

/** Returns the approvals that wait for this person's decision. */
function approvals({ waiting, language, base }: TeamVisit): Attention[] {
  if (waiting === 0) return [];
  const count = waiting < MAX_SHOWN_WAITING ? number(waiting, language) : `${MAX_SHOWN_WAITING - 1}+`;
  return [{ text: HOME_TEXTS[language].approvals(count), path: `${base}/approvals` }];
}

/** Returns payments that take longer than usual, and payouts and refunds that take longer than a day. */
async function underWay(deps: ConsoleDeps, visit: TeamVisit, days: readonly DayFigures[]): Promise<Attention[]> {
  const { store, team, at, language, base } = visit;
  const usual_ms = (confirmOf(sum(days)) ?? 0) * USUAL.times;
  const longer_ms = Math.ceil(Math.max(USUAL.min_ms, usual_ms) / MINUTE_MS) * MINUTE_MS;
  const before = { payments: at - longer_ms, payouts: at - DAY_MS, refunds: at - DAY_MS };
  const { payments, payouts, refunds } = await countLongUnderWay(store.db, store.environment, team.id, before, MAX_COUNTED);
  const texts = HOME_TEXTS[language];
  const found: Attention[] = [];
  if (payments > 0) {
    const text = texts.stuck(counted(payments, language), number(longer_ms / MINUTE_MS, language));
    // The list begins with the newest payments, and the counted ones come later.
    const cursor = cursorBefore(deps, store.environment, team.id, before.payments);
    found.push({ text, path: withQuery(`${base}/payments`, { status: 'processing', cursor }) });
  }
  if (payouts > 0 && visit.can('transfer.read')) {
    const text = texts.stuckPayouts(counted(payouts, language));
    const cursor = transfersBefore(deps, store.environment, team.id, before.payouts);
    found.push({ text, path: withQuery(`${base}/payouts`, { status: 'processing', cursor }) });
  }
  if (refunds > 0 && visit.can('refund.read')) found.push({ text: texts.stuckRefunds(counted(refunds, language)) });
  return found;
}

async function returns({ store, team, language }: TeamVisit): Promise<Attention[]> {
  const count = await countForPerson(store.db, team.id, MAX_COUNTED);
  return count === 0 ? [] : [{ text: HOME_TEXTS[language].returns(counted(count, language)) }];
}

interface Endpoint {
  id: string;
  url: string;
  active: boolean;
  failing_since: string | null;
  disabled_reason: string | null;
  backlog_full_since: string | null;
}

async function endpoints(visit: TeamVisit): Promise<Attention[]> {
  if (!visit.can('webhook.read')) return [];
  const texts = HOME_TEXTS[visit.language];
  const { body } = await visit.api('GET /webhooks');
  return (body.items as Endpoint[]).flatMap(({ id, url, active, failing_since, disabled_reason, backlog_full_since }) => {
    const path = `${visit.base}/developers/endpoints/${id}`;
    if (disabled_reason && !active) return [{ text: texts.endpointOff(url), path }];
    if (active && backlog_full_since) return [{ text: texts.endpointFull(url), path }];
    return active && failing_since ? [{ text: texts.endpointFailing(url), path }] : [];
  });
}

async function floats({ store, team, at, language }: TeamVisit): Promise<Attention[]> {
  const { floats } = await teamFloats(store.db, team.id, at);
  return floats
    .filter(({ level }) => level === 'low' || level === 'empty')
    .map(({ account_id, amount_minor, currency }) => ({
      text: HOME_TEXTS[language].float(account_id, money(amount_minor, currency, language)),
    }));
}

async function keys({ stores }: ConsoleDeps, visit: TeamVisit): Promise<Attention[]> {
  const { team, environment, at, language } = visit;
  if (!visit.can('key.read')) return [];
  const texts = HOME_TEXTS[language];
  const period = { from: new Date(at - KEY_NOTICE_MS), to: new Date(at + KEY_NOTICE_MS) };
  const ending = await keysEnding(stores.control, { team_id: team.id, environment }, period);
  return ending.map(({ last4, expires_at }) => {
    const text = expires_at.getTime() <= at ? texts.keyExpired : texts.key;
    return { text: text(last4, dayText(expires_at, language)), path: `${visit.base}/developers/keys` };
  });
}

function counted(count: number, language: TeamVisit['language']): string {
  return count < MAX_COUNTED ? number(count, language) : `${number(MAX_COUNTED - 1, language)}+`;
}
