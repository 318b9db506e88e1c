import { type Html, raw } from '../../../kit/html.ts';
import type { JsonObject } from '../../../kit/json.ts';
import type { Brand } from '../../../tenants/teams/schema.ts';
import { type Language, languageOfTag } from '../language.ts';
import { type Colour, darkened, hex, lightened, mix, READABLE, readColour, WHITE } from './colour.ts';

const MAX_TITLE = 60;
const MAX_BUTTON = 24;
const MAX_URL = 2048;

/** Settings that a merchant can customise on the page of a payment. Null means the default. */
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

/** Default colour of pages whose merchant has chosen none. */
export const BRAND = '#0b4a5e';

const UNBRANDED: Brand = { brand_color: null };

export const PLAIN: Theme = { style: null, brand: BRAND, title: null, button_text: null, locale: null, logo: null };

/**
 * Reads `theming`, whose inner structure the contract leaves open. Values that are not understood are ignored, never
 * rejected. Colours keep their hue and are darkened until all text on and beside them has a contrast of 4.5:1.
 * @param brand the team's colour, for a payment or link that names none
 */
export function themeOf(theming: JsonObject | null | undefined, { brand_color }: Brand = UNBRANDED): Theme {
  if (!theming && brand_color === null) return PLAIN;
  const { color, logo, title, button_text, locale } = theming ?? {};
  const wanted = readColour(color) ?? readColour(brand_color);
  return {
    ...(wanted ? coloursFrom(wanted) : { style: null, brand: BRAND }),
    title: line(title, MAX_TITLE),
    button_text: line(button_text, MAX_BUTTON),
    locale: typeof locale === 'string' ? languageOfTag(locale) : null,
    logo: logoUrl(logo),
  };
}

/** Background of dark pages: `--paper` in page.css. A test compares the two. */
const DARK_PAPER: Colour = [0x16, 0x22, 0x2b];
/** Minimum contrast of a coloured area to its background (WCAG 2.2, 1.4.11). White text on it still has more than 4.5:1. */
const VISIBLE = 2.5;

const tintOf = (brand: Colour) => mix(brand, WHITE, 0.93);
const deepOf = (brand: Colour) => mix(brand, [0, 0, 0], 0.25);
const paleOf = (brand: Colour) => mix(brand, WHITE, 0.86);

function coloursFrom(wanted: Colour): Pick<Theme, 'style' | 'brand'> {
  const brand = darkened(wanted, (colour) => [
    [colour, WHITE],
    [colour, tintOf(colour)],
    [colour, paleOf(colour)],
  ]);
  const light = { brand, deep: deepOf(brand), link: brand, tint: tintOf(brand), pale: paleOf(brand) };
  // Contains only hexadecimal digits that we generated, and no text of the merchant.
  const style = raw(`${rootWith(light)}@media screen and (prefers-color-scheme:dark){${rootWith(darkFrom(brand))}}`);
  return { style, brand: hex(brand) };
}

type Colours = Record<'brand' | 'deep' | 'link' | 'tint' | 'pale', Colour>;

/** Returns the colours for a dark background: areas that stand out from it, and text that is legible on it. */
function darkFrom(light: Colour): Colours {
  const brand = lightened(light, (colour) => [[colour, DARK_PAPER, VISIBLE]]);
  const tint = mix(brand, DARK_PAPER, 0.88);
  const link = lightened(light, (colour) => [
    [colour, DARK_PAPER, READABLE],
    [colour, tint, READABLE],
  ]);
  return { brand, deep: deepOf(brand), link, tint, pale: mix(brand, WHITE, 0.9) };
}

function rootWith(colours: Colours): string {
  const variables = Object.entries(colours).map(([name, colour]) => `--${name}:${hex(colour)}`);
  return `:root{${variables.join(';')}}`;
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
