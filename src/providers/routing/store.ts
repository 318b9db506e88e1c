import type { Environment } from '../../kit/environment.ts';
import { allOf, fixed, part, type Queryable, sql } from '../../kit/sql.ts';
import type { RuleRow } from './schema.ts';

const columns = fixed(`id, team_id, environment, priority, operation, countries, channels, currencies, min_minor, max_minor,
  account_order, shares, least_cost, fallback, created_at`);

/** Returns a team's rules, in the order in which they are evaluated. */
export function rulesOf(control: Queryable, team_id: bigint, environment?: Environment): Promise<RuleRow[]> {
  const conditions = [part`team_id = ${team_id}`, ...(environment ? [part`environment = ${environment}`] : [])];
  return control.all<RuleRow>(sql`
    select ${columns} from routing_rules where ${allOf(conditions)} order by environment, priority, id`);
}

/** Inserts a rule. */
export async function insertRule(control: Queryable, rule: RuleRow): Promise<void> {
  await control.run(sql`
    insert into routing_rules (id, team_id, environment, priority, operation, countries, channels, currencies, min_minor, max_minor,
      account_order, shares, least_cost, fallback, created_at)
    values (${rule.id}, ${rule.team_id}, ${rule.environment}, ${rule.priority}, ${rule.operation}, ${rule.countries}, ${rule.channels},
      ${rule.currencies}, ${rule.min_minor}, ${rule.max_minor}, ${rule.account_order}, ${rule.shares && JSON.stringify(rule.shares)},
      ${rule.least_cost}, ${rule.fallback}, ${rule.created_at})`);
}

/**
 * Deletes a rule.
 * @returns undefined when there is no such rule
 */
export function deleteRule(control: Queryable, id: string): Promise<RuleRow | undefined> {
  return control.maybe<RuleRow>(sql`delete from routing_rules where id = ${id} returning ${columns}`);
}
