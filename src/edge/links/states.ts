/** Statuses of a link. Being used up is not a status: it follows from the counters. */
export const LINK_STATUSES = ['active', 'inactive', 'expired'] as const;

export type LinkStatus = (typeof LINK_STATUSES)[number];

/** Triggers that change the status of a link. */
export const LINK_TRIGGERS = [
  /** The merchant activates it. */
  'activated',
  /** The merchant deactivates it. */
  'deactivated',
  /** `expires_at` has passed. */
  'window_elapsed',
  /** `expires_at` was moved into the future or removed. */
  'prolonged',
] as const;

export type LinkTrigger = (typeof LINK_TRIGGERS)[number];

const TABLE: Record<LinkStatus, Partial<Record<LinkTrigger, LinkStatus>>> = {
  active: { deactivated: 'inactive', window_elapsed: 'expired' },
  inactive: { activated: 'active' },
  expired: { deactivated: 'inactive', prolonged: 'active' },
};

/** Returns the status after a trigger; null when the trigger changes nothing in this status. */
export function nextLinkStatus(status: LinkStatus, trigger: LinkTrigger): LinkStatus | null {
  return TABLE[status][trigger] ?? null;
}
