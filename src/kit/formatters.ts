/** Maximum number of cached formatters of one kind: more than an installation needs. A full cache is emptied. */
const MOST = 500;

/** Returns the number formatter of a locale, made once: creating one takes at least ten times as long as formatting with it. */
export const numberFormat = kept((locale, options: Intl.NumberFormatOptions) => new Intl.NumberFormat(locale, options));

/** Returns the date formatter of a locale and a time zone, made once. */
export const dateFormat = kept(
  (locale, options: Intl.DateTimeFormatOptions & { timeZone: string }) => new Intl.DateTimeFormat(locale, options),
);

/** Returns the formatter of durations from now for a locale, made once. */
export const relativeFormat = kept(
  (locale, options: Intl.RelativeTimeFormatOptions) => new Intl.RelativeTimeFormat(locale, options),
);

/** Returns the names of languages, countries or currencies in a locale, made once. */
export const displayNames = kept((locale, options: Intl.DisplayNamesOptions) => new Intl.DisplayNames(locale, options));

function kept<Options extends object, Formatter>(make: (locale: string, options: Options) => Formatter) {
  const made = new Map<string, Formatter>();
  return (locale: string, options: Options): Formatter => {
    const name = `${locale} ${JSON.stringify(options)}`;
    const known = made.get(name);
    if (known) return known;
    if (made.size >= MOST) made.clear();
    const formatter = make(locale, options);
    made.set(name, formatter);
    return formatter;
  };
}
