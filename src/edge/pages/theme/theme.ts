import { type Html, raw } from '../../../kit/html.ts';
import type { JsonObject } from '../../../kit/json.ts';
import { type Language, languageOfTag } from '../language.ts';
import { type Colour, darkened, hex, mix, readColour, WHITE } from './colour.ts';

const MAX_TITLE = 60;
const MAX_BUTTON = 24;
const MAX_URL = 2048;

/** What a merchant can customise on the page of a payment. Null means the default. */
export interface Theme {
  /** Style that sets the page's CSS variables. */
  style: Html | null;
  /** Brand colour, for the browser's toolbar and the icon. */
  brand: string;
  /** Shown above the description; never replaces the merchant's name. */
  title: string | null;
  /** Replaces "Pay" before the amount on the buttons. */
  button_text: string | null;
  locale: Language | null;
  /** An https URL, fetched by us and never by the payer's browser. */
  logo: string | null;
}

const BRAND = '#0b4a5e';

export const PLAIN: Theme = { style: null, brand: BRAND, title: null, button_text: null, locale: null, logo: null };

/**
 * Reads `theming`, whose inner structure the contract leaves open. Values that are not understood are ignored, never
 * rejected. Colours keep their hue and are darkened until all text on and beside them has a contrast of 4.5:1.
 */
export function themeOf(theming: JsonObject | null | undefined): Theme {
  if (!theming) return PLAIN;
  const { color, logo, title, button_text, locale } = theming;
  const wanted = readColour(color);
  return {
    ...(wanted ? coloursFrom(wanted) : { style: null, brand: BRAND }),
    title: line(title, MAX_TITLE),
    button_text: line(button_text, MAX_BUTTON),
    locale: typeof locale === 'string' ? languageOfTag(locale) : null,
    logo: logoUrl(logo),
  };
}

const tintOf = (brand: Colour) => mix(brand, WHITE, 0.93);
const paleOf = (brand: Colour) => mix(brand, WHITE, 0.86);

function coloursFrom(wanted: Colour): Pick<Theme, 'style' | 'brand'> {
  const brand = darkened(wanted, (colour) => [
    [colour, WHITE],
    [colour, tintOf(colour)],
    [colour, paleOf(colour)],
  ]);
  const variables = {
    brand: hex(brand),
    deep: hex(mix(brand, [0, 0, 0], 0.25)),
    tint: hex(tintOf(brand)),
    pale: hex(paleOf(brand)),
  };
  // Contains only hexadecimal digits that we generated, and no text of the merchant.
  const style = raw(
    `:root{${Object.entries(variables)
      .map(([name, value]) => `--${name}:${value}`)
      .join(';')}}`,
  );
  return { style, brand: variables.brand };
}

/**
 * Returns a single line without control and bidirectional characters, which could reorder or hide text; null when empty.
 * @param longest maximum length in characters
 */
function line(value: unknown, longest: number): string | null {
  if (typeof value !== 'string') return null;
  const text = value.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\s]+/gu, ' ').trim();
  return text === '' ? null : [...text].slice(0, longest).join('');
}

function logoUrl(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > MAX_URL) return null;
  const url = URL.parse(value);
  return url?.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null;
}
