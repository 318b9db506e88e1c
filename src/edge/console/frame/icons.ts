import { type Html, html, raw } from '../../../kit/html.ts';

const PATHS = {
  home: '<path d="M4 11 12 4l8 7v8a1 1 0 0 1-1 1h-4v-6H9v6H5a1 1 0 0 1-1-1z"/>',
  payments: '<path d="M3 7h18v10H3z"/><circle cx="12" cy="12" r="2.5"/><path d="M6 12h.01M18 12h.01"/>',
  customers:
    '<circle cx="9" cy="8" r="3.5"/><path d="M2.5 20c.6-4 3-6 6.5-6s5.9 2 6.5 6M16 4.8a3.5 3.5 0 0 1 0 6.4M18 14.5c2 .8 3.2 2.6 3.5 5.5"/>',
  balance: '<path d="M12 4v16M6 8h12M6 8l-3 6h6zM18 8l-3 6h6zM8 20h8"/>',
  payouts: '<path d="M4 19h16M12 15V4M7 9l5-5 5 5"/>',
  invoices: '<path d="M6 3h9l4 4v14H6zM14 3v5h5M9 13h7M9 17h7"/>',
  links: '<path d="M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1"/>',
  disputes: '<path d="M12 3 2.5 20h19zM12 10v4M12 17h.01"/>',
  subaccounts: '<path d="M4 21V8l8-5 8 5v13M9 21v-6h6v6M9 11h.01M15 11h.01"/>',
  developers: '<path d="m8 7-5 5 5 5M16 7l5 5-5 5M14 4l-4 16"/>',
  settings:
    '<circle cx="12" cy="12" r="3"/><path d="M12 3v3M12 18v3M3 12h3M18 12h3M5.6 5.6l2.1 2.1M16.3 16.3l2.1 2.1M5.6 18.4l2.1-2.1M16.3 7.7l2.1-2.1"/>',
  people: '<circle cx="12" cy="8" r="4"/><path d="M4 21c.8-5 3.5-7 8-7s7.2 2 8 7"/>',
  approvals: '<path d="M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z"/><path d="m9 12 2 2 4-4"/>',
  menu: '<path d="M4 7h16M4 12h16M4 17h16"/>',
  search: '<circle cx="11" cy="11" r="6.5"/><path d="m16 16 5 5"/>',
  down: '<path d="m6 9 6 6 6-6"/>',
} as const;

export type ConsoleIcon = keyof typeof PATHS;

/** Renders an icon. It is hidden from screen readers, because the text beside it says the same. */
export function consoleIcon(name: ConsoleIcon): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${raw(PATHS[name])}</svg>`;
}
