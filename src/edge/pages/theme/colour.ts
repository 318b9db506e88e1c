/** Red, green and blue, 0 to 255. */
export type Colour = readonly [red: number, green: number, blue: number];

export const WHITE: Colour = [255, 255, 255];

/** Minimum contrast of text (WCAG 2.2, 1.4.3). */
export const READABLE = 4.5;
/** Factor of each darkening step, 2%: finer than the eye can see. */
const STEP = 0.98;

/** Parses `#0b4a5e` or `#07f`. Returns null for everything else, including CSS colour names and functions. */
export function readColour(value: unknown): Colour | null {
  const digits = typeof value === 'string' ? /^#([0-9a-f]{3}|[0-9a-f]{6})$/i.exec(value.trim())?.[1] : undefined;
  if (digits === undefined) return null;
  const long = digits.length === 3 ? digits.replace(/./g, '$&$&') : digits;
  return [0, 2, 4].map((at) => Number.parseInt(long.slice(at, at + 2), 16)) as unknown as Colour;
}

/** Returns the colour as `#rrggbb`. */
export function hex(colour: Colour): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/**
 * Mixes two colours.
 * @param share of the second colour, 0 to 1
 */
export function mix(a: Colour, b: Colour, share: number): Colour {
  const part = (i: 0 | 1 | 2) => Math.round(a[i] * (1 - share) + b[i] * share);
  return [part(0), part(1), part(2)];
}

/** Returns the contrast ratio of WCAG 2.2, 1 to 21. */
export function contrast(a: Colour, b: Colour): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/**
 * Returns the same hue, darkened until every pair has a readable contrast.
 * @param pairs the colours that must be readable against each other, for a candidate colour
 */
export function darkened(colour: Colour, pairs: (colour: Colour) => readonly (readonly [Colour, Colour])[]): Colour {
  let [red, green, blue] = colour;
  const now = (): Colour => [Math.round(red), Math.round(green), Math.round(blue)];
  // Terminates: black on nearly white has a contrast of 20:1.
  while (pairs(now()).some(([a, b]) => contrast(a, b) < READABLE)) [red, green, blue] = [red * STEP, green * STEP, blue * STEP];
  return now();
}

/**
 * Returns the colour, mixed with as little white as gives each pair its contrast.
 * @param pairs the pairs to compare, with the minimum contrast of each
 */
export function lightened(colour: Colour, pairs: (colour: Colour) => readonly (readonly [Colour, Colour, number])[]): Colour {
  let share = 0;
  const now = () => mix(colour, WHITE, share);
  // Terminates: near white has a contrast of 12:1 to every dark colour.
  while (share < 1 && pairs(now()).some(([a, b, least]) => contrast(a, b) < least)) share += 1 - STEP;
  return now();
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((part) => {
    const share = part / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
