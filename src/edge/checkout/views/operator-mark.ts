import { type Html, html } from '../../../kit/html.ts';
import { contrast, READABLE, readColour, WHITE } from '../../pages/theme/colour.ts';
import type { Channel } from '../../../providers/reference/channels.ts';

/**
 * Colour by which payers know an operator, by the second part of its channel's id. The marks are our own: a letter on a plain
 * square, no operator's logo.
 */
const COLOURS: Record<string, string> = {
  airtel: '#d6001c',
  at: '#1b2a6b',
  celtiis: '#00508f',
  expresso: '#e4002b',
  free: '#c8102e',
  halotel: '#f26522',
  moov: '#00569d',
  mpesa: '#2e8b2e',
  mtn: '#ffcb05',
  orange: '#ff7900',
  telecel: '#d6001c',
  tigo: '#00377b',
  tmoney: '#ffd100',
  vodacom: '#d6001c',
  wave: '#1dc3f2',
  zamtel: '#007a33',
};

const NEUTRAL = '#4b5b68';

/** Returns the mark of an operator: the first letter of its name. Hidden from screen readers, which read the name beside it. */
export function operatorMark({ id, name }: Pick<Channel, 'id' | 'name'>): Html {
  const fill = COLOURS[id.split('.')[1] ?? ''] ?? NEUTRAL;
  // One of the two is always legible: 4.5:1 with white or more than that with black.
  const ink = contrast(readColour(fill) ?? WHITE, WHITE) >= READABLE ? '#fff' : '#000';
  return html`<svg viewBox="0 0 24 24" aria-hidden="true"><rect width="24" height="24" rx="7" fill="${fill}"/><text x="12" y="17" fill="${ink}">${name[0]}</text></svg>`;
}
