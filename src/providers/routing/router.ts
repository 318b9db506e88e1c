import type { Clock } from '../../kit/clock.ts';
import type { Environment } from '../../kit/environment.ts';
import { collectsOn } from './ability.ts';
import { decide } from './decide.ts';
import type { Health } from './health.ts';
import type { RulesOfTeam } from './rule-book.ts';
import type { Choice, FloatsOfTeam, ProvidersOfTeam, RouteRequest, Standing } from './schema.ts';

/** Resolution of the random draw. It is stored with the decision, so that the decision can be reproduced. */
const DRAWS = 1_000_000;

const WORST_LAST: readonly Standing[] = ['operational', 'degraded', 'down'];

/** Chooses the provider account of a charge or payout, by the team's rules and the health of its accounts. */
export class Router {
  readonly #providers: ProvidersOfTeam;
  readonly #rules: RulesOfTeam;
  readonly #health: Health;
  readonly #floats: FloatsOfTeam | null;
  readonly #clock: Clock;
  readonly #random: () => number;

  /** @param parts.floats when omitted, the accounts' floats are unknown */
  constructor(parts: {
    providers: ProvidersOfTeam;
    rules: RulesOfTeam;
    health: Health;
    clock: Clock;
    floats?: FloatsOfTeam;
    random?: () => number;
  }) {
    this.#providers = parts.providers;
    this.#rules = parts.rules;
    this.#health = parts.health;
    this.#floats = parts.floats ?? null;
    this.#clock = parts.clock;
    this.#random = parts.random ?? Math.random;
  }

  /** Chooses the accounts for a request. No candidates: no account can currently accept it. */
  async choose(request: RouteRequest): Promise<Choice> {
    const { environment, team_id, channel, operation, sends = true } = request;
    const [accounts, anyUnusable, rules, floats] = await Promise.all([
      this.#providers.of(environment, team_id),
      // Read together with the accounts: one that became usable between two reads would be in neither result.
      this.#providers.anyUnusable?.(environment, team_id) ?? false,
      this.#rules.of(environment, team_id),
      operation === 'payout' ? (this.#floats?.of(environment, team_id) ?? null) : null,
    ]);
    const moment = { at: this.#clock.now(), draw: Math.floor(this.#random() * DRAWS) / DRAWS };
    const decision = decide(rules, accounts, this.#health, request, moment, floats);
    // No other request was processed since the health was read, so only one of the waiting requests becomes the probe.
    const [first] = decision.explanation.accounts;
    if (sends && first?.verdict === 'chosen' && first.account_id !== null && first.health?.open_since) {
      this.#health.chosen(first.account_id, channel.id, operation);
    }
    return { ...decision, is_final: decision.limits.length > 0 && !anyUnusable };
  }

  /**
   * Returns the health of a channel: that of the team's healthiest account on it. `operational` when no account offers
   * it.
   */
  async standingOf(environment: Environment, team_id: bigint, channelId: string): Promise<Standing> {
    const accounts = await this.#providers.of(environment, team_id);
    const standings = accounts
      .filter(({ provider }) => collectsOn(provider, channelId))
      .map(({ provider }) => this.#health.standing(provider.account_id, channelId, 'collect'));
    return WORST_LAST.find((standing) => standings.includes(standing)) ?? 'operational';
  }
}
