import type { FastifyInstance } from 'fastify';
import { readOnboardingToken } from '../../core/accounts/onboarding.ts';
import type { AccountRow } from '../../core/accounts/schema.ts';
import { getAccount } from '../../core/accounts/service.ts';
import type { Pages } from '../http/server.ts';
import { Problem } from '../../kit/errors.ts';
import { type Html, html } from '../../kit/html.ts';
import { Throttle } from '../../kit/throttle.ts';
import { HEADERS, PAGE_HEADERS } from '../pages/assets.ts';
import type { CheckoutDeps } from './deps.ts';
import { type Language, preferredLanguage, textsIn } from '../pages/language.ts';
import { document } from '../pages/document.ts';
import type { Icon } from '../pages/icons.ts';
import { noticePage } from '../pages/notice.ts';
import { facts, state } from '../pages/parts.ts';
import type { OnboardingState } from '../pages/texts/onboarding.ts';

/** Maximum requests for one onboarding page in a minute. */
const READS_A_MINUTE = 60;

const SIGNS: Record<OnboardingState, Icon> = {
  pending: 'clock',
  verified: 'check',
  rejected: 'cross',
  expired: 'clock',
  unknown: 'cross',
};

/**
 * Returns the page behind an account's onboarding link. It shows the account's owner the stored details and the verification status.
 */
export function onboardingPages(deps: CheckoutDeps): Pages {
  const reads = new Throttle(deps.clock, READS_A_MINUTE);
  return (app: FastifyInstance) => {
    app.get('/onboarding/:token', async (request, reply) => {
      const language = preferredLanguage(request.headers['accept-language']);
      const { token } = request.params as { token: string };
      const { status, page } = await pageOf(deps, reads, language, token);
      reply.headers(HEADERS).headers(PAGE_HEADERS).type('text/html; charset=utf-8').header('Content-Language', language);
      return reply.code(status).send(page.text);
    });
  };
}

async function pageOf(
  deps: CheckoutDeps,
  reads: Throttle,
  language: Language,
  token: string,
): Promise<{ status: number; page: Html }> {
  const subject = readOnboardingToken(deps.secrets, token, deps.clock.now());
  if (subject === null) return { status: 404, page: sheet(language, 'unknown', false) };
  if (subject === 'expired') return { status: 410, page: sheet(language, 'expired', false) };
  if (reads.take(token) > 0) return { status: 429, page: noticePage(language, 'wait') };
  const { environment, team_id, account_id } = subject;
  const account = await getAccount(deps.stores[environment].of(team_id).db, environment, { team_id, id: account_id }).catch(
    (error) => {
      if (error instanceof Problem) return undefined;
      throw error;
    },
  );
  if (!account) return { status: 404, page: sheet(language, 'unknown', false) };
  return { status: 200, page: sheet(language, account.verification, environment === 'sandbox', account) };
}

function sheet(language: Language, what: OnboardingState, sandbox: boolean, account?: AccountRow): Html {
  const texts = textsIn(language).onboarding;
  const title = texts.title[what];
  const known =
    account &&
    facts([
      [texts.name, account.name],
      [texts.email, account.email],
    ]);
  const sign = { icon: SIGNS[what], ...(what === 'verified' ? { tone: 'good' as const } : {}) };
  const body = state(sign, title, html`<p>${texts.text[what]}</p>${known}`);
  return document({ language, title, sandbox, body });
}
