import { type Minor, wireFromMinor } from '../../kit/money.ts';
import type { LinkDeps } from './deps.ts';
import type { LinkRow } from './schema.ts';
import { linkUrl } from './token.ts';

/** Returns a link as GET returns it and events contain it. */
export function presentLink(deps: Pick<LinkDeps, 'config' | 'secrets'>, row: LinkRow) {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    reference: row.reference,
    amount: shown(row.amount_minor),
    min_amount: shown(row.min_amount_minor),
    max_amount: shown(row.max_amount_minor),
    currency: row.currency,
    status: row.status,
    url: linkUrl(deps, row),
    expires_at: row.expires_at?.toISOString() ?? null,
    max_uses: row.max_uses,
    collect: row.collect,
    callback: row.callback,
    payments: row.made_count,
    payments_open: row.open_count,
    payments_succeeded: row.succeeded_count,
    amount_collected: wireFromMinor(row.collected_minor),
    theming: row.theming,
    metadata: row.metadata,
    sandbox: false,
    created_at: row.created_at.toISOString(),
    updated_at: row.updated_at.toISOString(),
  };
}

function shown(amount: Minor | null): number | null {
  return amount === null ? null : wireFromMinor(amount);
}
