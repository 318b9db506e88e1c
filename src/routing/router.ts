import type { Clock } from '../kit/clock.ts';
import type { Environment } from '../kit/environment.ts';
import { collectsOn } from './ability.ts';
import { decide } from './decide.ts';
import type { Health } from './health.ts';
import type { RulesOfTeam } from './rule-book.ts';
import type { Decision, FloatsOfTeam, ProvidersOfTeam, RouteRequest, Standing } from './schema.ts';

/** Enough to show what was drawn, and to draw the same again. */
const DRAWS = 1_000_000;

const WORST_LAST: readonly Standing[] = ['operational', 'degraded', 'down'];

/** Chooses who collects a charge or pays out, by the team's rules and the health of its accounts. */
export class Router {
  readonly #providers: ProvidersOfTeam;
  readonly #rules: RulesOfTeam;
  readonly #health: Health;
  readonly #floats: FloatsOfTeam | null;
  readonly #clock: Clock;
  readonly #random: () => number;

  /** @param parts.floats left out: nothing is known of what the accounts hold */
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

  /** No candidates: nobody can take it now. */
  async choose(request: RouteRequest): Promise<Decision> {
    const { environment, team_id, channel, operation } = request;
    const [accounts, rules, floats] = await Promise.all([
      this.#providers.of(environment, team_id),
      this.#rules.of(environment, team_id),
      operation === 'payout' ? (this.#floats?.of(environment, team_id) ?? null) : null,
    ]);
    const moment = { at: this.#clock.now(), draw: Math.floor(this.#random() * DRAWS) / DRAWS };
    const decision = decide(rules, accounts, this.#health, request, moment, floats);
    // Between looking and this no other request was served: one probe goes out, not one of everybody who is waiting.
    const [first] = decision.explanation.accounts;
    if (first?.verdict === 'chosen' && first.account_id !== null && first.health?.open_since) {
      this.#health.chosen(first.account_id, channel.id, operation);
    }
    return decision;
  }

  /** How well a channel can be paid on: as well as the best of the team's accounts. One that nobody offers is operational. */
  async standingOf(environment: Environment, team_id: bigint, channelId: string): Promise<Standing> {
    const accounts = await this.#providers.of(environment, team_id);
    const standings = accounts
      .filter(({ provider }) => collectsOn(provider, channelId))
      .map(({ provider }) => this.#health.standing(provider.account_id, channelId, 'collect'));
    return WORST_LAST.find((standing) => standings.includes(standing)) ?? 'operational';
  }
}
