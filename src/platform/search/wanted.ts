import { isAscii } from '../../kit/unicode.ts';
import { AMBIGUOUS, foldSearched, UNKNOWN, WHOLE } from './alphabet.ts';

/** A list of the index: a bucket and the third character in it. */
export interface ListName {
  bucket: string;
  third: string;
}

/** Lists of the index that a search reads. */
export interface Wanted {
  /** Each matching row is in all of these lists. */
  all: ListName[];
  /** Alternative list: a matching row may be in this one instead. */
  or: ListName | null;
  /** Whether every row in the lists is a match, so that nothing has to be compared with the text itself. */
  exact: boolean;
}

const whole = (...codes: number[]): ListName => ({ bucket: String.fromCharCode(...codes), third: String.fromCharCode(WHOLE) });

/**
 * Returns the lists of the rows that may contain a text.
 * @param text not empty
 */
export function wantedBy(text: string): Wanted {
  const lists = new Map<string, ListName>();
  const want = (list: ListName) => lists.set(list.bucket + list.third, list);
  let run: number[] = [];
  const endRun = () => {
    if (run.length === 1 || run.length === 2) want(whole(...run));
    for (let i = 2; i < run.length; i++) {
      want({
        bucket: String.fromCharCode(run[i - 2] as number, run[i - 1] as number),
        third: String.fromCharCode(run[i] as number),
      });
    }
    run = [];
  };
  for (let i = 0; i < text.length; i++) {
    const code = foldSearched(text.charCodeAt(i));
    if (code !== 0) {
      run.push(code);
      continue;
    }
    endRun();
    want(whole(UNKNOWN));
  }
  endRun();
  const ascii = isAscii(text);
  return { all: [...lists.values()], or: ascii ? null : whole(AMBIGUOUS), exact: ascii && text.length <= 3 };
}
