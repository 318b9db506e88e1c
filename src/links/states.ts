/** What a link can be. That all its uses are taken is no status: it follows from its counters. */
export const LINK_STATUSES = ['active', 'inactive', 'expired'] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

/** What can happen to a link. */
export const LINK_TRIGGERS = [
  /** The merchant switches it on. */
  'activated',
  /** The merchant switches it off. */
  'deactivated',
  /** `expires_at` is over. */
  'window_elapsed',
  /** `expires_at` was moved into the future, or taken away. */
  'prolonged',
] as const;

export type LinkTrigger = (typeof LINK_TRIGGERS)[number];

const TABLE: Record<LinkStatus, Partial<Record<LinkTrigger, LinkStatus>>> = {
  active: { deactivated: 'inactive', window_elapsed: 'expired' },
  inactive: { activated: 'active' },
  expired: { deactivated: 'inactive', prolonged: 'active' },
};

/** The status after it, or null when the trigger changes nothing in this status. */
export function nextLinkStatus(status: LinkStatus, trigger: LinkTrigger): LinkStatus | null {
  return TABLE[status][trigger] ?? null;
}
