import { LIMITS } from '../../../core/abuse/rules.ts';
import { type NotedRefusal, refusalCounts, type Usual, usualOf } from '../../../core/abuse/service.ts';
import { record } from '../../../tenants/audit/record.ts';
import { readConfig } from '../../../platform/config/config.ts';
import { commandClock } from '../command-clock.ts';
import { wireFromMinor } from '../../../kit/money.ts';
import { untilChangeIsKnown } from '../../../tenants/keys/service.ts';
import { findTeamRules, setAbuseRules } from '../../../tenants/teams/store.ts';
import { administer } from '../administer.ts';
import { withDatabases, withPool } from '../databases.ts';
import { demoTeamId } from '../demo-team.ts';
import { countText, moneyText } from '../format.ts';
import { details, print, shortMoment } from '../output.ts';
import { noSuchTeam } from '../unknown.ts';

const DAY_MS = 86_400_000;

interface Options {
  team?: bigint;
  json?: true;
}

/** Runs `pirogue abuse on` and `pirogue abuse off`. */
export async function switchCommand(on: boolean, options: Options): Promise<void> {
  const id = options.team ?? demoTeamId(readConfig(process.env));
  const found = await administer(async (tx, by) => {
    const changed = await setAbuseRules(tx, id, on);
    const action = on ? 'team.abuse_on' : 'team.abuse_off';
    if (changed) await record(tx, by, { team_id: id, action, resource_id: String(id), at: commandClock.now() });
    return changed;
  });
  if (!found) throw noSuchTeam(id);
  await untilChangeIsKnown();
  print(options.json, { team_id: String(id), abuse_rules: on }, () =>
    on ? `live charges of team ${id} are screened for fraud` : `live charges of team ${id} are not screened; blocks do not apply`,
  );
}

/** Runs `pirogue abuse show`. */
export async function showCommand(options: Options): Promise<void> {
  const config = readConfig(process.env);
  const id = options.team ?? demoTeamId(config);
  const shown = await withDatabases(config, async (urls) => {
    const on = await withPool(urls.control, (control) => findTeamRules(control, id));
    if (on === undefined) throw noSuchTeam(id);
    return withPool(urls.live, async (live) => {
      const usual = await usualOf(live, id);
      return presented(id, on, usual, await refusalCounts(live, id, new Date(commandClock.now() - DAY_MS)));
    });
  });
  print(options.json, shown, () => textOf(shown));
}

function presented(
  id: bigint,
  on: boolean,
  { busiest, made_at, amounts }: Usual,
  refused: { rule: NotedRefusal['rule']; payments: number }[],
) {
  const { payer, team, amount } = LIMITS;
  return {
    team_id: String(id),
    abuse_rules: on,
    payer: { in_ten_minutes: payer.max, in_a_day: payer.max_per_day },
    team: { in_ten_minutes: Math.max(team.floor, busiest * team.times), busiest },
    amounts: amounts.map(({ currency, payments, high_minor }) => ({
      ...{ currency, payments, high: wireFromMinor(high_minor) },
      most: payments >= amount.payments ? wireFromMinor(high_minor * BigInt(amount.times)) : null,
    })),
    made_at,
    refused: Object.fromEntries(refused.map(({ rule, payments }) => [rule, payments])),
  };
}

function textOf({ team_id, abuse_rules, payer, team, amounts, made_at, refused }: ReturnType<typeof presented>): string {
  return details({
    team: team_id,
    rules: abuse_rules ? 'on' : 'off',
    payer: `${payer.in_ten_minutes} charges in ten minutes, ${payer.in_a_day} in a day`,
    charges: `${team.in_ten_minutes} in ten minutes (busiest of the week before: ${team.busiest})`,
    ...Object.fromEntries(
      amounts.map(({ currency, payments, high, most }) => [
        `amount ${currency}`,
        most === null
          ? `any, until there are enough payments (${payments})`
          : `${moneyText(most, currency)} (99 in 100 of ${countText(payments)} payments: ${moneyText(high, currency)})`,
      ]),
    ),
    usual: made_at ? `made ${shortMoment(made_at)}` : 'unknown yet',
    refused:
      Object.entries(refused)
        .map(([rule, payments]) => `${payments} by ${rule}`)
        .join(', ') || 'none in the last day',
  });
}
