import { type Html, html, raw } from '../../kit/html.ts';

const PATHS = {
  lock: '<rect x="5" y="11" width="14" height="9" rx="2"/><path d="M8 11V8a4 4 0 0 1 8 0v3"/>',
  check: '<path d="m5 13 5 5L19.5 7"/>',
  cross: '<path d="M6 6l12 12M18 6 6 18"/>',
  clock: '<circle cx="12" cy="12" r="9"/><path d="M12 7v5l3 2"/>',
  phone: '<rect x="7" y="2.5" width="10" height="19" rx="2.5"/><path d="M11 18h2"/>',
  bank: '<path d="M3 10 12 4l9 6M5 10v8M10 10v8M14 10v8M19 10v8M3 20h18"/>',
  shield: '<path d="M12 3 5 6v5c0 5 3 8 7 10 4-2 7-5 7-10V6z"/><path d="m9 12 2 2 4-4"/>',
  arrow: '<path d="M4 12h16M14 6l6 6-6 6"/>',
  back: '<path d="M4 9h11a5 5 0 0 1 0 10h-3M8 5 4 9l4 4"/>',
} as const;

export type Icon = keyof typeof PATHS;

/** Renders an icon. It is hidden from screen readers, because the text beside it says the same. */
export function icon(name: Icon): Html {
  return html`<svg viewBox="0 0 24 24" aria-hidden="true">${raw(PATHS[name])}</svg>`;
}
